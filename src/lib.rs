//! rota: on-call rotations for one chat workspace. One binary, one SQLite file.
//!
//! # The way of a request
//!
//! A connection's thread in [`server`] reads one request within its bounds. `server::dispatch` gives it an id, finds the
//! [`Edge`](server::Edge) that has the prefix of its path, and logs and counts the answer. In the edge [`api`]
//! `routes` names the operation, its scope and its precondition; `auth` answers who asks; [`wire`] parses the body into
//! values of the [`domain`], or refuses it with the path of the member that is wrong. An action of [`actions`] does the
//! work: reads from one snapshot of the [`store`], writes in one job of its one writing connection. Its answer becomes JSON in
//! [`wire`] again, a refusal a problem object in [`problem`].
//!
//! # The way of a write
//!
//! A write to a rotation is an `Operation`, in its own file of [`actions`]. Whoever wants it done builds a
//! [`Mutation`](actions::mutation::Mutation): who asks, which rotation, the validator that they saw, the operation. Running it
//! loads the rotation, lets what fell due happen, returns the original response to a retry, checks the rights
//! ([`domain::access`]) and the validator, applies the operation and stores what changed, with the record and the news of it.
//! It returns domain values; the edge renders them.
//!
//! # The way of a hand-over
//!
//! Every rotation has the next instant at which something falls due in an index. [`timer`] sleeps until the first of
//! them and has [`actions::due`] do it: `domain::handover` empties and deals places and judges windows, instant by
//! instant; the state, its version and the record are stored together. A write to a rotation first lets what fell due
//! happen in the same way.
//!
//! # The forecast
//!
//! `domain::forecast` is the one simulation of the future: it steps a rotation from due instant to due instant, within limits on
//! steps and work, and yields what each step changed. The timer and every write step the rotation itself up to now and store
//! what comes of it. The schedule, agreements, reminders, topics and the expiry of pending requests step a copy, so what is
//! forecast is what is recorded later.
//!
//! # The way of an agreement
//!
//! An assignment, a cover or a swap is judged on a `domain::agreement::AgreementContext`: the rotation as it stands, and the
//! `domain::forecast` of its cells. `actions::once` carries the write out once under the caller's id, and keeps
//! the response for retries. What comes of it is an arrangement over the dealt turn: `domain::resolve` says who holds a cell,
//! and everybody asks there. Every settled write has pending requests expire whose duties are no longer held as planned.
//!
//! # The way of an event
//!
//! Whatever changes a rotation stores the news of it in the same transaction: `actions::outbox` renders the body once and
//! queues a delivery for each endpoint that subscribes. The commit wakes [`delivery`], which has `actions::sending` take
//! what is due, lane by lane, posts it by `client::guard` and records how that went, with what follows by `domain::ladder`.
//!
//! # The way of a chat message
//!
//! The same transaction queues messages as data (`domain::message`) and requests a sync of topics and on-duty groups
//! (`actions::notifications`). [`delivery`] has `actions::chat_sync` call the platform, which is behind the trait of [`chat`] and
//! words each message as it is posted (`domain::wording`), and store the result. What a topic or a group should be is computed
//! at the sync, so only the newest state is written.
//!
//! # What the operator sees
//!
//! Things are counted where they happen, by the instruments of [`metrics`], which the app carries; how things stand is asked of
//! the database when somebody looks (`api::watch`). Every background loop is registered by `runtime::background`, which gives it a
//! heartbeat; `runtime::supervisor` ends the server when a thread that it cannot do without has ended.
//!
//! # Floors
//!
//! Import downward only; `tests/it/architecture` checks this table, and that modules beside each other form no import cycle.
//! [`chat`] stands on [`store`] because the directory in the database is the embedded platform's own.
//!
//! | Floor | Rooms | May import |
//! |---|---|---|
//! | 5 | `main`, [`cli`], [`config`] | all below |
//! | 4 | [`api`], [`dev`], [`timer`], [`delivery`] | 0 to 3, not one another |
//! | 3 | [`actions`] | [`domain`], [`wire`], [`client`], [`metrics`], [`store`], [`chat`], [`runtime`] |
//! | 3 | [`problem`] | [`domain`], [`wire`], [`server`], [`store`]; only edges import it |
//! | 2 | [`chat`] | [`domain`], [`store`] |
//! | 2 | [`store`] | [`domain`], [`runtime`] |
//! | 1 | [`server`] | [`wire`], [`metrics`], [`runtime`], [`memory`] |
//! | 1 | [`wire`], [`client`], [`metrics`] | [`domain`]; [`runtime`] (`client`) |
//! | 0 | [`domain`], [`runtime`] | std, jiff and log, not one another |
//! | 0 | [`memory`] | [`runtime`]; only [`server`], [`api`] and [`cli`] import it |
//! | 0 | [`fault`] | nothing; anybody but [`domain`] may have points in it |
//!
//! # What always holds
//!
//! - Time is an argument. Only `runtime::clock` reads the system clock, and `WriteTx::now` never runs backwards.
//! - Intervals are half-open; hand-overs are counted from the anchor, never from the one before.
//! - A rotation's version rises by one with every change committed. What is shown of it is a function of what is stored and
//!   of the holiday and time zone data, and its validator covers both, so equal validators mean equal bodies.
//! - Arrangements over one cell never overlap; dealing goes on beneath them as if they were not there.
//! - Every cell's record is a chain of entries without holes, the last of them running.
//! - Only [`client`] connects to other servers, never within a transaction. For a URL that a stranger named, `client::guard` judges
//!   every address that its own resolver has found, and what was judged is what is connected to.
//! - Actions render no JSON of the API: of [`wire`] they use the validators, the frozen bodies of events and the signatures.
//! - Rights are decided in [`domain::access`]; the SQL of lists is held against it by a test.
//! - What a caller makes the process hold is counted: request bodies, work and answers by [`server`], in budgets of
//!   [`memory`] that all edges share. Long collections are read and rendered while they are sent.
//! - Nothing is acknowledged that went to a file which is no longer at its path; no link beside the database is followed.
//! - Every request is answered by one edge, which `cli::run` registers. Edges share [`server`] and [`problem`], not code of one
//!   another. Of the HTTP library only `server::exchange` knows.
//! - Every line of SQL is in [`store`]; transactions begin and end there alone, around the jobs that actions hand in.

#![deny(unsafe_code)]

pub mod domain;

pub mod fault;
pub mod memory;
pub mod runtime;

pub mod client;
pub mod metrics;
pub mod server;
pub mod wire;

pub mod store;

pub mod chat;

pub mod actions;
pub mod problem;

pub mod api;
pub mod delivery;
pub mod dev;
pub mod timer;

pub mod cli;
pub mod config;

#[cfg(test)]
mod tests;
