-- Indexes that recall and archival search share. Words are found by FTS5 (stemmed), text
-- without spaces and short words by a second index of characters and pairs of characters.
-- `person` is a token of its own ("p12"), so that MATCH never leaves the person.
-- The rows are contentless: the text itself stands in message and passage.

CREATE VIRTUAL TABLE message_words USING fts5 (
    person, speaker, said,
    content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE message_grams USING fts5 (
    person, said,
    content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0"
);
CREATE VIRTUAL TABLE passage_words USING fts5 (
    person, said,
    content = '', contentless_delete = 1, tokenize = "porter unicode61 remove_diacritics 2"
);
CREATE VIRTUAL TABLE passage_grams USING fts5 (
    person, said,
    content = '', contentless_delete = 1, tokenize = "unicode61 remove_diacritics 0"
);

-- Vectors of one model never meet those of another: the model's row is part of every key.
CREATE TABLE embedding_model (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL
);
CREATE TABLE message_vector (
    message_id INTEGER PRIMARY KEY REFERENCES message (id),
    person_id INTEGER NOT NULL REFERENCES person (id),
    model_id INTEGER NOT NULL REFERENCES embedding_model (id),
    embedding BLOB NOT NULL
);
CREATE INDEX message_vector_person ON message_vector (person_id, model_id);
CREATE TABLE passage_vector (
    passage_id INTEGER PRIMARY KEY REFERENCES passage (id),
    person_id INTEGER NOT NULL REFERENCES person (id),
    model_id INTEGER NOT NULL REFERENCES embedding_model (id),
    embedding BLOB NOT NULL
);
CREATE INDEX passage_vector_person ON passage_vector (person_id, model_id);
