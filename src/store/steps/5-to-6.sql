-- Messages are stored as data. Those that are there keep their text.

ALTER TABLE message RENAME TO message_5;

CREATE TABLE message (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    rotation_id TEXT NOT NULL,
    recipient_kind TEXT NOT NULL CHECK (recipient_kind IN ('channel', 'person')),
    recipient_id TEXT NOT NULL,
    body TEXT NOT NULL CHECK (json_valid(body)),
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state = 'pending' OR state = 'sent' OR state = 'dropped'),
    due_at INTEGER,
    until_at INTEGER,
    tries INTEGER NOT NULL,
    error TEXT,
    ended_at INTEGER,
    reference TEXT,
    CHECK ((state = 'pending') = (due_at IS NOT NULL)),
    CHECK ((state = 'pending') = (ended_at IS NULL)),
    CHECK (reference IS NULL OR state = 'sent')
) STRICT;
INSERT INTO message (sequence, rotation_id, recipient_kind, recipient_id, body, created_at, state, due_at, until_at, tries, error, ended_at)
    SELECT sequence, rotation_id, recipient_kind, recipient_id, json_object('kind', 'text', 'text', text), created_at, state, due_at, until_at, tries, error, ended_at FROM message_5;

-- Numbers that were given once are not given again.
DELETE FROM sqlite_sequence WHERE name = 'message';
INSERT INTO sqlite_sequence (name, seq) SELECT 'message', seq FROM sqlite_sequence WHERE name = 'message_5';

DROP TABLE message_5;

CREATE INDEX message_due ON message (due_at, sequence) WHERE state = 'pending';
CREATE INDEX message_waiting ON message (recipient_kind, recipient_id, due_at) WHERE state = 'pending';
CREATE INDEX message_trouble ON message (rotation_id, sequence) WHERE error IS NOT NULL;
