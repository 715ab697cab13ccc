-- Who may talk, and whose accounts belong together.

-- Set for who was let in by a code or by the operator; whose id stands in the settings needs
-- neither. Who was shut out since stays out whatever else is set.
ALTER TABLE account ADD COLUMN admitted_at TEXT;
ALTER TABLE account ADD COLUMN revoked_at TEXT;

ALTER TABLE person ADD COLUMN owner INTEGER NOT NULL DEFAULT 0;
-- when they were told what is stored of them
ALTER TABLE person ADD COLUMN told_at TEXT;
UPDATE person SET told_at = created_at;

-- Accounts that asked to be let in, kept for a day; denied ones for good, without name and chat.
DROP TABLE stranger;
CREATE TABLE stranger (
    platform TEXT NOT NULL,
    user TEXT NOT NULL,
    chat TEXT NOT NULL,
    name TEXT NOT NULL,
    -- none while too many others ask
    code TEXT UNIQUE,
    made_at TEXT,
    -- how many codes were made for them, and when they were last told anything
    codes INTEGER NOT NULL DEFAULT 0,
    told_at TEXT NOT NULL,
    denied INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (platform, user)
) WITHOUT ROWID;

-- Wrong codes typed by who may approve, since a moment; one row.
CREATE TABLE wrong_code (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    tries INTEGER NOT NULL,
    since TEXT NOT NULL
);
