-- The state of one rota workspace. Instants are milliseconds since 1970-01-01 UTC.
-- Every table is STRICT, and every query uses an index or a primary key. CHECK constraints on columns that a delivery
-- updates compare with each value: for an IN list of three or more, SQLite builds a temporary table at every write.

-- Single values: team_id, team_name, team_domain, plan, development_clock, rules (the rules that next_due_at was computed
-- with), base_url (of the last server), setup_link (the hash of the secret, and when it
-- expires), getting_started (hidden once all is done).
CREATE TABLE meta (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- People of the chat workspace. People missing from an import are marked as deleted, so that ids resolve.
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
    -- The sort key of lists: the display name, else the real name, else the id, in lower case.
    sort_name TEXT NOT NULL,
    -- What they are called in channels for which the file has no handle of theirs.
    handle TEXT,
    -- Where the record comes from: file, page, scim, signIn, slack, matrix.
    source TEXT NOT NULL DEFAULT 'file',
    -- Whether the time zone was set here, and wins over what the chat platform says.
    zone_is_own INTEGER NOT NULL DEFAULT 0,
    -- Their telephone number, E.164.
    phone TEXT,
    -- When the record was made, and when it last changed.
    created_at INTEGER NOT NULL DEFAULT 0,
    changed_at INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX person_by_handle ON person (handle COLLATE NOCASE) WHERE handle IS NOT NULL;
CREATE INDEX person_by_source ON person (source, id);
CREATE INDEX person_admin ON person (id) WHERE is_admin;
CREATE INDEX person_by_name ON person (is_deleted, sort_name, id);
CREATE INDEX person_by_email ON person (email COLLATE NOCASE) WHERE email IS NOT NULL;

-- Chat user groups.
CREATE TABLE user_group (
    id TEXT PRIMARY KEY,
    team_id TEXT NOT NULL,
    name TEXT,
    handle TEXT,
    sort_name TEXT NOT NULL,
    -- As of a person.
    source TEXT NOT NULL DEFAULT 'file',
    created_at INTEGER NOT NULL DEFAULT 0,
    changed_at INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE INDEX user_group_by_source ON user_group (source, id);
CREATE INDEX user_group_by_name ON user_group (sort_name, id);
CREATE INDEX user_group_by_handle ON user_group (handle COLLATE NOCASE) WHERE handle IS NOT NULL;

-- Members of chat user groups.
CREATE TABLE user_group_person (
    group_id TEXT NOT NULL REFERENCES user_group (id) ON DELETE CASCADE,
    -- The dealing order: the platform's order, newcomers last.
    position INTEGER NOT NULL,
    -- The platform's own order, to detect changes.
    platform_position INTEGER NOT NULL,
    user_id TEXT NOT NULL REFERENCES person (id),
    PRIMARY KEY (group_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX user_group_person_by_user ON user_group_person (user_id);

-- What a provider of identities says of people by SCIM, beside their record.
CREATE TABLE provisioned_person (
    user_id TEXT PRIMARY KEY REFERENCES person (id),
    user_name TEXT NOT NULL,
    -- The same in lower case. Nobody else who is listed has it.
    folded_name TEXT NOT NULL,
    -- The attributes as they were sent.
    attributes TEXT NOT NULL CHECK (json_valid(attributes)),
    -- The place in the order of deletions; null while they are listed. They come back under the same id.
    removal INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX provisioned_person_by_name ON provisioned_person (folded_name, removal);
CREATE INDEX provisioned_person_removed ON provisioned_person (removal) WHERE removal IS NOT NULL;

-- The same of user groups.
CREATE TABLE provisioned_group (
    group_id TEXT PRIMARY KEY REFERENCES user_group (id) ON DELETE CASCADE,
    attributes TEXT NOT NULL CHECK (json_valid(attributes))
) STRICT, WITHOUT ROWID;

-- Members of rotations as they were before SCIM changed people and user groups. A rotation has them until it follows, a moment
-- later, so that changes that belong together are followed together.
CREATE TABLE held_members (
    rotation_id TEXT PRIMARY KEY REFERENCES rotation (id) ON DELETE CASCADE,
    -- [users, [group, users]...].
    members TEXT NOT NULL CHECK (json_valid(members)),
    -- The first and the last change, by the system's clock.
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    -- Id and name of the key that made the last change.
    key_id TEXT NOT NULL,
    key_name TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- The orders of the people of user groups that SCIM has changed, as they were until then: who is a newcomer is judged by them.
CREATE TABLE held_order (
    group_id TEXT PRIMARY KEY,
    -- [dealing order, the platform's order].
    orders TEXT NOT NULL CHECK (json_valid(orders))
) STRICT, WITHOUT ROWID;

-- Chat channels.
CREATE TABLE channel (
    id TEXT PRIMARY KEY,
    team_id TEXT NOT NULL,
    name TEXT,
    is_private INTEGER NOT NULL CHECK (is_private IN (0, 1)),
    app_is_member INTEGER NOT NULL CHECK (app_is_member IN (0, 1)),
    topic TEXT,
    sort_name TEXT NOT NULL,
    -- As of a person.
    source TEXT NOT NULL DEFAULT 'file'
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_by_name ON channel (sort_name, id);

-- People who are away by their status in chat, as the platform last said.
CREATE TABLE chat_away (
    user_id TEXT PRIMARY KEY REFERENCES person (id),
    -- When the status ends; null if it has no end.
    until_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE rotation (
    id TEXT PRIMARY KEY,
    -- A creation counter that orders rotations created at one instant.
    sequence INTEGER NOT NULL UNIQUE,
    name TEXT NOT NULL,
    description TEXT,
    -- Upper case; unique in the workspace.
    code TEXT,
    enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
    public INTEGER NOT NULL CHECK (public IN (0, 1)),
    -- Derived from the windows, for the filter of the list.
    mode TEXT NOT NULL CHECK (mode IN ('manual', 'auto', 'external')),
    double_cover INTEGER NOT NULL CHECK (double_cover IN (0, 1)),
    skips_are_off_time INTEGER NOT NULL CHECK (skips_are_off_time IN (0, 1)),
    enable_topic INTEGER NOT NULL CHECK (enable_topic IN (0, 1)),
    topic_template TEXT,
    -- The sort key of lists: the name in lower case.
    sort_name TEXT NOT NULL,
    -- The searched text: name, code and description in lower case, one per line.
    search_text TEXT NOT NULL,
    -- Increases by one with every committed change.
    version INTEGER NOT NULL CHECK (version >= 1),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- Due work is processed up to this instant.
    judged_at INTEGER NOT NULL,
    -- The next instant at which work is due; null if there is none.
    next_due_at INTEGER,
    -- When the next reminder is due; null if there is none.
    remind_at INTEGER,
    -- The on-duty user group. Its id stays when the group is gone.
    duty_group_id TEXT,
    -- Mention settings, in minutes. With a null reminder interval, people are notified once.
    mention_expires INTEGER NOT NULL DEFAULT 60,
    mention_reminds INTEGER,
    mention_single INTEGER NOT NULL DEFAULT 0 CHECK (mention_single IN (0, 1)),
    mention_rotates INTEGER NOT NULL DEFAULT 0 CHECK (mention_rotates IN (0, 1)),
    -- Kinds of warnings that are switched off, and the hours of rest that are wanted between two turns.
    warnings_off TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(warnings_off)),
    short_rest_hours INTEGER NOT NULL DEFAULT 11,
    -- What manages the rotation: the name of a file that its edits come from.
    managed_by TEXT,
    -- What absences mean for it, as the API shows it; null for the default.
    absence_policy TEXT CHECK (absence_policy IS NULL OR json_valid(absence_policy)),
    -- The weekly summary that channels get, {day, time, zone, channels}; null for none.
    summary TEXT CHECK (summary IS NULL OR json_valid(summary)),
    -- What becomes of missed turns, as the API shows it; null where they are lost.
    dealing TEXT CHECK (dealing IS NULL OR json_valid(dealing)),
    -- Where missed turns are traded, the turns that ended lately: [window, cell, user, when their covered time ended, when they
    -- were handed over or null]. Null means none.
    ended TEXT CHECK (ended IS NULL OR json_valid(ended))
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX rotation_by_code ON rotation (code) WHERE code IS NOT NULL;
CREATE INDEX rotation_due ON rotation (next_due_at, id) WHERE next_due_at IS NOT NULL;
CREATE INDEX rotation_reminder ON rotation (remind_at, id) WHERE remind_at IS NOT NULL;
CREATE INDEX rotation_by_duty_group ON rotation (duty_group_id, sequence) WHERE duty_group_id IS NOT NULL;
CREATE INDEX rotation_by_creation ON rotation (created_at, sequence);
CREATE INDEX rotation_by_name ON rotation (sort_name, sequence);

-- People who may administer a rotation.
CREATE TABLE rotation_owner (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    user_id TEXT NOT NULL REFERENCES person (id),
    PRIMARY KEY (rotation_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX rotation_owner_by_user ON rotation_owner (user_id, rotation_id);

-- Members who were added individually, in dealing order.
CREATE TABLE rotation_person (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    user_id TEXT NOT NULL REFERENCES person (id),
    PRIMARY KEY (rotation_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX rotation_person_by_user ON rotation_person (user_id, rotation_id);

-- User groups that a rotation follows. A group that no longer exists on the platform adds nobody.
CREATE TABLE rotation_group (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    group_id TEXT NOT NULL,
    PRIMARY KEY (rotation_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX rotation_group_by_group ON rotation_group (group_id, rotation_id);

-- Settings of each channel.
CREATE TABLE rotation_channel (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    channel_id TEXT NOT NULL,
    posts_messages INTEGER NOT NULL CHECK (posts_messages IN (0, 1)),
    syncs_topic INTEGER NOT NULL CHECK (syncs_topic IN (0, 1)),
    PRIMARY KEY (rotation_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX rotation_channel_by_topic ON rotation_channel (channel_id) WHERE syncs_topic;

-- Rows of the grid, in dealing order.
CREATE TABLE lane (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    -- Not shown while the lane is the only one.
    name TEXT,
    -- The caller's own handle.
    key TEXT,
    PRIMARY KEY (rotation_id, position)
) STRICT, WITHOUT ROWID;

-- Columns of the grid.
CREATE TABLE coverage_window (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    name TEXT,
    -- Null on a manual rotation.
    time_zone TEXT,
    -- A list of stretches; empty means the whole week.
    coverage TEXT NOT NULL CHECK (json_valid(coverage)),
    -- Null on a manual rotation.
    cadence TEXT CHECK (cadence IS NULL OR json_valid(cadence)),
    -- As of the last evaluation.
    is_open INTEGER NOT NULL CHECK (is_open IN (0, 1)),
    -- The caller's own handle.
    key TEXT,
    PRIMARY KEY (rotation_id, position)
) STRICT, WITHOUT ROWID;

-- One lane crossed with one window, and the current turn.
CREATE TABLE cell (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    -- Slot order: window by window, lanes in dealing order within each.
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    lane INTEGER NOT NULL,
    window INTEGER NOT NULL,
    -- Null means the common roster.
    roster_id TEXT,
    stopped INTEGER NOT NULL CHECK (stopped IN (0, 1)),
    holder_user_id TEXT,
    holder_since INTEGER,
    -- Absent people who were skipped when the turn was dealt.
    holder_skipped TEXT NOT NULL CHECK (json_valid(holder_skipped)),
    -- When the last arrangement over the cell ended and the dealt holder was back.
    arranged_until INTEGER,
    -- [user, cell] of people who were passed over because they are on call in another cell: when the turn was dealt or,
    -- while the slot is empty, in the last search. Null means nobody.
    passed_over TEXT CHECK (passed_over IS NULL OR json_valid(passed_over)),
    -- Whoever was announced last as on call: of those who take the cell over while its window is shut, only the one who has it
    -- when it opens is announced.
    announced_user_id TEXT,
    -- [owner, why]: whose own turn the holder has, and why. Null where missed turns were lost when it was dealt.
    holder_dealt TEXT CHECK (holder_dealt IS NULL OR json_valid(holder_dealt)),
    PRIMARY KEY (rotation_id, position),
    CHECK ((holder_user_id IS NULL) = (holder_since IS NULL))
) STRICT, WITHOUT ROWID;

-- Cells that a tier may stop.
CREATE INDEX cell_beyond_first_lane ON cell (rotation_id) WHERE lane > 0;

-- Rosters. The common roster has the empty id.
CREATE TABLE roster (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    -- { users, groups } as sent; null follows all members.
    narrowed TEXT CHECK (narrowed IS NULL OR json_valid(narrowed)),
    -- The position in the order that the next hand-over deals from, by the id of each window that deals from the roster.
    next_turns TEXT NOT NULL CHECK (json_valid(next_turns)),
    -- { credits, helped, trades } of those windows in which missed turns are traded, by their id. Null means none.
    books TEXT CHECK (books IS NULL OR json_valid(books)),
    PRIMARY KEY (rotation_id, position)
) STRICT, WITHOUT ROWID;

-- The record: a gapless chain of entries per cell. The running entry has no end.
CREATE TABLE history (
    id INTEGER PRIMARY KEY,
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    cell_id TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER CHECK (ended_at > started_at),
    -- Null if nobody was on call.
    user_id TEXT,
    -- The person's position in the roster when the entry began.
    turn INTEGER,
    reason TEXT NOT NULL,
    lane_id TEXT NOT NULL,
    lane_name TEXT,
    window_id TEXT NOT NULL,
    window_name TEXT,
    -- The window's hours at the time: { zone, alwaysOpen, coverage }.
    hours TEXT NOT NULL CHECK (json_valid(hours)),
    -- Absent people who were skipped when the turn was dealt.
    skipped TEXT NOT NULL CHECK (json_valid(skipped)),
    -- The arrangement of the entry; null for a dealt turn.
    arrangement_id TEXT,
    -- As in `cell`.
    passed_over TEXT CHECK (passed_over IS NULL OR json_valid(passed_over)),
    -- What somebody on call is called who is unknown here, on a partner's schedule.
    outside TEXT,
    -- A list of others who were on call in the cell at the same time. Null means nobody.
    beside TEXT CHECK (beside IS NULL OR json_valid(beside)),
    -- When the assignment began, a dealt turn or an arrangement, whether its hours were open or not. Null if nobody was on call,
    -- and on older records.
    held_since INTEGER,
    -- When the dealt turn began, also that of somebody whose hours are shut or beneath an arrangement. Null if there is none.
    turn_since INTEGER,
    -- Who did it by hand: [kind, id, name, in chat]. Null if it fell due.
    made_by TEXT CHECK (made_by IS NULL OR json_valid(made_by)),
    -- As `holder_dealt` in `cell`.
    dealt TEXT CHECK (dealt IS NULL OR json_valid(dealt))
) STRICT;
CREATE INDEX history_by_cell ON history (rotation_id, cell_id, started_at);
CREATE UNIQUE INDEX history_running ON history (rotation_id, cell_id) WHERE ended_at IS NULL;

-- The orders that turns were dealt from. An order is kept once for as long as its roster has it.
CREATE TABLE roster_order (
    id INTEGER PRIMARY KEY,
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    -- Null for the common roster.
    roster_id TEXT,
    -- The ids of its people, in their order.
    people TEXT NOT NULL CHECK (json_valid(people))
) STRICT;
CREATE INDEX roster_order_by_roster ON roster_order (rotation_id, roster_id);

-- What turns were dealt from, and searches that found nobody. Older turns have none, and those that somebody set by hand.
CREATE TABLE decision (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    cell_id TEXT NOT NULL,
    decided_at INTEGER NOT NULL,
    -- As in `history`.
    reason TEXT NOT NULL,
    -- Null if nobody was left.
    user_id TEXT,
    -- The `roster_order`. Not a reference: both go with the rotation.
    order_id INTEGER NOT NULL,
    -- The position in it from which the window dealt.
    next_turn INTEGER NOT NULL,
    -- The search: {a: [person, from, until, in a calendar]} for somebody absent, {e: [person, cell]} for somebody on call
    -- elsewhere, "d" and "l" where it began again with people on call elsewhere and for whoever is absent least. A person is a
    -- position in the order, or the id of somebody who is not in it. Null if whoever was next took the turn.
    steps TEXT CHECK (steps IS NULL OR json_valid(steps)),
    PRIMARY KEY (rotation_id, cell_id, decided_at)
) STRICT, WITHOUT ROWID;

-- When rotations stood still because they were disabled. One that still does has no row for it: it stands since judged_at.
CREATE TABLE standstill (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    since INTEGER NOT NULL,
    until INTEGER NOT NULL CHECK (until > since),
    PRIMARY KEY (rotation_id, since)
) STRICT, WITHOUT ROWID;

-- Absences. One without a rotation applies to all.
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

-- Gives a cell to a person for an interval, over the dealt turn.
CREATE TABLE arrangement (
    -- A creation counter.
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    -- The id stays when the cell is deleted.
    cell_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL CHECK (until_at > from_at),
    -- Starts at 1 and increases with every change of the row.
    revision INTEGER NOT NULL CHECK (revision >= 1),
    kind TEXT NOT NULL CHECK (kind IN ('directAssignment', 'acceptedCover', 'swapLeg')),
    cancelled INTEGER NOT NULL CHECK (cancelled IN (0, 1)),
    -- As of the last evaluation; null when over.
    stage TEXT CHECK (stage IN ('coming', 'running')),
    -- The request that created it; null for an assignment.
    request_id TEXT,
    -- The planned holders before it: { asOf, complete, segments }.
    snapshot TEXT NOT NULL CHECK (json_valid(snapshot)),
    -- [kind, from, until] of the turn that it takes over.
    turn_selection TEXT CHECK (turn_selection IS NULL OR json_valid(turn_selection)),
    -- Who agreed to it or assigned it, as in `history`. Null on older records.
    made_by TEXT CHECK (made_by IS NULL OR json_valid(made_by)),
    CHECK (NOT cancelled OR stage IS NULL)
) STRICT;
CREATE INDEX arrangement_live ON arrangement (rotation_id, from_at, id) WHERE stage IS NOT NULL;
CREATE INDEX arrangement_by_end ON arrangement (rotation_id, until_at);

-- Cover and swap requests.
CREATE TABLE request (
    -- A creation counter.
    sequence INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('cover', 'swap')),
    requester_id TEXT NOT NULL,
    -- Lists of user ids.
    recipients TEXT NOT NULL CHECK (json_valid(recipients)),
    declined TEXT NOT NULL CHECK (json_valid(declined)),
    -- From the start of the first leg to the end of the last one.
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL CHECK (until_at > from_at),
    -- The legs: a list of { key, cell, holder, assignee, from, until, arrangement }.
    legs TEXT NOT NULL CHECK (json_valid(legs)),
    reason TEXT NOT NULL,
    -- Like `arrangement.turn_selection`.
    turn_selection TEXT CHECK (turn_selection IS NULL OR json_valid(turn_selection)),
    -- Ids of the conflicts that were acknowledged on creation.
    acknowledged TEXT NOT NULL CHECK (json_valid(acknowledged)),
    -- Starts at 1 and increases with every change of the row.
    revision INTEGER NOT NULL CHECK (revision >= 1),
    state TEXT NOT NULL CHECK (state IN ('pending', 'accepted', 'declined', 'cancelled', 'expired', 'ended')),
    accepted_by TEXT
) STRICT;
CREATE INDEX request_pending ON request (rotation_id) WHERE state = 'pending';
CREATE INDEX request_by_end ON request (rotation_id, kind, until_at, sequence);

-- Writes with an operation id. A retry returns the stored response.
CREATE TABLE operation (
    credential TEXT NOT NULL,
    id TEXT NOT NULL,
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    -- SHA-256 of method, path and canonical body.
    body_hash BLOB NOT NULL CHECK (length(body_hash) = 32),
    -- The response.
    answer TEXT NOT NULL,
    etag TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (credential, id)
) STRICT, WITHOUT ROWID;
CREATE INDEX operation_by_creation ON operation (created_at);
CREATE INDEX operation_by_rotation ON operation (rotation_id);

-- Used idempotency keys, per credential. Never purged: a used key stays refused.
CREATE TABLE creation_key (
    credential TEXT NOT NULL,
    key TEXT NOT NULL,
    -- SHA-256 of the canonical body.
    body_hash BLOB NOT NULL,
    rotation_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (credential, key)
) STRICT, WITHOUT ROWID;

-- API keys. Only hashes of secrets are stored.
CREATE TABLE api_key (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
    -- A list of scope names.
    scopes TEXT NOT NULL CHECK (json_valid(scopes)),
    -- A list of rotation ids that the key is limited to; null means all.
    rotations TEXT CHECK (rotations IS NULL OR json_valid(rotations)),
    disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
    created_at INTEGER NOT NULL,
    expires_at INTEGER
) STRICT, WITHOUT ROWID;

-- Previous secrets of a key, each with the instant at which it expires.
CREATE TABLE api_key_outgoing (
    key_id TEXT NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
    secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (key_id, secret_hash)
) STRICT, WITHOUT ROWID;

-- Access tokens of chat members. Each token acts as one person.
CREATE TABLE member_token (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES person (id),
    secret_hash BLOB NOT NULL CHECK (length(secret_hash) = 32),
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    -- Set when its person is deactivated, and never taken back.
    disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX member_token_by_user ON member_token (user_id);

-- Webhook endpoints: destinations of events.
CREATE TABLE webhook (
    id TEXT PRIMARY KEY,
    -- A creation counter that orders lists.
    sequence INTEGER NOT NULL UNIQUE,
    name TEXT NOT NULL,
    -- The normalized URL that events are posted to.
    url TEXT NOT NULL,
    -- A list of event type names.
    event_types TEXT NOT NULL CHECK (json_valid(event_types)),
    -- Null while enabled.
    disabled_reason TEXT CHECK (disabled_reason IN ('manual', 'delivery_failures', 'plan_downgrade')),
    -- Since when deliveries are paused.
    disabled_at INTEGER,
    secret_id TEXT NOT NULL,
    -- The secret itself: signing needs it, so a hash is not enough.
    secret TEXT NOT NULL,
    secret_created_at INTEGER NOT NULL,
    -- The previous secret, which also signs until it expires.
    previous_id TEXT,
    previous_secret TEXT,
    previous_expires_at INTEGER,
    -- Increases with every visible change.
    version INTEGER NOT NULL CHECK (version >= 1),
    created_at INTEGER NOT NULL,
    updated_at INTEGER,
    -- The newest delivery at the last 2xx, enabling or URL change. Only the failure of a later delivery can disable the
    -- endpoint.
    healthy_at_sequence INTEGER NOT NULL,
    CHECK ((disabled_reason IS NULL) = (disabled_at IS NULL)),
    CHECK ((previous_id IS NULL) = (previous_secret IS NULL)),
    CHECK ((previous_id IS NULL) = (previous_expires_at IS NULL))
) STRICT, WITHOUT ROWID;

-- Deleted endpoints whose deliveries are still being purged, in batches.
CREATE TABLE webhook_removed (
    id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Events, as all their deliveries report them.
CREATE TABLE event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event_type TEXT NOT NULL,
    -- The id stays when the rotation is deleted.
    rotation_id TEXT NOT NULL,
    -- The body without its deliveryId. Never changed: retries must send the same bytes.
    body TEXT NOT NULL
) STRICT;

-- One event for one endpoint.
CREATE TABLE delivery (
    -- Commit order.
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    webhook_id TEXT NOT NULL,
    event_id INTEGER NOT NULL REFERENCES event (id),
    state TEXT NOT NULL CHECK (state = 'pending' OR state = 'delivered' OR state = 'exhausted' OR state = 'cancelled'),
    created_at INTEGER NOT NULL,
    -- Null while pending.
    ended_at INTEGER,
    -- What it waits for: its first attempt, a retry, or the end of the running attempt. Null when finished; a cancelled
    -- delivery may still have a running attempt.
    stage TEXT CHECK (stage = 'fresh' OR stage = 'retry' OR stage = 'wire'),
    -- When the next attempt is due, or when the running attempt was due. Null when finished.
    due_at INTEGER,
    -- No round begins after this. Time while the endpoint is disabled does not count.
    expires_at INTEGER NOT NULL,
    -- The round of the last attempt, or of the next one if it is due in the same round.
    round INTEGER NOT NULL CHECK (round >= 1),
    -- Attempts begun in this round.
    tries INTEGER NOT NULL,
    -- Attempts begun in total.
    attempts INTEGER NOT NULL,
    CHECK ((state = 'pending') = (ended_at IS NULL)),
    CHECK (state <> 'pending' OR stage IS NOT NULL),
    CHECK (state = 'pending' OR stage IS NULL OR stage = 'wire'),
    CHECK ((state = 'pending') = (due_at IS NOT NULL))
) STRICT;
CREATE INDEX delivery_fresh ON delivery (webhook_id, sequence) WHERE stage = 'fresh';
CREATE INDEX delivery_retry ON delivery (webhook_id, due_at, sequence) WHERE stage = 'retry';
CREATE INDEX delivery_by_webhook ON delivery (webhook_id, sequence);
-- For filters on rare states. Few indexes, because an attempt updates each of them at every step.
CREATE INDEX delivery_undelivered ON delivery (webhook_id, state, sequence) WHERE state <> 'delivered';
CREATE INDEX delivery_by_event ON delivery (event_id);
CREATE INDEX delivery_ended ON delivery (ended_at) WHERE ended_at IS NOT NULL;

-- Attempts: what was sent, and the response.
CREATE TABLE attempt (
    delivery INTEGER NOT NULL REFERENCES delivery (sequence) ON DELETE CASCADE,
    -- From 1.
    number INTEGER NOT NULL CHECK (number >= 1),
    at INTEGER NOT NULL,
    round INTEGER NOT NULL,
    total_rounds INTEGER NOT NULL,
    -- A list of [name, value], as sent.
    headers TEXT NOT NULL CHECK (json_valid(headers)),
    -- Null while the attempt is running.
    outcome TEXT CHECK (outcome = 'delivered' OR outcome = 'failed' OR outcome = 'no_response'),
    status INTEGER,
    error TEXT,
    -- In real time; null if no request was made.
    duration_ms INTEGER,
    -- The beginning of the response body; null without a response.
    snippet TEXT,
    truncated INTEGER NOT NULL CHECK (truncated IN (0, 1)),
    retry_after_seconds INTEGER,
    PRIMARY KEY (delivery, number)
) STRICT, WITHOUT ROWID;

-- Chat messages. On the local platform these are the posted messages.
CREATE TABLE message (
    -- Commit order.
    sequence INTEGER PRIMARY KEY AUTOINCREMENT,
    -- The id stays when the rotation is deleted. Empty for a message about all rotations.
    rotation_id TEXT NOT NULL,
    recipient_kind TEXT NOT NULL CHECK (recipient_kind IN ('channel', 'person')),
    recipient_id TEXT NOT NULL,
    -- The message as data: content by `kind`, subject, offered answers, and names of people.
    body TEXT NOT NULL CHECK (json_valid(body)),
    created_at INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state = 'pending' OR state = 'sent' OR state = 'dropped'),
    -- When it is due, or due again; null unless pending.
    due_at INTEGER,
    -- When the message expires; null means after a day.
    until_at INTEGER,
    -- Failed attempts.
    tries INTEGER NOT NULL,
    -- The last error, of this message or of an earlier one to the same recipient. Of a sent message: why it does not show
    -- what came of its question; null if nothing failed.
    error TEXT,
    -- When it was sent or dropped.
    ended_at INTEGER,
    -- The platform's reference to the sent message, for updates.
    reference TEXT,
    -- The id of the request or mention that it is about; null for messages about a rotation.
    subject_id TEXT,
    CHECK ((state = 'pending') = (due_at IS NOT NULL)),
    CHECK ((state = 'pending') = (ended_at IS NULL)),
    CHECK (reference IS NULL OR state = 'sent')
) STRICT;
CREATE INDEX message_due ON message (due_at, sequence) WHERE state = 'pending';
CREATE INDEX message_waiting ON message (recipient_kind, recipient_id, due_at) WHERE state = 'pending';
-- Messages that were not sent, or not on the first attempt. Few indexes, because each message updates them twice.
CREATE INDEX message_trouble ON message (rotation_id, sequence) WHERE error IS NOT NULL;
-- The messages of one request or mention are a thread.
CREATE INDEX message_by_subject ON message (subject_id, sequence) WHERE subject_id IS NOT NULL;
-- Reactions name the message that asked something.
CREATE INDEX message_by_reference ON message (reference) WHERE reference IS NOT NULL AND subject_id IS NOT NULL;
CREATE INDEX message_by_recipient ON message (recipient_kind, recipient_id, sequence);
CREATE INDEX message_by_rotation ON message (rotation_id, sequence);

-- How messages are sent on: to a person's mail address or push server, or to a channel's incoming webhook. A message that only
-- the inbox or the platform shows has no row.
CREATE TABLE message_relay (
    sequence INTEGER NOT NULL REFERENCES message (sequence) ON DELETE CASCADE,
    way TEXT NOT NULL CHECK (way = 'mail' OR way = 'incomingWebhook' OR way = 'push'),
    -- The channel of an incoming webhook; null for the others.
    channel_id TEXT,
    state TEXT NOT NULL CHECK (state = 'pending' OR state = 'sent' OR state = 'dropped'),
    -- When the next try is due; null unless pending.
    due_at INTEGER,
    -- Failed tries.
    tries INTEGER NOT NULL,
    -- The last error; null once sent.
    error TEXT,
    -- When it was sent or dropped.
    ended_at INTEGER,
    PRIMARY KEY (sequence, way),
    CHECK ((way = 'incomingWebhook') = (channel_id IS NOT NULL)),
    CHECK ((state = 'pending') = (due_at IS NOT NULL)),
    CHECK ((state = 'pending') = (ended_at IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX message_relay_due ON message_relay (due_at) WHERE state = 'pending';
CREATE INDEX message_relay_waiting ON message_relay (way, channel_id, due_at, sequence) WHERE state = 'pending';

-- Messages that were posted with buttons and are to show what came of the question, on a platform that people see.
CREATE TABLE message_update (
    sequence INTEGER PRIMARY KEY REFERENCES message (sequence) ON DELETE CASCADE,
    -- Not a reference: whose state shows why it waits.
    rotation_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    -- Counts requests, so that one made during an update is not lost.
    calls INTEGER NOT NULL,
    -- Failed tries, and the last error.
    tries INTEGER NOT NULL,
    error TEXT
) STRICT;
CREATE INDEX message_update_due ON message_update (due_at);

-- The told plan: what people were last told of their own shifts. A rotation without a row has not been looked at yet.
CREATE TABLE told_plan (
    rotation_id TEXT PRIMARY KEY REFERENCES rotation (id) ON DELETE CASCADE,
    -- The time that it covers.
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    -- The stretches, packed; null until somebody is in a plan for the first time.
    stretches BLOB,
    -- The last message at that time. Later ones may have told people of duty that they gained.
    message_sequence INTEGER NOT NULL,
    -- When people were told last that shifts moved, by the system's clock, and a list of their ids; null if nobody was yet.
    told_at INTEGER,
    told TEXT CHECK (told IS NULL OR json_valid(told)),
    CHECK ((told_at IS NULL) = (told IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX told_plan_by_age ON told_plan (from_at);

-- Rotations that were changed since, so that people may have to be told. Every write of that kind changes one row.
CREATE TABLE pending_notice (
    rotation_id TEXT PRIMARY KEY REFERENCES rotation (id) ON DELETE CASCADE,
    -- The first and the last write, by the system's clock.
    first_at INTEGER NOT NULL,
    last_at INTEGER NOT NULL,
    -- How many writes.
    marks INTEGER NOT NULL,
    -- Who made them, each once: lines of [kind, id, name].
    actors TEXT NOT NULL,
    -- What the last three changed, newest first.
    reason TEXT NOT NULL CHECK (json_valid(reason)),
    reason_before TEXT CHECK (reason_before IS NULL OR json_valid(reason_before)),
    reason_before_that TEXT CHECK (reason_before_that IS NULL OR json_valid(reason_before_that)),
    -- The parts of covers and swaps whose people have messages of their own, a line each.
    told_otherwise TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What people chose to be mailed. People without a row have the default.
CREATE TABLE notification_preference (
    user_id TEXT PRIMARY KEY REFERENCES person (id),
    mail INTEGER NOT NULL CHECK (mail IN (0, 1)),
    -- The kinds of messages that are not mailed. A kind that comes with a later version is not among them.
    unwanted TEXT NOT NULL CHECK (json_valid(unwanted))
) STRICT, WITHOUT ROWID;

-- What is looked at when its time comes, beside what falls due in rotations.
CREATE TABLE agenda (
    errand TEXT NOT NULL CHECK (errand IN ('reminders', 'summary', 'weekAhead', 'invitations')),
    -- The id of the rotation or the person that it is about. Not a reference: an entry about nothing goes when it is due.
    subject_id TEXT NOT NULL,
    -- What fell due up to this instant has been dealt with.
    done_until INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    -- Counts changes of what it depends on, so that none is lost that was made while it was looked at.
    revision INTEGER NOT NULL,
    PRIMARY KEY (errand, subject_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX agenda_due ON agenda (due_at, errand, subject_id);

-- How long before their turns people want to be reminded, where they do not follow the server.
CREATE TABLE reminder_preference (
    user_id TEXT PRIMARY KEY REFERENCES person (id),
    -- A list of durations as they were written.
    leads TEXT NOT NULL CHECK (json_valid(leads))
) STRICT, WITHOUT ROWID;

-- When people want the summary of their next days.
CREATE TABLE summary_preference (
    user_id TEXT PRIMARY KEY REFERENCES person (id),
    -- 0 for Monday.
    day INTEGER NOT NULL CHECK (day BETWEEN 0 AND 6),
    -- HH:mm in the zone of the person.
    time TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Where messages to people are published as push.
CREATE TABLE push_target (
    user_id TEXT PRIMARY KEY REFERENCES person (id),
    -- The address of a topic. A secret: no answer but the person's own, no entry and no line of the log has it.
    url TEXT NOT NULL,
    -- The access token. A secret that no answer has.
    token TEXT
) STRICT, WITHOUT ROWID;

-- What failed last of what was sent to people.
CREATE TABLE notification_failure (
    user_id TEXT PRIMARY KEY REFERENCES person (id),
    way TEXT NOT NULL CHECK (way IN ('mail', 'push', 'invitations')),
    at INTEGER NOT NULL,
    error TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- People who want their turns as invitations by mail, and those who did.
CREATE TABLE invitee (
    user_id TEXT PRIMARY KEY REFERENCES person (id),
    wanted INTEGER NOT NULL CHECK (wanted IN (0, 1)),
    -- When the latest letters were sent, oldest first: as many as may be within a minute.
    recent TEXT NOT NULL CHECK (json_valid(recent))
) STRICT, WITHOUT ROWID;

-- Turns as invitations by mail: what each is, and what the last letter said of it.
CREATE TABLE turn_invitation (
    user_id TEXT NOT NULL REFERENCES person (id),
    -- The slot. Neither it nor the rotation is a reference: turns of what is deleted are called off.
    cell_id TEXT NOT NULL,
    start_at INTEGER NOT NULL,
    rotation_id TEXT NOT NULL,
    summary TEXT NOT NULL,
    -- When it ends; null where the person does not have it any more.
    end_at INTEGER,
    -- The end in the last letter; null where that called it off, and where none was sent to the address that the person has.
    told_end_at INTEGER,
    -- The end in the last letter that had one.
    last_end_at INTEGER,
    -- Whether the last letter may not have been sent.
    is_unsure INTEGER NOT NULL CHECK (is_unsure IN (0, 1)),
    -- How many letters there were: the number of the next one.
    letters INTEGER NOT NULL,
    -- Since when a letter waits, when its next try is due (null where none waits), and how many failed.
    waits_since INTEGER,
    due_at INTEGER,
    tries INTEGER NOT NULL,
    PRIMARY KEY (user_id, start_at, cell_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX turn_invitation_due ON turn_invitation (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX turn_invitation_by_rotation ON turn_invitation (rotation_id, start_at);
CREATE INDEX turn_invitation_by_start ON turn_invitation (start_at);

-- What people are called behind the incoming webhooks of channels, from the directory file.
CREATE TABLE person_handle (
    user_id TEXT NOT NULL REFERENCES person (id),
    channel_id TEXT NOT NULL,
    -- Without the `@`.
    handle TEXT NOT NULL,
    PRIMARY KEY (user_id, channel_id)
) STRICT, WITHOUT ROWID;

-- Channels whose topic names whoever is on call.
CREATE TABLE channel_topic (
    channel_id TEXT PRIMARY KEY,
    -- What rota wrote last; null if nothing yet.
    written TEXT,
    -- What rota was writing when the result was lost.
    writing TEXT,
    -- The topic before rota's; null if there was none.
    before TEXT,
    -- When the next sync is due; null if nothing has changed since the last one.
    due_at INTEGER,
    -- Counts sync requests.
    calls INTEGER NOT NULL,
    -- Failed attempts since the last successful sync, and the last error.
    tries INTEGER NOT NULL,
    error TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX channel_topic_due ON channel_topic (due_at) WHERE due_at IS NOT NULL;

-- On-duty user groups.
CREATE TABLE duty_group (
    group_id TEXT PRIMARY KEY,
    -- Whether rota created it. An adopted group is not emptied if the platform has no empty groups.
    is_own INTEGER NOT NULL CHECK (is_own IN (0, 1)),
    -- A list of the people whom rota added.
    placed TEXT NOT NULL CHECK (json_valid(placed)),
    -- Whether rota disabled the group because nobody is on call.
    disabled INTEGER NOT NULL CHECK (disabled IN (0, 1)),
    -- Like the columns of a channel's topic.
    due_at INTEGER,
    calls INTEGER NOT NULL,
    tries INTEGER NOT NULL,
    error TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX duty_group_due ON duty_group (due_at) WHERE due_at IS NOT NULL;

-- Mentions of whoever is on call.
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
    -- When the next notice is due; null if there is none.
    remind_at INTEGER,
    closed_at INTEGER,
    -- The settings when it was opened: [expires, reminds, single, rotates].
    settings TEXT NOT NULL CHECK (json_valid(settings)),
    -- When the mention next needs processing; null once closed.
    due_at INTEGER,
    -- The thread of the channel that it came from, as the platform names it.
    thread TEXT,
    CHECK ((state = 'open') = (closed_at IS NULL)),
    CHECK ((state = 'open') = (due_at IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX mention_due ON mention (due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX mention_by_rotation ON mention (rotation_id, opened_at);
CREATE INDEX mention_closed ON mention (closed_at) WHERE closed_at IS NOT NULL;

-- People who have opened the app's home tab in Slack. Whoever opened it within a day is shown changes.
CREATE TABLE slack_home (
    user_id TEXT PRIMARY KEY REFERENCES person (id),
    opened_at INTEGER NOT NULL,
    -- SHA-256 of what was last published to them; null if that is not known.
    published BLOB CHECK (published IS NULL OR length(published) = 32)
) STRICT, WITHOUT ROWID;
CREATE INDEX slack_home_opened ON slack_home (opened_at);

-- Inbound webhooks, one per rotation.
CREATE TABLE inbound_webhook (
    rotation_id TEXT PRIMARY KEY REFERENCES rotation (id) ON DELETE CASCADE,
    -- The last part of the URL.
    path TEXT NOT NULL UNIQUE,
    -- Stored as is, because people who manage webhooks can read it.
    access_key TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Signing in to the pages.

-- Sessions of people who have signed in.
CREATE TABLE session (
    id TEXT PRIMARY KEY,
    -- SHA-256 of the secret in the cookie.
    secret_hash BLOB NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
    user_id TEXT NOT NULL REFERENCES person (id),
    -- How the person signed in: link, token, development, oidc.
    way TEXT NOT NULL,
    -- The member token that it began with, and ends with.
    token_id TEXT REFERENCES member_token (id) ON DELETE CASCADE,
    -- The issuer of the identity that it began with, and the mail address that the issuer had verified.
    issuer TEXT,
    email TEXT,
    -- Whether the session makes the person a workspace administrator, whatever the directory says.
    is_admin INTEGER NOT NULL CHECK (is_admin IN (0, 1)),
    created_at INTEGER NOT NULL,
    -- The last use, noted at most once an hour.
    used_at INTEGER NOT NULL,
    -- What the browser calls itself.
    agent TEXT,
    CHECK ((way = 'token') = (token_id IS NOT NULL)),
    CHECK ((way = 'oidc') = (issuer IS NOT NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX session_by_user ON session (user_id, created_at);
CREATE INDEX session_by_use ON session (used_at);
CREATE INDEX session_by_token ON session (token_id) WHERE token_id IS NOT NULL;

-- Links that sign a person in once.
CREATE TABLE login_link (
    -- SHA-256 of the secret in the address.
    secret_hash BLOB PRIMARY KEY CHECK (length(secret_hash) = 32),
    user_id TEXT NOT NULL REFERENCES person (id),
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX login_link_by_user ON login_link (user_id);
CREATE INDEX login_link_by_expiry ON login_link (expires_at);

-- People to whom a link that signs them in once is still to be mailed. Its secret is made when it is mailed, so that it is
-- stored nowhere.
CREATE TABLE invitation (
    user_id TEXT PRIMARY KEY REFERENCES person (id),
    created_at INTEGER NOT NULL,
    -- When the next try is due.
    due_at INTEGER NOT NULL,
    -- Failed tries, and the last error.
    tries INTEGER NOT NULL,
    error TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX invitation_due ON invitation (due_at);

-- Who people are at an identity provider.
CREATE TABLE identity (
    issuer TEXT NOT NULL,
    -- Names the person at the issuer, for ever.
    sub TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES person (id),
    linked_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, sub)
) STRICT, WITHOUT ROWID;
-- One identity of an issuer for each person.
CREATE UNIQUE INDEX identity_by_user ON identity (user_id, issuer);

-- What people chose for the pages.
CREATE TABLE preference (
    user_id TEXT PRIMARY KEY REFERENCES person (id),
    -- Null follows the directory.
    time_zone TEXT
) STRICT, WITHOUT ROWID;

-- Boards: pages that show who is on call to whoever has their address.
CREATE TABLE board (
    id TEXT PRIMARY KEY,
    -- SHA-256 of the secret in the address.
    secret_hash BLOB NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
    title TEXT NOT NULL,
    -- A list of rotation ids, in the order in which they are shown. They stay when a rotation is deleted.
    rotations TEXT NOT NULL CHECK (json_valid(rotations)),
    -- The zone of its times.
    time_zone TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX board_by_creation ON board (created_at, id);

-- Addresses at which calendar programs read who is on duty.
CREATE TABLE calendar_feed (
    id TEXT PRIMARY KEY,
    -- SHA-256 of the secret in the address.
    secret_hash BLOB NOT NULL UNIQUE CHECK (length(secret_hash) = 32),
    -- Whose turns it shows; NULL for everybody's in the rotation.
    user_id TEXT,
    -- The rotation that it is limited to. It stays when the rotation is deleted.
    rotation_id TEXT,
    name TEXT,
    -- A list of minutes before the beginning of an event.
    alarms TEXT NOT NULL CHECK (json_valid(alarms)),
    -- The person who made it; NULL for an API key.
    created_by TEXT,
    created_at INTEGER NOT NULL,
    -- A digest of what the last reading that found a change showed, how many changes readings have found, and when that was.
    state BLOB CHECK (length(state) = 32),
    sequence INTEGER NOT NULL DEFAULT 0,
    changed_at INTEGER NOT NULL,
    -- Since when the rotation has been gone, or hidden from whoever it speaks for, and its name then; NULL while it is seen.
    gone_at INTEGER,
    gone_name TEXT,
    CHECK (user_id IS NOT NULL OR rotation_id IS NOT NULL)
) STRICT, WITHOUT ROWID;
CREATE INDEX calendar_feed_by_creation ON calendar_feed (created_at, id);
CREATE INDEX calendar_feed_by_maker ON calendar_feed (created_by);
CREATE INDEX calendar_feed_by_user ON calendar_feed (user_id);
CREATE INDEX calendar_feed_by_rotation ON calendar_feed (rotation_id) WHERE rotation_id IS NOT NULL;

-- Calendars of people, whose events become absences.
CREATE TABLE personal_calendar (
    id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL REFERENCES person (id),
    -- A secret: no answer, entry or line of the log has it.
    address TEXT NOT NULL,
    name TEXT,
    counts TEXT NOT NULL CHECK (counts IN ('outOfOffice', 'busy', 'all')),
    -- A list; NULL for the usual ones.
    words TEXT CHECK (words IS NULL OR json_valid(words)),
    created_at INTEGER NOT NULL,
    -- Rises with each change and each reading: a reading that began before one is not applied.
    revision INTEGER NOT NULL DEFAULT 0,
    -- Validators of the body that was read last.
    etag TEXT,
    last_modified TEXT,
    -- The last reading that succeeded, and the last one with a body.
    read_at INTEGER,
    whole_at INTEGER,
    -- Readings that have failed since, and what is wrong.
    failures INTEGER NOT NULL DEFAULT 0,
    error TEXT,
    -- Whether it has not been readable for so long that nothing of it counts.
    is_unknown INTEGER NOT NULL DEFAULT 0 CHECK (is_unknown IN (0, 1)),
    -- When it is read next, and whether somebody has asked for it before.
    due_at INTEGER NOT NULL,
    is_asked INTEGER NOT NULL CHECK (is_asked IN (0, 1))
) STRICT, WITHOUT ROWID;
CREATE INDEX personal_calendar_by_user ON personal_calendar (user_id, created_at, id);
CREATE INDEX personal_calendar_by_due ON personal_calendar (due_at);
CREATE INDEX personal_calendar_asked ON personal_calendar (id) WHERE is_asked = 1;
CREATE INDEX personal_calendar_unknown ON personal_calendar (user_id) WHERE is_unknown = 1;

-- Absences that calendars of people have, as they were last read.
CREATE TABLE mirrored_absence (
    calendar_id TEXT NOT NULL REFERENCES personal_calendar (id) ON DELETE CASCADE,
    -- In order of their beginning.
    position INTEGER NOT NULL,
    user_id TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL CHECK (until_at > from_at),
    -- The summary of the event. Only the person and workspace admins see it.
    reason TEXT,
    PRIMARY KEY (calendar_id, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX mirrored_absence_by_user ON mirrored_absence (user_id, until_at);

-- Who changed what, by the instant. Entries are never rewritten.
CREATE TABLE audit (
    at INTEGER NOT NULL,
    -- Counts the entries of one instant.
    sequence INTEGER NOT NULL,
    id TEXT NOT NULL,
    actor_kind TEXT NOT NULL
        CHECK (actor_kind IN ('key', 'person', 'inboundWebhook', 'chat', 'partner', 'clock', 'operator')),
    actor_id TEXT,
    -- The name at the time.
    actor_name TEXT,
    -- The operationId of the API, the command, or what the clock does.
    action TEXT NOT NULL,
    -- Not a reference: the entry outlives the rotation.
    rotation_id TEXT,
    -- The id of what changed.
    subject TEXT,
    request_id TEXT,
    address TEXT,
    summary TEXT NOT NULL,
    PRIMARY KEY (at, sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX audit_by_kind ON audit (actor_kind, at, sequence);
CREATE INDEX audit_by_actor ON audit (actor_id, at, sequence) WHERE actor_id IS NOT NULL;
CREATE INDEX audit_by_action ON audit (action, at, sequence);
CREATE INDEX audit_by_rotation ON audit (rotation_id, at, sequence) WHERE rotation_id IS NOT NULL;

-- What is known of a partner's schedule that rotations follow.
CREATE TABLE external_schedule (
    partner TEXT NOT NULL,
    -- The partner's id.
    schedule_id TEXT NOT NULL,
    name TEXT NOT NULL,
    -- A city; null where the partner's zone is none.
    time_zone TEXT,
    -- { known, answered, rotations, shifts } of the last successful reading; null before it.
    timeline TEXT CHECK (timeline IS NULL OR json_valid(timeline)),
    -- A list of the partner's ids of the people who take turns, in the partner's order.
    participants TEXT NOT NULL CHECK (json_valid(participants)),
    -- [id, name, email] of the partner's people.
    people TEXT NOT NULL CHECK (json_valid(people)),
    read_at INTEGER,
    failed_at INTEGER,
    -- Why the newest reading failed; null if it did not.
    failure TEXT,
    -- Failed readings since the last successful one.
    failures INTEGER NOT NULL,
    PRIMARY KEY (partner, schedule_id)
) STRICT, WITHOUT ROWID;

-- The schedule that a rotation follows.
CREATE TABLE rotation_external (
    rotation_id TEXT PRIMARY KEY REFERENCES rotation (id) ON DELETE CASCADE,
    -- Null while no schedule is linked.
    partner TEXT,
    schedule_id TEXT,
    -- The assignments as last evaluated: a list of shifts.
    current TEXT NOT NULL CHECK (json_valid(current)),
    CHECK ((partner IS NULL) = (schedule_id IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX rotation_external_by_schedule ON rotation_external (partner, schedule_id);

-- Who a partner's people are here, where somebody said so.
CREATE TABLE external_identity (
    partner TEXT NOT NULL,
    -- The partner's id of the person.
    participant_id TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES person (id),
    PRIMARY KEY (partner, participant_id)
) STRICT, WITHOUT ROWID;

-- What Slack and Matrix sent. It is stored before it is acknowledged, so that it is neither lost nor done twice.
CREATE TABLE chat_envelope (
    -- The event id, or the trigger id and the SHA-256 of the payload: the same when it is sent again.
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('slash_commands', 'interactive', 'events_api', 'matrix')),
    -- The payload; NULL once it is processed.
    body TEXT CHECK (body IS NULL OR json_valid(body)),
    received_at INTEGER NOT NULL,
    -- Until when it is answered, by the system's clock.
    answer_until INTEGER NOT NULL,
    processed_at INTEGER,
    -- What came of it: one word; NULL until it is processed.
    outcome TEXT,
    CHECK ((processed_at IS NULL) = (body IS NOT NULL)),
    CHECK ((processed_at IS NULL) = (outcome IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX chat_envelope_open ON chat_envelope (received_at, id) WHERE processed_at IS NULL;
CREATE INDEX chat_envelope_processed ON chat_envelope (received_at) WHERE processed_at IS NOT NULL;

-- What people in Matrix were asked to confirm before it is sent.
CREATE TABLE matrix_draft (
    -- The event of the message that asks.
    event_id TEXT PRIMARY KEY,
    room_id TEXT NOT NULL,
    user_id TEXT NOT NULL REFERENCES person (id),
    -- What is to be sent.
    body TEXT NOT NULL CHECK (json_valid(body)),
    -- Our reactions below the message, which are taken away when it is over.
    reactions TEXT NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX matrix_draft_expiry ON matrix_draft (expires_at);

-- Changes of rotations that are applied later, and those that have ended.
CREATE TABLE staged_change (
    id TEXT PRIMARY KEY,
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    -- In the order made, within the rotation.
    sequence INTEGER NOT NULL,
    at INTEGER NOT NULL,
    note TEXT,
    -- The edits as they were sent.
    body TEXT NOT NULL CHECK (json_valid(body)),
    state TEXT NOT NULL CHECK (state IN ('waiting', 'applied', 'failed', 'cancelled')),
    managed_by TEXT,
    -- Who made it.
    made_by TEXT NOT NULL CHECK (json_valid(made_by)),
    created_at INTEGER NOT NULL,
    applied_at INTEGER,
    -- When it was applied, failed or was cancelled.
    ended_at INTEGER,
    -- Why it failed: [kind, path, text].
    problem TEXT CHECK (problem IS NULL OR json_valid(problem)),
    revision INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX staged_change_by_rotation ON staged_change (rotation_id, at, sequence);
CREATE INDEX staged_change_waiting ON staged_change (rotation_id, at, sequence) WHERE state = 'waiting';
CREATE INDEX staged_change_by_end ON staged_change (ended_at) WHERE ended_at IS NOT NULL;
