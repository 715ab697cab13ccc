-- Writing first: what a person wants of it, and each time the companion thought of it.

CREATE TABLE opener_wish (
    person_id INTEGER PRIMARY KEY REFERENCES person (id),
    -- missing until they said something
    wish TEXT CHECK (wish IN ('off', 'on', 'often', 'rarely')),
    wished_at TEXT,
    -- when the companion was told to ask them, which happens once
    offered_at TEXT
);

CREATE TABLE opener (
    -- the timed event in whose turn it was thought of
    event_id INTEGER PRIMARY KEY REFERENCES inbox (id),
    person_id INTEGER NOT NULL REFERENCES person (id),
    asked_at TEXT NOT NULL,
    -- the keys of the candidates that the model was shown, in their order
    offered TEXT NOT NULL,
    -- asked: the model was asked; sent: it wrote; silent: it chose not to, or was stopped
    state TEXT NOT NULL DEFAULT 'asked' CHECK (state IN ('asked', 'sent', 'silent')),
    -- why it was silent
    reason TEXT NOT NULL DEFAULT '',
    -- the key of the candidate that it wrote about. The text itself stands in memory only, so that
    -- what is forgotten there is forgotten here
    about TEXT,
    outbox_id INTEGER REFERENCES outbox (id),
    -- what the person did then, and when: they wrote, or put this emoji to it
    answered_at TEXT,
    reaction TEXT
);
CREATE INDEX opener_person ON opener (person_id, event_id);
CREATE INDEX opener_outbox ON opener (outbox_id) WHERE outbox_id IS NOT NULL;
