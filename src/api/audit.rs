//! /v1/audit: who changed what (rules.md 18).

use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Operation, instant, operation, refusals, text};
use crate::actions::audit;
use crate::domain::audit::{ActorFilter, AuditFilter};
use crate::wire::audit::{self as wire, AuditEntry};

pub const LIST: Operation = operation("listAudit", "audit", "Who changed what")
    .about("Every committed change and every refused credential, newest first; hand-overs by cadence are in the record \
        instead. Takes a key that is not limited to some rotations and has the scope `manage:webhooks` as well, or the \
        token of a workspace admin; with `rotationId` also that of an owner of the rotation. A list reaches back to the \
        newest 10,000 entries that match: send `to` for older ones. A deleted rotation keeps its entries.")
    .query(&[
        instant("from", "Entries at or after this instant."),
        instant("to", "Entries before this instant."),
        text("actor", "The id of a key, a person or a system user, or a kind: `key`, `person`, `inboundWebhook`, `chat`, `partner`, \
            `clock`, `operator`."),
        text("rotationId", "Changes of this rotation."),
        text("action", "An `operationId`, a command such as `key create`, or `authenticate`."),
    ])
    .gives_page::<AuditEntry>("A page of entries.")
    .refuses(refusals::UNSEEN);

/// GET audit.
pub fn list(call: &Call) -> Outcome {
    let query = &call.query;
    let (from, until) = query.open_range()?;
    let filter = AuditFilter {
        from,
        until,
        actor: query.one("actor")?.map(ActorFilter::parse),
        rotation: query.one("rotationId")?.map(Into::into),
        action: query.one("action")?.map(str::to_owned),
    };
    let page = query.page()?;
    let (entries, total) = audit::list(call.app, call.caller, &filter, page)?;
    let entries = entries.into_iter().map(wire::render).collect();
    answer::listed(entries, page, total)
}
