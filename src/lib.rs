//! rota: on-call rotations for one chat workspace. One binary, one SQLite file.
//!
//! # Requests
//!
//! A connection's thread in [`server`] reads one request within its bounds. `server::dispatch` gives it an id, finds the
//! [`Edge`](server::Edge) that has the prefix of its path, and logs and counts the answer. In the edge [`api`]
//! `routes` names the operation, its scope and its precondition; [`admission`] answers who asks; [`wire`] parses the body into
//! values of the [`domain`], whose constructors hold the limits, or refuses it with the path of the member that is wrong or
//! unknown. An action of [`actions`] does the work: reads from one snapshot of the [`store`], writes in one job of its one
//! writing connection. Its answer becomes JSON in [`wire`] again, a refusal a problem object in [`problem`].
//!
//! # Assistants
//!
//! The edge [`mcp`] answers `POST /mcp` by the Model Context Protocol. [`admission`] admits its requests as those of the API: one
//! credential has one rate on both. A tool parses its arguments as bodies are parsed, calls the action that the API's route calls,
//! and gives the JSON of [`wire`].
//!
//! # Providers of identities
//!
//! The edge [`scim`] takes people and user groups by SCIM 2.0. A request becomes an image of one record; `actions::provisioning` stores
//! it as the directory's own writes do. Whoever is deactivated leaves rotations at once. Otherwise rotations keep the members that
//! they had, which [`store`] holds for them, until the loop of [`scim`] lets all of them follow together.
//!
//! # Writes
//!
//! A write to a rotation is an `Operation`, in its own file of [`actions`]. Whoever wants it done builds a
//! [`Mutation`](actions::mutation::Mutation): its author, which rotation, the validator that they saw, the operation. Running it
//! loads the rotation, lets what fell due happen, returns the original response to a retry, checks the rights
//! ([`domain::access`]) and the validator, applies the operation and stores what changed, with the record and the news of it.
//! It returns domain values; the edge renders them.
//!
//! # The way of a page
//!
//! The edge [`web`] makes pages for browsers. `gate` refuses other hosts and writes that other sites send; `entry` finds who reads,
//! by the session of a cookie or by a trusted proxy. From there on it is a person as any other: handlers call the same
//! [`actions`], with the values of the [`domain`] that the form stands for, and render what comes back as HTML.
//!
//! # First run
//!
//! While nobody administers the workspace, [`first_run`] prints an address whose secret is stored nowhere. The page behind it
//! has `actions::first_run` make the first admin, sign them in and void the address in one write.
//!
//! # Signing in at an identity provider
//!
//! The edge [`web`] starts a sign-in of [`oidc`] and sends the browser to the provider. The callback's code is exchanged for an ID
//! token, whose signature and claims `oidc::token` checks. `actions::identities` finds the person who is linked to it, or links
//! the one who matches, and `actions::sessions` begins a session.
//!
//! # The way of an audit entry
//!
//! Every write takes its [`Author`](domain::audit::Author): the principal, the operation, the request and its address. A rotation
//! that is saved leaves the entry of what it was and what it is; every other write of somebody's runs in `actions::audit`, which
//! asks what it changed. The entry is in the transaction of the change, and a line of the log once that is committed.
//!
//! # Hand-overs
//!
//! Every rotation has its next due instant in an index. [`timer`] sleeps until the first of them and calls [`actions::due`]:
//! `domain::handover` empties and deals slots and judges windows, instant by instant; the state, its version and the history
//! are stored together. A write to a rotation first processes what is due in the same
//! way.
//!
//! # The forecast
//!
//! `domain::forecast` is the only simulation of the future: it steps a rotation from due instant to due instant, within limits
//! on steps and work, and yields what each step changed. The timer and every write step the rotation itself up to now and store
//! the result. The schedule, agreements, reminders, topics and the expiry of pending requests step a copy, so the forecast
//! matches what is recorded later.
//!
//! # Agreements
//!
//! An assignment, a cover or a swap is checked against a `domain::agreement::AgreementContext`: the rotation, and the
//! `domain::forecast` of its cells. `actions::proposals` previews it and writes it as previewed, for every edge. `actions::once` runs the write once under the caller's id and keeps the response for
//! retries. The result is an arrangement over the dealt turn: `domain::resolve` decides who holds a cell, for all
//! callers. Every write expires pending requests whose duties are no longer held as planned.
//!
//! # Warnings
//!
//! `actions::warnings` forecasts a rotation once, gathers its people, their duty in other rotations and the sources that are read
//! from outside, and gives all of it to `domain::warning`, which finds what is wrong. [`warning_watch`] counts the warnings of all
//! rotations beside everything else, for metrics and pages.
//!
//! # Events
//!
//! A change of a rotation stores its events in the same transaction: `actions::outbox` renders the body once and queues a
//! delivery for each subscribed endpoint. The commit wakes [`delivery`], which takes what is due with `actions::sending`, queue
//! by queue, posts it with `client::guard` and records the outcome, with the next attempt by `domain::retry_schedule`.
//!
//! # Chat messages
//!
//! The same transaction queues messages as data (`domain::message`) and requests a sync of topics and on-duty groups
//! (`actions::notifications`). [`delivery`] runs `actions::chat_sync`, which calls the platform behind the trait of [`chat`],
//! words each message when it is posted (`domain::wording`), and stores the result. The desired topic or group is computed
//! at the sync, so only the newest state is written. The local platform is the queue itself: what nothing keeps waiting is posted
//! by the transaction that stores it.
//!
//! # Mail and incoming webhooks
//!
//! On the local platform nobody sees a post, so the transaction that records it also queues the message for mail or for an
//! incoming webhook (`actions::relays`). [`delivery`] sends what is due with [`relays`], outside any transaction, and records
//! each outcome.
//!
//! # The told plan
//!
//! A write that may change who is on call when marks its rotation (`actions::told_plan`). Once nothing has marked it for some time,
//! [`notices`] compares its forecast with the told plan, what people were last told of their own shifts
//! (`domain::told_plan`), queues a message to each person whose shifts moved, and replaces it, in one transaction.
//!
//! That transaction also puts the invitations to turns in the rotation on the agenda, where somebody wants any (`actions::agenda`).
//! They are compared with what was sent (`domain::turn_invitation`), and [`delivery`] mails what differs, a letter for each turn.
//!
//! # Calendar feeds
//!
//! `actions::calendar_feeds` finds the feed of a secret address and digests what its events depend on; a changed digest counts the
//! feed's sequence up. Only where the reader's copy is old does `domain::duty_feed` make events of the record and the forecast,
//! which [`wire`] writes as iCalendar.
//!
//! # Partners
//!
//! [`sources`] reads schedules of partner paging systems into [`domain::partner`]. `rota import` gives what was read to
//! `actions::import_schedule`: `domain::blueprint` says the schedule as a grid, the rotation is made in a transaction, and its
//! forecast is compared with the partner's timeline before the transaction is committed or undone.
//!
//! # Polled sources
//!
//! Every source that is polled implements `actions::polling::Source`. [`sync`] runs a loop for each source; a move
//! of the development clock and `POST /dev/sync` read through it too.
//!
//! # Calendars of people
//!
//! [`sync`] reads calendars through `actions::calendars`: `fetching` asks their servers with `client::guard`, and `digesting` reads
//! the body with `wire::ical`, finds the instances with `domain::recurrence` and the absences with `domain::personal_calendar`.
//! Every step charges one `domain::recurrence::Work`, which bounds what a reading takes and keeps; `in_progress` bounds how many
//! run at once, for the loop and for requests. `applying` stores the absences, and has the rotations of the person judged as when a
//! stored absence changes. Dealing sees them as any other absence.
//!
//! # What comes in from Slack
//!
//! [`slack_inbound`] takes commands, clicks, modals and events, at request URLs or over a socket that it opens with [`client`].
//! `actions::chat_envelopes` stores each before it is acknowledged. A worker finds who sent it (`actions::sessions`) and asks the
//! handler, which calls the same [`actions`] as the API. The answer goes into the acknowledgement if it is ready in time, else to
//! the response URL. After a kill what was not recorded as processed is processed again, under the same `operationId`.
//!
//! # What comes in from Matrix
//!
//! [`matrix_inbound`] syncs with [`chat`] and stores, in one transaction, what was said to rota and where the next sync goes on.
//! A second loop answers it, one thing after the other. An answer that may have been lost is posted again under the same transaction
//! id, and its write is known by its `operationId`. Commands are read, done and worded by [`talk`], as those of Slack are; only what
//! they look like is the platform's.
//!
//! # Rotations as code
//!
//! `cli::code` is a client of the HTTP API over [`client`]: it reads files with the line of every value, names people as people do,
//! asks `POST /v1/plan` what the files would change, and makes each rotation one change. It never opens the database.
//!
//! # Operation
//!
//! Counters and histograms of [`metrics`] are updated as events happen; state is read from the database on request
//! (`api::watch`). Every background loop is registered by `runtime::background`, which gives it a heartbeat;
//! `runtime::supervisor` ends the server if a required thread has ended. Every read and write of the [`store`] reports how it ended to
//! `store::health`, which readiness and metrics show; [`storage_watch`] tries the file where nobody uses it.
//!
//! # Floors
//!
//! Import downward only. `tests/it/architecture` checks this table, and that modules beside each other form no import cycle.
//! [`chat`] imports [`store`] because the directory in the database is the local platform's own.
//!
//! | Floor | Rooms | May import |
//! |---|---|---|
//! | 5 | `main`, [`cli`], [`config`] | all below |
//! | 4 | [`api`], [`web`], [`mcp`], [`scim`], [`dev`], [`slack_inbound`], [`matrix_inbound`], [`timer`], [`delivery`], [`sync`], [`chat_watch`], [`warning_watch`], [`storage_watch`], [`first_run`], [`notices`] | 0 to 3, not one another |
//! | 3 | [`actions`] | [`domain`], [`wire`], [`client`], [`metrics`], [`store`], [`chat`], [`relays`], [`sources`], [`runtime`] |
//! | 3 | [`problem`] | [`domain`], [`wire`], [`server`], [`store`]; only edges and [`admission`] import it |
//! | 3 | [`talk`] | [`actions`], [`problem`], [`domain`], [`wire`], [`server`], [`store`]; only edges of chat platforms import it |
//! | 3 | [`admission`] | [`actions`], [`problem`], [`domain`], [`server`], [`store`], [`runtime`]; only edges that take bearer credentials import it |
//! | 2 | [`chat`] | [`domain`], [`store`], [`client`], [`metrics`], [`runtime`] |
//! | 2 | [`relays`] | [`domain`], [`client`], [`runtime`] |
//! | 2 | [`sources`] | [`domain`], [`client`], [`runtime`] |
//! | 2 | [`store`] | [`domain`], [`wire`], [`runtime`] |
//! | 2 | [`oidc`] | [`domain`], [`client`], [`runtime`] |
//! | 1 | [`server`] | [`wire`], [`metrics`], [`domain`], [`runtime`], [`memory`] |
//! | 1 | [`wire`], [`client`], [`metrics`] | [`domain`]; [`runtime`] (`client`) |
//! | 0 | [`domain`], [`runtime`] | std, jiff and log, not one another; [`domain`] also the derives of serde and schemars |
//! | 0 | [`memory`] | [`runtime`]; only [`server`], [`api`], [`notices`] and [`cli`] import it |
//! | 0 | [`failpoint`] | nothing; every module except [`domain`] may contain failpoints |
//!
//! # Invariants
//!
//! - Time is an argument. Only `runtime::clock` reads the system clock, and `WriteTx::now` never runs backwards.
//! - Intervals are half-open. Hand-overs are counted from the anchor, never from the previous one.
//! - A rotation's version rises by one with every committed change. Its representation is a function of the stored state and of
//!   the holiday and time zone data, and its ETag covers both, so equal ETags mean equal bodies.
//! - Arrangements over one cell never overlap. Dealing continues beneath them as if they did not exist.
//! - Every cell's history is a chain of entries without gaps; the last one is running.
//! - Only [`client`] connects to other servers, never within a transaction. For URLs from users, `client::guard` checks every
//!   address that its own resolver found, and only checked addresses are connected to.
//! - An enum with names is defined with `domain::words`: that is its text, its JSON and its schema everywhere. Values of the
//!   [`domain`] whose stored or shown form is the value itself derive it; documents are read and written in [`wire`] and [`store`].
//! - Actions render no JSON of the API: of [`wire`] they use the ETags, the frozen bodies of events and the signatures, and they
//!   read and write calendars with it. The [`store`] reads with it the edits that wait, which are kept as they were sent.
//! - Rights are decided in [`domain::access`]. A test checks that the SQL of lists agrees.
//! - The memory that callers make the process hold is counted: request bodies, work and responses by [`server`], in budgets of
//!   [`memory`] that all edges share. Long collections are read and rendered while they are sent.
//! - No write to a file is acknowledged that is no longer at its path. No link beside the database is followed.
//! - Every request is answered by one edge, which `cli::run` registers. Edges share [`server`] and [`problem`], not each other's
//!   code. Only `server::exchange` uses the HTTP library.
//! - All SQL is in [`store`]. Transactions begin and end only there, around the jobs that actions submit.

#![deny(unsafe_code)]

pub mod domain;

pub mod failpoint;
pub mod memory;
pub mod runtime;

pub mod client;
pub mod metrics;
pub mod server;
pub mod wire;

pub mod relays;
pub mod store;

pub mod chat;
pub mod oidc;
pub mod sources;

pub mod actions;
pub mod admission;
pub mod problem;
pub mod talk;

pub mod api;
pub mod chat_watch;
pub mod delivery;
pub mod dev;
pub mod first_run;
pub mod matrix_inbound;
pub mod mcp;
pub mod notices;
pub mod scim;
pub mod slack_inbound;
pub mod storage_watch;
pub mod sync;
pub mod timer;
pub mod warning_watch;
pub mod web;

pub mod cli;
pub mod config;

#[cfg(test)]
mod tests;
