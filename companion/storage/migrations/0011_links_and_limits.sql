-- Two accounts that become one person's, and what everybody may spend.

-- Two accounts that are to become one person's. `person_id` asked for the code; `other_id` typed
-- it, and agrees first.
CREATE TABLE link (
    person_id INTEGER PRIMARY KEY REFERENCES person (id),
    code TEXT NOT NULL UNIQUE,
    made_at TEXT NOT NULL,
    other_id INTEGER REFERENCES person (id) ON DELETE CASCADE,
    other_agreed INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX link_other ON link (other_id) WHERE other_id IS NOT NULL;

-- Wrong codes for linking that a person typed, since a moment.
CREATE TABLE wrong_link (
    person_id INTEGER PRIMARY KEY REFERENCES person (id),
    tries INTEGER NOT NULL,
    since TEXT NOT NULL
);

-- The version of the working context that the account brought along when it was linked.
ALTER TABLE account ADD COLUMN brought INTEGER;
ALTER TABLE account ADD COLUMN linked_at TEXT;

-- What everybody spent on a day.
CREATE INDEX usage_day ON usage (day);
