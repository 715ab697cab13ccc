-- Night thoughts: each time a person's memory was put in order.
CREATE TABLE tidying (
    -- the timed event that it was done for
    event_id INTEGER PRIMARY KEY REFERENCES inbox (id),
    person_id INTEGER NOT NULL REFERENCES person (id),
    at TEXT NOT NULL,
    -- the last message that there was
    through INTEGER NOT NULL,
    -- what it cost
    tokens INTEGER NOT NULL,
    -- the working context in force after it, made by it or before; missing where nothing changed
    context_id INTEGER REFERENCES working_context (id)
);
CREATE INDEX tidying_person ON tidying (person_id, event_id);
CREATE INDEX tidying_at ON tidying (at);

-- The notes that it took away and put in their place, for an undo. They go with the next one.
CREATE TABLE tidied_passage (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES person (id),
    event_id INTEGER NOT NULL REFERENCES inbox (id),
    -- the note that was made
    passage_id INTEGER REFERENCES passage (id) ON DELETE CASCADE,
    -- or the one that went
    text TEXT,
    source TEXT,
    created_at TEXT
);
CREATE INDEX tidied_passage_person ON tidied_passage (person_id, event_id);
CREATE INDEX tidied_passage_passage ON tidied_passage (passage_id) WHERE passage_id IS NOT NULL;
