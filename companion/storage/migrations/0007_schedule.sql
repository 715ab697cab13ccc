-- Moments at which the companion acts though nobody wrote: docs/timed.md.
CREATE TABLE schedule (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES person (id),
    conversation_id INTEGER NOT NULL REFERENCES conversation (id),
    -- what it is for: 'reminder', 'check_in', 'opener', 'night', …
    purpose TEXT NOT NULL,
    text TEXT NOT NULL,
    repeats TEXT NOT NULL
        CHECK (repeats IN ('once', 'daily', 'weekdays', 'weekly', 'monthly', 'yearly', 'cron')),
    every INTEGER NOT NULL DEFAULT 1,
    -- a wall time: the first local date, the time, and the IANA zone whose clock shows it; a fixed
    -- instant has none of these
    first_day TEXT,
    wall_time TEXT,
    zone TEXT,
    cron TEXT NOT NULL DEFAULT '',
    -- the local date of the time before
    last_day TEXT,
    -- the moment itself, and when to look at it: later than that where it is held back
    due_at TEXT NOT NULL,
    next_at TEXT NOT NULL,
    -- held: its chat can't be reached, and it waits for the next message from there
    state TEXT NOT NULL DEFAULT 'active' CHECK (state IN ('active', 'held', 'done', 'cancelled')),
    -- the one in whose turn it was made
    parent_id INTEGER REFERENCES schedule (id),
    -- the event in whose turn it was made
    event_id INTEGER REFERENCES inbox (id),
    created_at TEXT NOT NULL
);
CREATE INDEX schedule_next ON schedule (next_at, due_at) WHERE state = 'active';
CREATE INDEX schedule_person ON schedule (person_id, state);
CREATE INDEX schedule_parent ON schedule (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX schedule_event ON schedule (event_id) WHERE event_id IS NOT NULL;

-- What became of each of those moments.
CREATE TABLE schedule_history (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES person (id),
    schedule_id INTEGER NOT NULL REFERENCES schedule (id),
    due_at TEXT NOT NULL,
    at TEXT NOT NULL,
    -- fired; delayed: looked at again later; gated, missed: nothing came of it, for the reason given
    outcome TEXT NOT NULL CHECK (outcome IN ('fired', 'delayed', 'gated', 'missed')),
    reason TEXT NOT NULL DEFAULT '',
    event_id INTEGER REFERENCES inbox (id)
);
CREATE INDEX schedule_history_person ON schedule_history (person_id, schedule_id, id);
CREATE INDEX schedule_history_event ON schedule_history (event_id) WHERE event_id IS NOT NULL;

-- When a person wants to be written to. A row is missing while they have said nothing of it.
CREATE TABLE timing (
    person_id INTEGER PRIMARY KEY REFERENCES person (id),
    -- quiet hours by the person's own clock, HH:MM; the same twice for none
    quiet_from TEXT,
    quiet_until TEXT,
    paused_until TEXT,
    -- when the model was told to ask where the person is, which happens once
    zone_asked_at TEXT
);

-- What is sent for an event after this moment comes too late, and is not sent.
ALTER TABLE outbox ADD COLUMN expires_at TEXT;
