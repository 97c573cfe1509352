-- A next turn for each window that deals from a roster.
ALTER TABLE roster RENAME TO roster_7;

CREATE TABLE roster (
    rotation_id TEXT NOT NULL REFERENCES rotation (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    id TEXT NOT NULL,
    narrowed TEXT CHECK (narrowed IS NULL OR json_valid(narrowed)),
    next_turns TEXT NOT NULL CHECK (json_valid(next_turns)),
    PRIMARY KEY (rotation_id, position)
) STRICT, WITHOUT ROWID;
INSERT INTO roster (rotation_id, position, id, narrowed, next_turns)
    SELECT rotation_id, position, id, narrowed,
        (SELECT json_group_object(w.id, r.next_turn) FROM coverage_window w
         WHERE w.rotation_id = r.rotation_id AND EXISTS (SELECT 1 FROM cell c
             WHERE c.rotation_id = w.rotation_id AND c.window = w.position AND coalesce(c.roster_id, '') = r.id))
    FROM roster_7 r;

DROP TABLE roster_7;

-- People who were passed over because they are on call in another cell.
ALTER TABLE cell ADD COLUMN passed_over TEXT CHECK (passed_over IS NULL OR json_valid(passed_over));
ALTER TABLE history ADD COLUMN passed_over TEXT CHECK (passed_over IS NULL OR json_valid(passed_over));

-- Whoever was announced last as on call. Until now that was whoever holds the cell, also where the window is shut.
ALTER TABLE cell ADD COLUMN announced_user_id TEXT;
UPDATE cell SET announced_user_id = coalesce(
        (SELECT a.user_id FROM arrangement a
         WHERE a.rotation_id = cell.rotation_id AND a.cell_id = cell.id AND a.stage = 'running'),
        holder_user_id)
    WHERE stopped = 0;

-- The handles of lanes and windows.
ALTER TABLE lane ADD COLUMN key TEXT;
ALTER TABLE coverage_window ADD COLUMN key TEXT;

-- Who changed what.
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

-- Tokens of people who have left do not come back with them.
ALTER TABLE member_token ADD COLUMN disabled INTEGER NOT NULL DEFAULT 0 CHECK (disabled IN (0, 1));
UPDATE member_token SET disabled = 1 WHERE user_id IN (SELECT id FROM person WHERE is_deleted = 1);
CREATE INDEX member_token_by_user ON member_token (user_id);

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
-- What messages are about, and lists of them by recipient and by rotation.
ALTER TABLE message ADD COLUMN subject_id TEXT;
UPDATE message SET subject_id = coalesce(json_extract(body, '$.request'), json_extract(body, '$.mention'))
    WHERE json_extract(body, '$.request') IS NOT NULL OR json_extract(body, '$.mention') IS NOT NULL;
-- The messages of one request or mention are a thread.
CREATE INDEX message_by_subject ON message (subject_id, sequence) WHERE subject_id IS NOT NULL;
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

-- Rotations that follow a schedule of a partner.
ALTER TABLE history ADD COLUMN outside TEXT;
ALTER TABLE history ADD COLUMN beside TEXT CHECK (beside IS NULL OR json_valid(beside));

-- When assignments and turns of the record began, and who did a thing by hand.
ALTER TABLE history ADD COLUMN held_since INTEGER;
ALTER TABLE history ADD COLUMN turn_since INTEGER;
ALTER TABLE history ADD COLUMN made_by TEXT CHECK (made_by IS NULL OR json_valid(made_by));
ALTER TABLE arrangement ADD COLUMN made_by TEXT CHECK (made_by IS NULL OR json_valid(made_by));

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

-- The thread of the channel that a mention came from.
ALTER TABLE mention ADD COLUMN thread TEXT;

-- People who have opened the app's home tab in Slack. Whoever opened it within a day is shown changes.
CREATE TABLE slack_home (
    user_id TEXT PRIMARY KEY REFERENCES person (id),
    opened_at INTEGER NOT NULL,
    -- SHA-256 of what was last published to them; null if that is not known.
    published BLOB CHECK (published IS NULL OR length(published) = 32)
) STRICT, WITHOUT ROWID;
CREATE INDEX slack_home_opened ON slack_home (opened_at);

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

-- Reactions name the message that asked something.
CREATE INDEX message_by_reference ON message (reference) WHERE reference IS NOT NULL AND subject_id IS NOT NULL;

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

-- People who are away by their status in chat, as the platform last said.
CREATE TABLE chat_away (
    user_id TEXT PRIMARY KEY REFERENCES person (id),
    -- When the status ends; null if it has no end.
    until_at INTEGER
) STRICT, WITHOUT ROWID;

-- Which warnings about its plan a rotation wants.
ALTER TABLE rotation ADD COLUMN warnings_off TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(warnings_off));
ALTER TABLE rotation ADD COLUMN short_rest_hours INTEGER NOT NULL DEFAULT 11;
-- What manages a rotation: the name of a file that its edits come from.
ALTER TABLE rotation ADD COLUMN managed_by TEXT;
-- What absences mean for a rotation, as the API shows it; null for the default.
ALTER TABLE rotation ADD COLUMN absence_policy TEXT CHECK (absence_policy IS NULL OR json_valid(absence_policy));
-- The weekly summary that channels get, {day, time, zone, channels}; null for none.
ALTER TABLE rotation ADD COLUMN summary TEXT CHECK (summary IS NULL OR json_valid(summary));

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

-- People, user groups and channels from other sources than a file; what is known of people beside what a chat platform says.
ALTER TABLE person ADD COLUMN handle TEXT;
ALTER TABLE person ADD COLUMN source TEXT NOT NULL DEFAULT 'file';
ALTER TABLE person ADD COLUMN zone_is_own INTEGER NOT NULL DEFAULT 0;
ALTER TABLE person ADD COLUMN phone TEXT;
CREATE INDEX person_by_handle ON person (handle COLLATE NOCASE) WHERE handle IS NOT NULL;
CREATE INDEX person_by_source ON person (source, id);
CREATE INDEX person_admin ON person (id) WHERE is_admin;
ALTER TABLE user_group ADD COLUMN source TEXT NOT NULL DEFAULT 'file';
CREATE INDEX user_group_by_source ON user_group (source, id);
ALTER TABLE channel ADD COLUMN source TEXT NOT NULL DEFAULT 'file';
UPDATE person SET source = 'slack' WHERE EXISTS (SELECT 1 FROM meta WHERE name = 'chat_platform' AND value = 'slack');
UPDATE user_group SET source = 'slack' WHERE EXISTS (SELECT 1 FROM meta WHERE name = 'chat_platform' AND value = 'slack');
UPDATE channel SET source = 'slack' WHERE EXISTS (SELECT 1 FROM meta WHERE name = 'chat_platform' AND value = 'slack');

-- When records were made and last changed. Of those that are there nobody knows it.
ALTER TABLE person ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE person ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE user_group ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE user_group ADD COLUMN changed_at INTEGER NOT NULL DEFAULT 0;
UPDATE person SET created_at = unixepoch() * 1000, changed_at = unixepoch() * 1000;
UPDATE user_group SET created_at = unixepoch() * 1000, changed_at = unixepoch() * 1000;

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

-- Missed turns that are traded.
ALTER TABLE rotation ADD COLUMN dealing TEXT CHECK (dealing IS NULL OR json_valid(dealing));
ALTER TABLE rotation ADD COLUMN ended TEXT CHECK (ended IS NULL OR json_valid(ended));
ALTER TABLE roster ADD COLUMN books TEXT CHECK (books IS NULL OR json_valid(books));
ALTER TABLE cell ADD COLUMN holder_dealt TEXT CHECK (holder_dealt IS NULL OR json_valid(holder_dealt));
ALTER TABLE history ADD COLUMN dealt TEXT CHECK (dealt IS NULL OR json_valid(dealt));

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
