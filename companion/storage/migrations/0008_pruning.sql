-- What was dealt with long ago leaves inbox, journal and outbox: recall storage has what was said.

-- The last event that was pruned. One row. Nobody's personal data.
CREATE TABLE pruned (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    through INTEGER NOT NULL
);
INSERT INTO pruned (id, through) VALUES (1, 0);

-- A start tries at once what waits: whoever starts it has often mended what was wrong.
ALTER TABLE inbox DROP COLUMN retry_at;
