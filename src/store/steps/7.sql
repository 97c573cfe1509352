-- Schema 7, which a database may have that is opened: what its tables are compared with before they are migrated.

CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE person (
    id TEXT PRIMARY KEY,
    team_id TEXT NOT NULL,
    display_name TEXT,
    real_name TEXT,
    email TEXT,
    is_guest INTEGER NOT NULL CHECK (is_guest IN (0, 1)),
    is_external INTEGER NOT NULL CHECK (is_external IN (0, 1)),
    is_deleted INTEGER NOT NULL CHECK (is_deleted IN (0, 1)),
    is_admin INTEGER NOT NULL CHECK (is_admin IN (0, 1)),
    avatar_url TEXT,
    time_zone TEXT,
    -- What lists are sorted by: the display name, else the real name, else the id, in lower case.
    sort_name TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX person_by_name ON person (is_deleted, sort_name, id);
CREATE INDEX person_by_email ON person (email COLLATE NOCASE) WHERE email IS NOT NULL;
CREATE TABLE user_group (
    id TEXT PRIMARY KEY,
    team_id TEXT NOT NULL,
    name TEXT,
    handle TEXT,
    sort_name TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX user_group_by_name ON user_group (sort_name, id);
CREATE TABLE user_group_person (
    group_id TEXT NOT NULL REFERENCES user_group (id) ON DELETE CASCADE,
    -- The order that duty passes through: the platform's, newcomers last.
    position INTEGER NOT NULL,
    -- The platform's own order, by which a change of it is noticed.
    platform_position INTEGER NOT NULL,
    user_id TEXT NOT NULL REFERENCES person (id),
    PRIMARY KEY (group_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_group_person_by_user ON user_group_person (user_id);
CREATE TABLE channel (
    id TEXT PRIMARY KEY,
    team_id TEXT NOT NULL,
    name TEXT,
    is_private INTEGER NOT NULL CHECK (is_private IN (0, 1)),
    app_is_member INTEGER NOT NULL CHECK (app_is_member IN (0, 1)),
    topic TEXT,
    sort_name TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_by_name ON channel (sort_name, id);
CREATE TABLE rotation (
    id TEXT PRIMARY KEY,
    -- Counts creations, so that those of one instant keep their order in lists.
    sequence INTEGER NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT,
    -- Upper case; unique in the workspace.
    code TEXT,
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    public INTEGER NOT NULL CHECK (public IN (0, 1)),
    -- Derived from the windows, kept for the filter of the list.
    mode TEXT NOT NULL CHECK (mode IN ('manual', 'auto', 'external')),
    double_cover INTEGER NOT NULL CHECK (double_cover IN (0, 1)),
    skips_are_off_time INTEGER NOT NULL CHECK (skips_are_off_time IN (0, 1)),
    enable_topic INTEGER NOT NULL CHECK (enable_topic IN (0, 1)),
    topic_template TEXT,
    -- What lists are sorted by: the name in lower case.
    sort_name TEXT NOT NULL,
    -- What is searched: name, code and description in lower case, a line each.
    search_text TEXT NOT NULL,
    -- Rises by exactly one with every committed change.
    version INTEGER NOT NULL CHECK (version >= 1),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- Everything due up to this instant has been done.
    judged_at INTEGER NOT NULL,
    -- The next instant at which something falls due; null when nothing will.
    next_due_at INTEGER
, remind_at INTEGER, duty_group_id TEXT, mention_expires INTEGER NOT NULL DEFAULT 60, mention_reminds INTEGER, mention_single INTEGER NOT NULL DEFAULT 0 CHECK (mention_single IN (0, 1)), mention_rotates INTEGER NOT NULL DEFAULT 0 CHECK (mention_rotates IN (0, 1))) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX rotation_by_code ON rotation (code) WHERE code IS NOT NULL;
CREATE INDEX rotation_due ON rotation (next_due_at, id) WHERE next_due_at IS NOT NULL;
CREATE INDEX rotation_by_creation ON rotation (created_at, sequence);
CREATE INDEX rotation_by_name ON rotation (sort_name, sequence);
CREATE TABLE rotation_owner (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    user_id TEXT NOT NULL REFERENCES person (id),
    PRIMARY KEY (rotation_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX rotation_owner_by_user ON rotation_owner (user_id, rotation_id);
CREATE TABLE rotation_person (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    user_id TEXT NOT NULL REFERENCES person (id),
    PRIMARY KEY (rotation_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX rotation_person_by_user ON rotation_person (user_id, rotation_id);
CREATE TABLE rotation_group (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    group_id TEXT NOT NULL,
    PRIMARY KEY (rotation_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX rotation_group_by_group ON rotation_group (group_id, rotation_id);
CREATE TABLE rotation_channel (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    channel_id TEXT NOT NULL,
    posts_messages INTEGER NOT NULL CHECK (posts_messages IN (0, 1)),
    syncs_topic INTEGER NOT NULL CHECK (syncs_topic IN (0, 1)),
    PRIMARY KEY (rotation_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE lane (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT,
    PRIMARY KEY (rotation_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE coverage_window (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT,
    -- Null on a manual rotation.
    time_zone TEXT,
    -- A list of stretches; empty is the whole week.
    coverage TEXT NOT NULL CHECK (json_valid(coverage)),
    -- Null on a manual rotation.
    cadence TEXT CHECK (cadence IS NULL OR json_valid(cadence)),
    -- As last judged.
    is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)),
    PRIMARY KEY (rotation_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE cell (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    -- Window by window, lanes in dealing order within each.
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    lane INTEGER NOT NULL,
    window INTEGER NOT NULL,
    -- Null is the common roster.
    roster_id TEXT,
    stopped INTEGER NOT NULL CHECK (stopped IN (0, 1)),
    holder_user_id TEXT,
    holder_since INTEGER,
    -- Absent people passed over when the turn was dealt.
    holder_skipped TEXT NOT NULL CHECK (json_valid(holder_skipped)), arranged_until INTEGER,
    PRIMARY KEY (rotation_id, position),
    CHECK ((holder_user_id IS NULL) = (holder_since IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX cell_beyond_first_lane ON cell (rotation_id) WHERE lane > 0;
CREATE TABLE roster (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    -- { users, groups } as written; null follows all members.
    narrowed TEXT CHECK (narrowed IS NULL OR json_valid(narrowed)),
    next_turn INTEGER NOT NULL,
    PRIMARY KEY (rotation_id, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE history (
    id INTEGER PRIMARY KEY,
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    cell_id TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER CHECK (ended_at > started_at),
    -- Null when nobody covered.
    user_id TEXT,
    -- The person's place in the order when the entry began.
    turn INTEGER,
    reason TEXT NOT NULL,
    lane_id TEXT NOT NULL,
    lane_name TEXT,
    window_id TEXT NOT NULL,
    window_name TEXT,
    -- The hours it was held under: { zone, alwaysOpen, coverage }.
    hours TEXT NOT NULL CHECK (json_valid(hours)),
    -- Absent people passed over when the turn was dealt.
    skipped TEXT NOT NULL CHECK (json_valid(skipped))
, arrangement_id TEXT) STRICT;
CREATE INDEX history_by_cell ON history (rotation_id, cell_id, started_at);
CREATE UNIQUE INDEX history_running ON history (rotation_id, cell_id) WHERE ended_at IS NULL;
CREATE TABLE absence (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES person (id),
    rotation_id TEXT REFERENCES rotation (id) ON DELETE CASCADE,
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL CHECK (until_at > from_at),
    reason TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX absence_by_rotation ON absence (rotation_id, until_at);
CREATE INDEX absence_by_user ON absence (user_id, until_at);
CREATE INDEX absence_everywhere ON absence (until_at) WHERE rotation_id IS NULL;
CREATE TABLE creation_key (
    credential TEXT NOT NULL,
    key TEXT NOT NULL,
    -- SHA-256 of the body in canonical form.
    body_hash BLOB NOT NULL,
    rotation_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (credential, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE member_token (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES person (id),
    secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
    created_at INTEGER NOT NULL,
    expires_at INTEGER
) STRICT, WITHOUT ROWID;
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
CREATE TABLE webhook_removed (
    id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
CREATE TABLE event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_type TEXT NOT NULL,
    -- Outlives the rotation.
    rotation_id TEXT NOT NULL,
    -- The body without its deliveryId. Frozen: a retry must send the same bytes.
    body TEXT NOT NULL
) STRICT;
CREATE TABLE arrangement (
    -- Counts creations.
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    -- Outlives the cell.
    cell_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL CHECK (until_at > from_at),
    -- Starts at 1, rises with every change of the record.
    revision INTEGER NOT NULL CHECK (revision >= 1),
    kind TEXT NOT NULL CHECK (kind IN ('directAssignment', 'acceptedCover', 'swapLeg')),
    cancelled INTEGER NOT NULL CHECK (cancelled IN (0, 1)),
    -- Whether it is still to come or runs, as last judged; null when it is over.
    stage TEXT CHECK (stage IN ('coming', 'running')),
    -- The request that it was agreed by; null for an assignment.
    request_id TEXT,
    -- The plan of the cell before it: { asOf, complete, segments }.
    snapshot TEXT NOT NULL CHECK (json_valid(snapshot)),
    -- [kind, from, until] of the turn that it takes over.
    turn_selection TEXT CHECK (turn_selection IS NULL OR json_valid(turn_selection)),
    CHECK (NOT cancelled OR stage IS NULL)
) STRICT;
CREATE INDEX arrangement_by_end ON arrangement (rotation_id, until_at);
CREATE TABLE request (
    -- Counts creations.
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('cover', 'swap')),
    requester_id TEXT NOT NULL,
    -- Lists of user ids.
    recipients TEXT NOT NULL CHECK (json_valid(recipients)),
    declined TEXT NOT NULL CHECK (json_valid(declined)),
    -- From the beginning of the first leg to the end of the last one.
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL CHECK (until_at > from_at),
    -- What changes hands: a list of { key, cell, holder, assignee, from, until, arrangement }.
    legs TEXT NOT NULL CHECK (json_valid(legs)),
    reason TEXT NOT NULL,
    -- As that of an arrangement.
    turn_selection TEXT CHECK (turn_selection IS NULL OR json_valid(turn_selection)),
    -- Ids of conflicts acknowledged when it was made.
    acknowledged TEXT NOT NULL CHECK (json_valid(acknowledged)),
    -- Starts at 1, rises with every change of the record.
    revision INTEGER NOT NULL CHECK (revision >= 1),
    state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'declined', 'cancelled', 'expired', 'ended')),
    accepted_by TEXT
) STRICT;
CREATE INDEX request_pending ON request (rotation_id) WHERE state = 'pending';
CREATE INDEX request_by_end ON request (rotation_id, kind, until_at, sequence);
CREATE TABLE operation (
    credential TEXT NOT NULL,
    id TEXT NOT NULL,
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    -- SHA-256 of method, path and body in canonical form.
    body_hash BLOB NOT NULL CHECK (length(body_hash) = 32),
    -- The answer.
    answer TEXT NOT NULL,
    etag TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (credential, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX operation_by_creation ON operation (created_at);
CREATE INDEX operation_by_rotation ON operation (rotation_id);
CREATE INDEX rotation_reminder ON rotation (remind_at, id) WHERE remind_at IS NOT NULL;
CREATE INDEX rotation_by_duty_group ON rotation (duty_group_id, sequence) WHERE duty_group_id IS NOT NULL;
CREATE INDEX user_group_by_handle ON user_group (handle COLLATE NOCASE) WHERE handle IS NOT NULL;
CREATE INDEX rotation_channel_by_topic ON rotation_channel (channel_id) WHERE syncs_topic;
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
CREATE TABLE inbound_webhook (
    rotation_id TEXT PRIMARY KEY REFERENCES rotation (id) ON DELETE CASCADE,
    -- What its address ends with.
    path TEXT NOT NULL UNIQUE,
    -- Shown to whoever may manage webhooks, so it cannot be a hash.
    access_key TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
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
CREATE INDEX delivery_fresh ON delivery (webhook_id, sequence) WHERE stage = 'fresh';
CREATE INDEX delivery_retry ON delivery (webhook_id, due_at, sequence) WHERE stage = 'retry';
CREATE INDEX delivery_by_webhook ON delivery (webhook_id, sequence);
CREATE INDEX delivery_undelivered ON delivery (webhook_id, state, sequence) WHERE state <> 'delivered';
CREATE INDEX delivery_by_event ON delivery (event_id);
CREATE INDEX delivery_ended ON delivery (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX arrangement_live ON arrangement (rotation_id, from_at, id) WHERE stage IS NOT NULL;
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
CREATE INDEX message_due ON message (due_at, sequence) WHERE state = 'pending';
CREATE INDEX message_waiting ON message (recipient_kind, recipient_id, due_at) WHERE state = 'pending';
CREATE INDEX message_trouble ON message (rotation_id, sequence) WHERE error IS NOT NULL;
CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
    scopes TEXT NOT NULL CHECK (json_valid(scopes)),
    rotations TEXT CHECK (rotations IS NULL OR json_valid(rotations)),
    disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
    created_at INTEGER NOT NULL,
    expires_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE api_key_outgoing (
    key_id TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
    secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (key_id, secret_hash)
) STRICT, WITHOUT ROWID;
