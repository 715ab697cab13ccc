-- Indexes that recall and archival search share; docs/search.md tells how they are used.
-- A token is led by its person and by what it is: "12", a mark, "garden". So a person's tokens
-- stand together, a query never leaves the person, and how rare a word is counts within the
-- person. The rows are contentless: the text itself stands in message and passage.
CREATE VIRTUAL TABLE message_words USING fts5 (
    tokens, content = '', contentless_delete = 1, detail = none, tokenize = "porter ascii"
);
-- The tokens themselves, to list a person's speakers.
CREATE VIRTUAL TABLE message_terms USING fts5vocab(message_words, row);
CREATE VIRTUAL TABLE passage_words USING fts5 (
    tokens, content = '', contentless_delete = 1, detail = none, tokenize = "porter ascii"
);

-- Vectors of one model never meet those of another. `current` is the one in use.
CREATE TABLE embedding_model (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    current INTEGER NOT NULL
);

-- Up to 64 vectors of one person in a row: a search reads them all, and reads few rows.
CREATE TABLE vector_block (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES person (id),
    kind TEXT NOT NULL CHECK (kind IN ('message', 'passage')),
    model_id INTEGER NOT NULL REFERENCES embedding_model (id),
    -- ids as int64, then scales as float32 and vectors as int8, little-endian, in the same order
    items BLOB NOT NULL,
    scales BLOB NOT NULL,
    vectors BLOB NOT NULL
);
CREATE INDEX vector_block_person ON vector_block (person_id, kind, model_id);

-- What waits for its vector under the current model. An id is never used twice, so whoever
-- made a vector can tell that the text has changed meanwhile.
CREATE TABLE unembedded (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind IN ('message', 'passage')),
    item_id INTEGER NOT NULL,
    person_id INTEGER NOT NULL REFERENCES person (id),
    UNIQUE (kind, item_id)
);
