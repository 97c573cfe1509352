//! /v1/audit: who changed what (rules.md 18).

use super::Api;
use super::answer::{self, Outcome};
use super::extract::Call;
use super::operation::{Body, Kind, Operation, PAGE, PAGE_SIZE, gives, parameter, shape};
use crate::actions::audit;
use crate::domain::audit::{ActorFilter, AuditFilter};
use crate::wire::audit::{self as wire, AuditEntry};
use crate::wire::page::Page;

pub const LIST: Operation = Operation {
    id: "listAudit",
    tag: "audit",
    summary: "Who changed what",
    about: "Every committed change and every refused credential, newest first; hand-overs by cadence are in the record \
            instead. Takes a key that is not limited to some rotations and has the scope `manage:webhooks` as well, or the \
            token of a workspace admin; with `rotationId` also that of an owner of the rotation. A list reaches back to the \
            newest 10,000 entries that match: send `to` for older ones. A deleted rotation keeps its entries.",
    query: &[
        parameter("from", Kind::Instant, "Entries at or after this instant."),
        parameter("to", Kind::Instant, "Entries before this instant."),
        parameter(
            "actor",
            Kind::Text,
            "The id of a key, a person or a system user, or a kind: `key`, `person`, `inboundWebhook`, `chat`, `partner`, \
             `clock`, `operator`.",
        ),
        parameter("rotationId", Kind::Text, "Changes of this rotation."),
        parameter(
            "action",
            Kind::Text,
            "An `operationId`, a command such as `key create`, or `authenticate`.",
        ),
        PAGE,
        PAGE_SIZE,
    ],
    body: Body::None,
    gives: &[gives(200, "A page of entries.", shape::<Page<AuditEntry>>)],
    refuses: &[(404, "not_found")],
};

/// GET audit.
pub fn list(_: &Api, call: &Call) -> Outcome {
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
    answer::json(200, &Page::new(entries, page.number, page.size, total))
}
