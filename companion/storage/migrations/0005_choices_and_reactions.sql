-- Buttons below a message, and emoji that are put to one.

-- What can be chosen by pressing a button, as JSON: [{"label": ..., "words": ...}, ...].
ALTER TABLE outbox ADD COLUMN choices TEXT;

-- Set where the text is an emoji to put to this message of the platform's, and not to be said.
ALTER TABLE outbox ADD COLUMN reacts_to TEXT;

-- What the platform calls a message that arrived there, so that a reaction can name it. A long
-- message has arrived as several.
CREATE TABLE delivered (
    conversation_id INTEGER NOT NULL REFERENCES conversation (id),
    message TEXT NOT NULL,
    person_id INTEGER NOT NULL REFERENCES person (id),
    outbox_id INTEGER NOT NULL REFERENCES outbox (id),
    PRIMARY KEY (conversation_id, message)
) WITHOUT ROWID;
CREATE INDEX delivered_person ON delivered (person_id);
CREATE INDEX delivered_outbox ON delivered (outbox_id);
