-- Webhooks: endpoints, events, deliveries and attempts. Comments stand in schema.sql.

-- Webhook endpoints: where events are posted.
CREATE TABLE webhook (
    id TEXT PRIMARY KEY,
    -- Counts registrations: the order of lists.
    sequence INTEGER NOT NULL UNIQUE,
    name TEXT NOT NULL,
    -- As it is dialled.
    url TEXT NOT NULL,
    -- A list of event type names.
    event_types TEXT NOT NULL CHECK (json_valid(event_types)),
    -- Null while enabled.
    disabled_reason TEXT CHECK (disabled_reason IN ('manual', 'delivery_failures', 'plan_downgrade')),
    -- Since when deliveries are held.
    disabled_at INTEGER,
    secret_id TEXT NOT NULL,
    -- As it signs, so it cannot be a hash.
    secret TEXT NOT NULL,
    secret_created_at INTEGER NOT NULL,
    -- The rotated-out secret, which signs as well until it expires.
    previous_id TEXT,
    previous_secret TEXT,
    previous_expires_at INTEGER,
    -- Rises with every change that is shown.
    version INTEGER NOT NULL CHECK (version >= 1),
    created_at INTEGER NOT NULL,
    updated_at INTEGER,
    -- The newest delivery there was at the last 2xx, enabling or change of the URL: only later ones can disable the
    -- endpoint by failing.
    healthy_at_sequence INTEGER NOT NULL,
    CHECK ((disabled_reason IS NULL) = (disabled_at IS NULL)),
    CHECK ((previous_id IS NULL) = (previous_secret IS NULL)),
    CHECK ((previous_id IS NULL) = (previous_expires_at IS NULL))
) STRICT, WITHOUT ROWID;

-- Endpoints that were deleted and whose deliveries are still to be cleared away, a few at a time.
CREATE TABLE webhook_removed (
    id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- What happened, as every delivery of it tells.
CREATE TABLE event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_type TEXT NOT NULL,
    -- Outlives the rotation.
    rotation_id TEXT NOT NULL,
    -- The body without its deliveryId. Frozen: a retry must send the same bytes.
    body TEXT NOT NULL
) STRICT;

-- One event on its way to one endpoint.
CREATE TABLE delivery (
    -- Counts in commit order.
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    webhook_id TEXT NOT NULL,
    event_id INTEGER NOT NULL REFERENCES event (id),
    state TEXT NOT NULL CHECK (state IN ('pending', 'delivered', 'exhausted', 'cancelled')),
    created_at INTEGER NOT NULL,
    -- Null while pending.
    ended_at INTEGER,
    -- What it waits for: its first attempt, a further one, or the end of the one on the wire. Null once finished; one that
    -- was cancelled may still have an attempt on the wire.
    stage TEXT CHECK (stage IN ('fresh', 'retry', 'wire')),
    -- When the next attempt falls due; of one on the wire, when it did. Null once finished.
    due_at INTEGER,
    -- No round begins later. Time held while the endpoint is disabled does not count.
    expires_at INTEGER NOT NULL,
    -- The round of the last attempt, or of the next one while that is due in the same round.
    round INTEGER NOT NULL CHECK (round >= 1),
    -- Attempts begun in this round.
    tries INTEGER NOT NULL,
    -- Attempts begun in all.
    attempts INTEGER NOT NULL,
    CHECK ((state = 'pending') = (ended_at IS NULL)),
    CHECK (state <> 'pending' OR stage IS NOT NULL),
    CHECK (state = 'pending' OR stage IS NULL OR stage = 'wire'),
    CHECK ((state = 'pending') = (due_at IS NOT NULL))
) STRICT;
CREATE INDEX delivery_fresh ON delivery (webhook_id, sequence) WHERE stage = 'fresh';
CREATE INDEX delivery_retry ON delivery (webhook_id, due_at, sequence) WHERE stage = 'retry';
CREATE INDEX delivery_by_webhook ON delivery (webhook_id, sequence);
-- Those that filters look for among many that were delivered. Few indexes, for each is written at every step of a send.
CREATE INDEX delivery_undelivered ON delivery (webhook_id, state, sequence) WHERE state <> 'delivered';
CREATE INDEX delivery_by_event ON delivery (event_id);
CREATE INDEX delivery_ended ON delivery (ended_at) WHERE ended_at IS NOT NULL;

-- What was sent and what came back.
CREATE TABLE attempt (
    delivery INTEGER NOT NULL REFERENCES delivery (sequence) ON DELETE CASCADE,
    -- From 1.
    number INTEGER NOT NULL CHECK (number >= 1),
    at INTEGER NOT NULL,
    round INTEGER NOT NULL,
    total_rounds INTEGER NOT NULL,
    -- A list of [name, value], as sent.
    headers TEXT NOT NULL CHECK (json_valid(headers)),
    -- Null while it is on the wire.
    outcome TEXT CHECK (outcome IN ('delivered', 'failed', 'no_response')),
    status INTEGER,
    error TEXT,
    -- Real time; null when no request was made.
    duration_ms INTEGER,
    -- The beginning of the answer's body; null when nothing answered.
    snippet TEXT,
    truncated INTEGER NOT NULL CHECK (truncated IN (0, 1)),
    retry_after_seconds INTEGER,
    PRIMARY KEY (delivery, number)
) STRICT, WITHOUT ROWID;
