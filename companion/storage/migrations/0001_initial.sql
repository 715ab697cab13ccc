-- Every table of a person's carries person_id; a group chat is a person of kind 'group'.
-- Times are ISO 8601 in UTC.

CREATE TABLE person (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL DEFAULT 'person' CHECK (kind IN ('person', 'group')),
    name TEXT NOT NULL,
    timezone TEXT,
    created_at TEXT NOT NULL,
    -- the FIFO queue is every message after this one
    evicted_through INTEGER NOT NULL DEFAULT 0,
    -- the version of the working context that stands in the prompt since the last flush
    context_shown INTEGER,
    -- set when memory pressure was told of, cleared by a flush
    warned INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE account (
    platform TEXT NOT NULL,
    user TEXT NOT NULL,
    person_id INTEGER NOT NULL REFERENCES person (id),
    name TEXT NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (platform, user)
) WITHOUT ROWID;
CREATE INDEX account_person ON account (person_id);

CREATE TABLE conversation (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES person (id),
    platform TEXT NOT NULL,
    chat TEXT NOT NULL,
    thread TEXT NOT NULL DEFAULT '',
    private INTEGER NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (platform, chat, thread)
);
CREATE INDEX conversation_person ON conversation (person_id);

CREATE TABLE inbox (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES person (id),
    conversation_id INTEGER NOT NULL REFERENCES conversation (id),
    source TEXT NOT NULL,
    external_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    received_at TEXT NOT NULL,
    -- waiting: not begun or to be tried again; begun: its message is in the queue;
    -- done; dead: given up, the operator was told
    state TEXT NOT NULL DEFAULT 'waiting' CHECK (state IN ('waiting', 'begun', 'done', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    retry_at TEXT,
    error TEXT,
    UNIQUE (source, external_id)
);
CREATE INDEX inbox_open ON inbox (person_id, id) WHERE state IN ('waiting', 'begun');

-- Each answer of a model, kept before anything in it is done.
CREATE TABLE step (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES person (id),
    event_id INTEGER NOT NULL REFERENCES inbox (id),
    number INTEGER NOT NULL,
    reply TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (event_id, number)
);
CREATE INDEX step_person ON step (person_id);

-- A call that was carried out, in the same transaction as its effect.
CREATE TABLE tool_done (
    step_id INTEGER NOT NULL REFERENCES step (id),
    number INTEGER NOT NULL,
    person_id INTEGER NOT NULL REFERENCES person (id),
    result TEXT NOT NULL,
    failed INTEGER NOT NULL,
    heartbeat INTEGER NOT NULL,
    PRIMARY KEY (step_id, number)
) WITHOUT ROWID;
CREATE INDEX tool_done_person ON tool_done (person_id);

CREATE TABLE outbox (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES person (id),
    conversation_id INTEGER NOT NULL REFERENCES conversation (id),
    event_id INTEGER NOT NULL REFERENCES inbox (id),
    part INTEGER NOT NULL,
    text TEXT NOT NULL,
    in_reply INTEGER NOT NULL DEFAULT 1,
    -- a word from the program itself, such as that the answer comes later; it is no answer
    notice INTEGER NOT NULL DEFAULT 0,
    -- sending: handed to the platform, its fate unknown until sent or refused
    state TEXT NOT NULL DEFAULT 'waiting'
        CHECK (state IN ('waiting', 'sending', 'sent', 'refused')),
    attempts INTEGER NOT NULL DEFAULT 0,
    created_at TEXT NOT NULL,
    sent_at TEXT,
    error TEXT,
    UNIQUE (event_id, part)
);
CREATE INDEX outbox_open ON outbox (person_id, id) WHERE state IN ('waiting', 'sending');

-- Recall storage: all of the FIFO queue there ever was, verbatim.
CREATE TABLE message (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES person (id),
    event_id INTEGER REFERENCES inbox (id),
    -- event, alert: to the model; answer: by the model; result: of a call
    kind TEXT NOT NULL CHECK (kind IN ('event', 'alert', 'answer', 'result')),
    -- what was said and by whom, as a person would read it; empty for what nobody said.
    -- search reads this and nothing else
    speaker TEXT NOT NULL DEFAULT '',
    said TEXT NOT NULL DEFAULT '',
    said_at TEXT NOT NULL,
    -- the message as it stands in the prompt
    text TEXT NOT NULL,
    calls TEXT NOT NULL DEFAULT '[]',
    call_id TEXT,
    tokens INTEGER NOT NULL
);
CREATE INDEX message_person ON message (person_id, id);
CREATE INDEX message_said_at ON message (person_id, said_at) WHERE said <> '';
CREATE INDEX message_event ON message (event_id);

CREATE TABLE summary (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES person (id),
    text TEXT NOT NULL,
    tokens INTEGER NOT NULL,
    -- the last message that it covers
    through INTEGER NOT NULL,
    created_at TEXT NOT NULL
);
CREATE INDEX summary_person ON summary (person_id, id);

-- Every version of the working context; the newest is the one in force.
CREATE TABLE working_context (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES person (id),
    text TEXT NOT NULL,
    -- what made this version: the function, 'undo', or 'start'
    cause TEXT NOT NULL,
    -- for an undo: the version that it brought back
    restored INTEGER REFERENCES working_context (id),
    event_id INTEGER REFERENCES inbox (id),
    created_at TEXT NOT NULL
);
CREATE INDEX working_context_person ON working_context (person_id, id);

-- Archival storage.
CREATE TABLE passage (
    id INTEGER PRIMARY KEY,
    person_id INTEGER NOT NULL REFERENCES person (id),
    text TEXT NOT NULL,
    -- 'model', 'person' or the name of an upload
    source TEXT NOT NULL,
    event_id INTEGER REFERENCES inbox (id),
    created_at TEXT NOT NULL
);
CREATE INDEX passage_person ON passage (person_id, id);

CREATE TABLE usage (
    person_id INTEGER NOT NULL REFERENCES person (id),
    day TEXT NOT NULL,
    model TEXT NOT NULL,
    requests INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL,
    cached_tokens INTEGER NOT NULL,
    completion_tokens INTEGER NOT NULL,
    cost REAL NOT NULL,
    PRIMARY KEY (person_id, day, model)
) WITHOUT ROWID;

-- What a server was found to be able to do. Nobody's personal data.
CREATE TABLE endpoint (
    base_url TEXT NOT NULL,
    model TEXT NOT NULL,
    abilities TEXT NOT NULL,
    checked_at TEXT NOT NULL,
    PRIMARY KEY (base_url, model)
) WITHOUT ROWID;
