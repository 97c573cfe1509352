-- What is written at every step of a send is checked value by value, not against lists: for each of those SQLite builds a
-- table at every write.

ALTER TABLE attempt RENAME TO attempt_4;
ALTER TABLE delivery RENAME TO delivery_4;
ALTER TABLE message RENAME TO message_4;

CREATE TABLE delivery (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    webhook_id TEXT NOT NULL,
    event_id INTEGER NOT NULL REFERENCES event (id),
    state TEXT NOT NULL CHECK (state = 'pending' OR state = 'delivered' OR state = 'exhausted' OR state = 'cancelled'),
    created_at INTEGER NOT NULL,
    ended_at INTEGER,
    stage TEXT CHECK (stage = 'fresh' OR stage = 'retry' OR stage = 'wire'),
    due_at INTEGER,
    expires_at INTEGER NOT NULL,
    round INTEGER NOT NULL CHECK (round >= 1),
    tries INTEGER NOT NULL,
    attempts INTEGER NOT NULL,
    CHECK ((state = 'pending') = (ended_at IS NULL)),
    CHECK (state <> 'pending' OR stage IS NOT NULL),
    CHECK (state = 'pending' OR stage IS NULL OR stage = 'wire'),
    CHECK ((state = 'pending') = (due_at IS NOT NULL))
) STRICT;
INSERT INTO delivery (sequence, id, webhook_id, event_id, state, created_at, ended_at, stage, due_at, expires_at, round, tries, attempts)
    SELECT sequence, id, webhook_id, event_id, state, created_at, ended_at, stage, due_at, expires_at, round, tries, attempts FROM delivery_4;

CREATE TABLE attempt (
    delivery INTEGER NOT NULL REFERENCES delivery (sequence) ON DELETE CASCADE,
    number INTEGER NOT NULL CHECK (number >= 1),
    at INTEGER NOT NULL,
    round INTEGER NOT NULL,
    total_rounds INTEGER NOT NULL,
    headers TEXT NOT NULL CHECK (json_valid(headers)),
    outcome TEXT CHECK (outcome = 'delivered' OR outcome = 'failed' OR outcome = 'no_response'),
    status INTEGER,
    error TEXT,
    duration_ms INTEGER,
    snippet TEXT,
    truncated INTEGER NOT NULL CHECK (truncated IN (0, 1)),
    retry_after_seconds INTEGER,
    PRIMARY KEY (delivery, number)
) STRICT, WITHOUT ROWID;
INSERT INTO attempt (delivery, number, at, round, total_rounds, headers, outcome, status, error, duration_ms, snippet, truncated, retry_after_seconds)
    SELECT delivery, number, at, round, total_rounds, headers, outcome, status, error, duration_ms, snippet, truncated, retry_after_seconds FROM attempt_4;

CREATE TABLE message (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    rotation_id TEXT NOT NULL,
    recipient_kind TEXT NOT NULL CHECK (recipient_kind IN ('channel', 'person')),
    recipient_id TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state = 'pending' OR state = 'sent' OR state = 'dropped'),
    due_at INTEGER,
    until_at INTEGER,
    tries INTEGER NOT NULL,
    error TEXT,
    ended_at INTEGER,
    CHECK ((state = 'pending') = (due_at IS NOT NULL)),
    CHECK ((state = 'pending') = (ended_at IS NULL))
) STRICT;
INSERT INTO message (sequence, rotation_id, recipient_kind, recipient_id, text, created_at, state, due_at, until_at, tries, error, ended_at)
    SELECT sequence, rotation_id, recipient_kind, recipient_id, text, created_at, state, due_at, until_at, tries, error, ended_at FROM message_4;

-- Numbers that were given once are not given again.
DELETE FROM sqlite_sequence WHERE name = 'delivery';
INSERT INTO sqlite_sequence (name, seq) SELECT 'delivery', seq FROM sqlite_sequence WHERE name = 'delivery_4';
DELETE FROM sqlite_sequence WHERE name = 'message';
INSERT INTO sqlite_sequence (name, seq) SELECT 'message', seq FROM sqlite_sequence WHERE name = 'message_4';

DROP TABLE attempt_4;
DROP TABLE delivery_4;
DROP TABLE message_4;

CREATE INDEX delivery_fresh ON delivery (webhook_id, sequence) WHERE stage = 'fresh';
CREATE INDEX delivery_retry ON delivery (webhook_id, due_at, sequence) WHERE stage = 'retry';
CREATE INDEX delivery_by_webhook ON delivery (webhook_id, sequence);
CREATE INDEX delivery_undelivered ON delivery (webhook_id, state, sequence) WHERE state <> 'delivered';
CREATE INDEX delivery_by_event ON delivery (event_id);
CREATE INDEX delivery_ended ON delivery (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX message_due ON message (due_at, sequence) WHERE state = 'pending';
CREATE INDEX message_waiting ON message (recipient_kind, recipient_id, due_at) WHERE state = 'pending';
CREATE INDEX message_trouble ON message (rotation_id, sequence) WHERE error IS NOT NULL;

-- In the order in which they are read.
DROP INDEX arrangement_live;
CREATE INDEX arrangement_live ON arrangement (rotation_id, from_at, id) WHERE stage IS NOT NULL;
