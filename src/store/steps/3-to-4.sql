-- What chat sees: messages, topics, on-duty groups, mentions; and the way in for other programs.
ALTER TABLE rotation ADD COLUMN remind_at INTEGER;
ALTER TABLE rotation ADD COLUMN duty_group_id TEXT;
ALTER TABLE rotation ADD COLUMN mention_expires INTEGER NOT NULL DEFAULT 60;
ALTER TABLE rotation ADD COLUMN mention_reminds INTEGER;
ALTER TABLE rotation ADD COLUMN mention_single INTEGER NOT NULL DEFAULT 0 CHECK (mention_single IN (0, 1));
ALTER TABLE rotation ADD COLUMN mention_rotates INTEGER NOT NULL DEFAULT 0 CHECK (mention_rotates IN (0, 1));
CREATE INDEX rotation_reminder ON rotation (remind_at, id) WHERE remind_at IS NOT NULL;
CREATE INDEX rotation_by_duty_group ON rotation (duty_group_id, sequence) WHERE duty_group_id IS NOT NULL;
CREATE INDEX user_group_by_handle ON user_group (handle COLLATE NOCASE) WHERE handle IS NOT NULL;
CREATE INDEX rotation_channel_by_topic ON rotation_channel (channel_id) WHERE syncs_topic;

-- What people are told in chat, each once; on the embedded platform these are its messages.
CREATE TABLE message (
    -- Counts in commit order.
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    -- Outlives the rotation.
    rotation_id TEXT NOT NULL,
    recipient_kind TEXT NOT NULL CHECK (recipient_kind IN ('channel', 'person')),
    recipient_id TEXT NOT NULL,
    text TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('pending', 'sent', 'dropped')),
    -- When it is to be sent, or tried again; null once it is not pending.
    due_at INTEGER,
    -- From when on it is not worth sending; null where a day is the limit.
    until_at INTEGER,
    -- Tries that failed.
    tries INTEGER NOT NULL,
    -- Why the last one failed, of this message or of one to the same recipient before it; null once it was sent.
    error TEXT,
    -- When it was sent, or dropped.
    ended_at INTEGER,
    CHECK ((state = 'pending') = (due_at IS NOT NULL)),
    CHECK ((state = 'pending') = (ended_at IS NULL))
) STRICT;
CREATE INDEX message_due ON message (due_at, sequence) WHERE state = 'pending';
CREATE INDEX message_waiting ON message (recipient_kind, recipient_id, due_at) WHERE state = 'pending';
-- Those that were not sent, or not at once. Few indexes, for each is written twice a message.
CREATE INDEX message_trouble ON message (rotation_id, sequence) WHERE error IS NOT NULL;

-- Channels whose topic tells who is on call.
CREATE TABLE channel_topic (
    channel_id TEXT PRIMARY KEY,
    -- What rota wrote last; null where it has written nothing yet.
    written TEXT,
    -- What rota was writing, where nobody knows whether that came about.
    writing TEXT,
    -- What stood there before; null where that was nothing.
    before TEXT,
    -- When it is to be brought in line; null where nothing has changed since it was.
    due_at INTEGER,
    -- Counts what called for that.
    calls INTEGER NOT NULL,
    -- Tries that failed since it was last in line, and why the last one did.
    tries INTEGER NOT NULL,
    error TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_topic_due ON channel_topic (due_at) WHERE due_at IS NOT NULL;

-- User groups kept in step with whoever is on call.
CREATE TABLE duty_group (
    group_id TEXT PRIMARY KEY,
    -- Whether rota made it; one that it adopted is left as it is where the platform holds no empty groups.
    is_own INTEGER NOT NULL CHECK (is_own IN (0, 1)),
    -- A list of the people whom rota has put in.
    placed TEXT NOT NULL CHECK (json_valid(placed)),
    -- Whether rota has disabled it, with nobody on call.
    disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
    -- As of a channel's topic.
    due_at INTEGER,
    calls INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    error TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX duty_group_due ON duty_group (due_at) WHERE due_at IS NOT NULL;

-- Somebody asks for whoever is on call.
CREATE TABLE mention (
    id TEXT PRIMARY KEY,
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    channel_id TEXT NOT NULL,
    asker_id TEXT NOT NULL,
    message TEXT,
    state TEXT NOT NULL CHECK (state IN ('open', 'acknowledged', 'passed', 'expired', 'nobody')),
    -- Lists of user ids.
    notified TEXT NOT NULL CHECK (json_valid(notified)),
    passed TEXT NOT NULL CHECK (json_valid(passed)),
    acknowledged_by TEXT,
    opened_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    -- When the next notice follows; null where none does.
    remind_at INTEGER,
    closed_at INTEGER,
    -- The settings that it was opened under: [expires, reminds, single, rotates].
    settings TEXT NOT NULL CHECK (json_valid(settings)),
    -- The first of what falls due in it; null once it is closed.
    due_at INTEGER,
    CHECK ((state = 'open') = (closed_at IS NULL)),
    CHECK ((state = 'open') = (due_at IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX mention_due ON mention (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX mention_by_rotation ON mention (rotation_id, opened_at);
CREATE INDEX mention_closed ON mention (closed_at) WHERE closed_at IS NOT NULL;

-- The way in for other programs, one a rotation.
CREATE TABLE inbound_webhook (
    rotation_id TEXT PRIMARY KEY REFERENCES rotation (id) ON DELETE CASCADE,
    -- What its address ends with.
    path TEXT NOT NULL UNIQUE,
    -- Shown to whoever may manage webhooks, so it cannot be a hash.
    access_key TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
