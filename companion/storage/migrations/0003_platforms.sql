-- What chat platforms need besides.

-- A long message goes out in pieces; so many of them have arrived.
ALTER TABLE outbox ADD COLUMN pieces_sent INTEGER NOT NULL DEFAULT 0;

-- Set while the platform lets nothing through to this chat, because the person blocked it.
ALTER TABLE conversation ADD COLUMN unreachable_at TEXT;

-- The platform's id of the message that came with an event, by which edits name it.
ALTER TABLE inbox ADD COLUMN message TEXT;
CREATE INDEX inbox_message ON inbox (conversation_id, message) WHERE message IS NOT NULL;

-- What a platform gave and nobody could read. The body is kept only of people who are known.
CREATE TABLE dead_letter (
    id INTEGER PRIMARY KEY,
    platform TEXT NOT NULL,
    external_id TEXT NOT NULL,
    person_id INTEGER REFERENCES person (id),
    body TEXT,
    error TEXT NOT NULL,
    received_at TEXT NOT NULL,
    UNIQUE (platform, external_id)
);
CREATE INDEX dead_letter_person ON dead_letter (person_id);

-- Accounts that may not talk to the companion, and when they were last told so.
CREATE TABLE stranger (
    platform TEXT NOT NULL,
    user TEXT NOT NULL,
    told_at TEXT NOT NULL,
    PRIMARY KEY (platform, user)
) WITHOUT ROWID;

-- How it goes with each platform. Nobody's personal data.
CREATE TABLE platform (
    name TEXT PRIMARY KEY,
    -- when a round trip was last finished
    heard_at TEXT,
    -- what is wrong now, in words for the operator
    trouble TEXT
) WITHOUT ROWID;
