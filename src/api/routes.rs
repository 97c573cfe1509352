//! All routes of the API. Dispatch and the OpenAPI document use the same rows, so they cannot disagree.

use super::answer::Outcome;
use super::extract::Call;
use super::operation::Operation;
use super::watch::Detail;
use super::{
    Api, absences, arrangements, audit, calendar_feeds, calendars, changes, chat,
    covers_and_swaps as asking, deliveries, directory, directory_writes as directory_edit, explain,
    external, grid, inbound, keys, mentions, messages, notices, on_call, plan, preview, readiness,
    record, replica, reports, requests, rotations, service, trades, warnings, watch, webhooks,
};
use crate::domain::access::Scope::{
    self, ManageDirectory, ManageWebhooks, ReadDirectory, ReadOnCall, ReadRotations, Replicate,
    WriteDuty, WriteRotations,
};
use crate::server::Request;
use crate::wire::etag::Precondition;
use crate::wire::request::{CoverRequest, SwapRequest};
use crate::wire::url::{self, RouteMatch};

/// A route and its operation.
pub struct Row {
    pub method: &'static str,
    /// Segments in braces are parameters, which must not be empty.
    pub pattern: &'static str,
    pub needs: Needs,
    pub handler: Handler,
    pub operation: &'static Operation,
}

/// Operations that read and are refused on a standby all the same: they read from elsewhere, or the database itself.
const FIRST_SERVER_ONLY: [&str; 3] = ["listPartnerSchedules", "listPartnerPeople", "getReplica"];

/// The operation that ends the writes of a server for another one, and is asked again once they have ended.
const HAND_OVER: &str = "handOver";

impl Row {
    /// Whether a standby answers it: it writes nothing, and reads nothing but the database.
    pub fn is_answered_by_standbys(&self) -> bool {
        let plans = ["/preview", "/plan"];
        let reads = self.method == "GET" || plans.iter().any(|end| self.pattern.ends_with(end));
        reads && !FIRST_SERVER_ONLY.contains(&self.operation.id)
    }

    /// Whether it is answered while another server takes over.
    pub fn is_answered_while_handing_over(&self) -> bool {
        self.is_answered_by_standbys() || self.method == "GET" || self.operation.id == HAND_OVER
    }
}

/// The required credential.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// A key or a token, or none for public operations.
    Nothing,
    /// A key or a token with this scope.
    Scoped(Scope),
    /// A member token.
    Person,
    /// The key of the inbound webhook in the path.
    AccessCode,
    /// None, or a key that may read metrics of all rotations, as configured by the operator.
    Watching,
}

/// The handler, by what the request must have.
#[derive(Clone, Copy)]
pub enum Handler {
    /// No credential. The request is passed as received, with its body unread.
    Open(fn(&Api, &Request) -> Outcome),
    /// A credential or none, as configured by the operator; it determines the detail.
    Watched(fn(&Api, Detail) -> Outcome),
    /// A credential.
    Plain(fn(&Call) -> Outcome),
    /// A credential and an `If-Match` header.
    IfMatch(fn(&Call, &Precondition) -> Outcome),
    /// A credential and an `Idempotency-Key` header.
    Keyed(fn(&Call, &str) -> Outcome),
}

use Handler::{IfMatch, Keyed, Open, Plain, Watched};
use Needs::{AccessCode, Nothing, Person, Scoped, Watching};

const fn row(
    method: &'static str,
    pattern: &'static str,
    needs: Needs,
    handler: Handler,
    operation: &'static Operation,
) -> Row {
    Row {
        method,
        pattern,
        needs,
        handler,
        operation,
    }
}

/// All operations, in the order of the document.
#[rustfmt::skip]
pub static ROUTES: &[Row] = &[
    row("GET",    "/v1/rotations/{rotationId}/on-call",                   Scoped(ReadOnCall),     Plain(on_call::read),      &on_call::READ),
    row("PUT",    "/v1/rotations/{rotationId}/on-call",                   Scoped(WriteDuty),      IfMatch(on_call::replace), &on_call::REPLACE),
    row("DELETE", "/v1/rotations/{rotationId}/on-call",                   Scoped(WriteDuty),      IfMatch(on_call::clear),   &on_call::CLEAR),
    row("POST",   "/v1/rotations/{rotationId}/rotate",                    Scoped(WriteDuty),      IfMatch(on_call::rotate),  &on_call::ROTATE),

    row("GET",    "/v1/rotations/{rotationId}/explain",                   Scoped(ReadRotations),  Plain(explain::explain),   &explain::EXPLAIN),
    row("GET",    "/v1/on-call",                                          Scoped(ReadOnCall),     Plain(on_call::list),      &on_call::LIST),

    row("GET",    "/v1/rotations",                                        Scoped(ReadRotations),  Plain(rotations::list),    &rotations::LIST),
    row("POST",   "/v1/rotations",                                        Scoped(WriteRotations), Keyed(rotations::create),  &rotations::CREATE),
    row("GET",    "/v1/rotations/{rotationId}",                           Scoped(ReadRotations),  Plain(rotations::read),    &rotations::READ),
    row("PATCH",  "/v1/rotations/{rotationId}",                           Scoped(WriteRotations), IfMatch(rotations::patch), &rotations::PATCH),
    row("DELETE", "/v1/rotations/{rotationId}",                           Scoped(WriteRotations), IfMatch(rotations::remove), &rotations::REMOVE),
    row("PUT",    "/v1/rotations/{rotationId}/channels/{channelId}",      Scoped(WriteRotations), IfMatch(grid::channel),    &grid::CHANNEL),
    row("PUT",    "/v1/rotations/{rotationId}/on-duty-group",             Scoped(WriteRotations), IfMatch(chat::bind),       &chat::BIND),
    row("DELETE", "/v1/rotations/{rotationId}/on-duty-group",             Scoped(WriteRotations), IfMatch(chat::unbind),     &chat::UNBIND),
    row("GET",    "/v1/rotations/{rotationId}/chat",                      Scoped(ReadRotations),  Plain(chat::status),       &chat::STATUS),
    row("GET",    "/v1/chat",                                             Scoped(ReadDirectory),  Plain(chat::platform),     &chat::PLATFORM),
    row("GET",    "/v1/user-groups/capabilities",                         Scoped(ReadDirectory),  Plain(chat::capabilities), &chat::CAPABILITIES),

    row("PUT",    "/v1/rotations/{rotationId}/coverage",                  Scoped(WriteRotations), IfMatch(grid::coverage),   &grid::COVERAGE),
    row("PUT",    "/v1/rotations/{rotationId}/rosters",                   Scoped(WriteRotations), IfMatch(grid::common_roster), &grid::COMMON_ROSTER),
    row("PUT",    "/v1/rotations/{rotationId}/rosters/{rosterId}",        Scoped(WriteRotations), IfMatch(grid::roster),     &grid::ROSTER),

    row("PUT",    "/v1/rotations/{rotationId}/external",                  Scoped(WriteRotations), IfMatch(external::link),   &external::LINK),
    row("DELETE", "/v1/rotations/{rotationId}/external",                  Scoped(WriteRotations), IfMatch(external::unlink), &external::UNLINK),
    row("GET",    "/v1/partners",                                         Scoped(ReadRotations),  Plain(external::partners), &external::PARTNERS),
    row("GET",    "/v1/partners/{partner}/schedules",                     Scoped(WriteRotations), Plain(external::schedules), &external::SCHEDULES),
    row("GET",    "/v1/partners/{partner}/people",                        Scoped(WriteRotations), Plain(external::people),   &external::PEOPLE),
    row("PUT",    "/v1/partners/{partner}/people/{participantId}",        Scoped(WriteRotations), Plain(external::set_person), &external::PERSON),

    row("POST",   "/v1/plan",                                             Scoped(ReadRotations),  Plain(plan::read),         &plan::READ),
    row("POST",   "/v1/rotations/{rotationId}/changes",                   Scoped(WriteRotations), IfMatch(changes::create),  &changes::CREATE),
    row("GET",    "/v1/rotations/{rotationId}/changes",                   Scoped(ReadRotations),  Plain(changes::list),      &changes::LIST),
    row("GET",    "/v1/rotations/{rotationId}/changes/{changeId}",        Scoped(ReadRotations),  Plain(changes::read),      &changes::READ),
    row("DELETE", "/v1/rotations/{rotationId}/changes/{changeId}",        Scoped(WriteRotations), IfMatch(changes::cancel),  &changes::CANCEL),

    row("POST",   "/v1/rotations/{rotationId}/preview",                   Scoped(ReadRotations),  Plain(preview::read),      &preview::READ),
    row("GET",    "/v1/rotations/{rotationId}/schedule",                  Scoped(ReadRotations),  Plain(record::schedule),   &record::SCHEDULE),
    row("GET",    "/v1/rotations/{rotationId}/history",                   Scoped(ReadRotations),  Plain(record::history),    &record::HISTORY),

    row("GET",    "/v1/reports/duty",                                     Scoped(ReadRotations),  Plain(reports::duty),      &reports::DUTY),

    row("GET",    "/v1/rotations/{rotationId}/availability",              Scoped(ReadRotations),  Plain(absences::list),     &absences::LIST),
    row("POST",   "/v1/rotations/{rotationId}/availability",              Scoped(WriteDuty),      Plain(absences::create),   &absences::CREATE),
    row("DELETE", "/v1/rotations/{rotationId}/availability/{absenceId}",  Scoped(WriteDuty),      Plain(absences::remove),   &absences::REMOVE),
    row("GET",    "/v1/rotations/{rotationId}/trades",                    Scoped(ReadRotations),  Plain(trades::list),       &trades::LIST),
    row("DELETE", "/v1/rotations/{rotationId}/trades/{tradeId}",          Scoped(WriteRotations), IfMatch(trades::forgive),  &trades::FORGIVE),

    row("POST",   "/v1/rotations/{rotationId}/duty-arrangements/preview",  Scoped(WriteDuty),  Plain(arrangements::preview),  &arrangements::PREVIEW),
    row("POST",   "/v1/rotations/{rotationId}/duty-arrangements",          Scoped(WriteDuty),  IfMatch(arrangements::create), &arrangements::CREATE),
    row("GET",    "/v1/rotations/{rotationId}/duty-arrangements",          Scoped(ReadOnCall), Plain(arrangements::list),     &arrangements::LIST),
    row("GET",    "/v1/rotations/{rotationId}/duty-arrangements/{arrangementId}",         Scoped(ReadOnCall), Plain(arrangements::read),     &arrangements::READ),
    row("POST",   "/v1/rotations/{rotationId}/duty-arrangements/{arrangementId}/changes", Scoped(WriteDuty),  IfMatch(arrangements::change), &arrangements::CHANGE),
    row("POST",   "/v1/rotations/{rotationId}/duty-arrangements/{arrangementId}/end",     Scoped(WriteDuty),  IfMatch(arrangements::end),    &arrangements::END),

    row("POST",   "/v1/rotations/{rotationId}/cover-requests/preview",     Person,             Plain(asking::preview_cover),        &asking::PREVIEW_COVER),
    row("POST",   "/v1/rotations/{rotationId}/cover-requests",             Person,             IfMatch(asking::ask_for_cover),       &asking::ASK_FOR_COVER),
    row("GET",    "/v1/rotations/{rotationId}/cover-requests",             Scoped(ReadOnCall), Plain(asking::list::<CoverRequest>),           &asking::LIST_COVERS),
    row("GET",    "/v1/rotations/{rotationId}/cover-requests/{coverRequestId}",         Scoped(ReadOnCall), Plain(asking::read::<CoverRequest>),      &asking::READ_COVER),
    row("POST",   "/v1/rotations/{rotationId}/cover-requests/{coverRequestId}/accept",  Person,             IfMatch(asking::accept::<CoverRequest>),  &asking::ACCEPT_COVER),
    row("POST",   "/v1/rotations/{rotationId}/cover-requests/{coverRequestId}/decline", Person,             IfMatch(asking::decline::<CoverRequest>), &asking::DECLINE_COVER),
    row("POST",   "/v1/rotations/{rotationId}/cover-requests/{coverRequestId}/cancel",  Person,             IfMatch(asking::cancel::<CoverRequest>),  &asking::CANCEL_COVER),
    row("POST",   "/v1/rotations/{rotationId}/cover-requests/{coverRequestId}/end",     Person,             IfMatch(asking::end::<CoverRequest>),     &asking::END_COVER),

    row("POST",   "/v1/rotations/{rotationId}/swap-requests/preview",      Person,             Plain(asking::preview_swap),         &asking::PREVIEW_SWAP),
    row("POST",   "/v1/rotations/{rotationId}/swap-requests",              Person,             IfMatch(asking::offer_swap),        &asking::OFFER_SWAP),
    row("GET",    "/v1/rotations/{rotationId}/swap-requests",              Scoped(ReadOnCall), Plain(asking::list::<SwapRequest>),            &asking::LIST_SWAPS),
    row("GET",    "/v1/rotations/{rotationId}/swap-requests/{swapRequestId}",         Scoped(ReadOnCall), Plain(asking::read::<SwapRequest>),      &asking::READ_SWAP),
    row("POST",   "/v1/rotations/{rotationId}/swap-requests/{swapRequestId}/accept",  Person,             IfMatch(asking::accept::<SwapRequest>),  &asking::ACCEPT_SWAP),
    row("POST",   "/v1/rotations/{rotationId}/swap-requests/{swapRequestId}/decline", Person,             IfMatch(asking::decline::<SwapRequest>), &asking::DECLINE_SWAP),
    row("POST",   "/v1/rotations/{rotationId}/swap-requests/{swapRequestId}/cancel",  Person,             IfMatch(asking::cancel::<SwapRequest>),  &asking::CANCEL_SWAP),

    row("GET",    "/v1/requests",                                         Scoped(ReadOnCall),     Plain(requests::across),      &requests::ACROSS),
    row("GET",    "/v1/mentions",                                         Scoped(ReadOnCall),     Plain(mentions::list),        &mentions::LIST),
    row("GET",    "/v1/mentions/{mentionId}",                             Scoped(ReadOnCall),     Plain(mentions::read),        &mentions::READ),
    row("POST",   "/v1/mentions/{mentionId}/acknowledge",                 Person,                 Plain(mentions::acknowledge), &mentions::ACKNOWLEDGE),
    row("POST",   "/v1/mentions/{mentionId}/pass",                        Person,                 Plain(mentions::pass),        &mentions::PASS),
    row("GET",    "/v1/rotations/{rotationId}/mention-settings",          Scoped(ReadRotations),  Plain(mentions::settings),    &mentions::SETTINGS),
    row("PUT",    "/v1/rotations/{rotationId}/mention-settings",          Scoped(WriteRotations), IfMatch(mentions::set),       &mentions::SET),

    row("GET",    "/v1/rotations/{rotationId}/warnings",                  Scoped(ReadRotations),  Plain(warnings::read),        &warnings::READ),
    row("GET",    "/v1/warnings",                                         Scoped(ReadRotations),  Plain(warnings::across),      &warnings::ACROSS),
    row("GET",    "/v1/rotations/{rotationId}/warning-settings",          Scoped(ReadRotations),  Plain(warnings::settings),    &warnings::SETTINGS),
    row("PUT",    "/v1/rotations/{rotationId}/warning-settings",          Scoped(WriteRotations), IfMatch(warnings::set),       &warnings::SET),

    row("GET",    "/v1/rotations/{rotationId}/pending-notices",           Scoped(ReadRotations),  Plain(notices::pending),      &notices::PENDING),
    row("POST",   "/v1/rotations/{rotationId}/pending-notices/send",      Scoped(WriteRotations), Plain(notices::send),         &notices::SEND),
    row("GET",    "/v1/messages",                                         Scoped(ReadOnCall),     Plain(messages::list),        &messages::LIST),
    row("GET",    "/v1/users/{userId}/notifications",                     Scoped(ReadDirectory),  Plain(messages::notifications), &messages::NOTIFICATIONS),
    row("PUT",    "/v1/users/{userId}/notifications",                     Scoped(WriteDuty),      Plain(messages::choose),      &messages::CHOOSE),
    row("POST",   "/v1/users/{userId}/notifications/test",                Scoped(WriteDuty),      Plain(messages::test),        &messages::TEST),

    row("GET",    "/v1/rotations/{rotationId}/inbound-webhook",           Scoped(ManageWebhooks), Plain(inbound::read),         &inbound::READ),
    row("POST",   "/v1/rotations/{rotationId}/inbound-webhook/rotate",    Scoped(ManageWebhooks), Plain(inbound::rotate_key),   &inbound::ROTATE_KEY),
    row("POST",   "/webhook/{webhookPath}/rotate",                        AccessCode,             Plain(inbound::rotate),       &inbound::ROTATE),
    row("POST",   "/webhook/{webhookPath}/setonduty",                     AccessCode,             Plain(inbound::set_on_duty),  &inbound::SET_ON_DUTY),
    row("POST",   "/webhook/{webhookPath}/mention",                       AccessCode,             Plain(inbound::mention),      &inbound::MENTION),

    row("GET",    "/v1/users",                                            Scoped(ReadDirectory),  Plain(directory::users),   &directory::USERS),
    row("POST",   "/v1/users",                                         Scoped(ManageDirectory), Plain(directory_edit::create_user), &directory_edit::CREATE_USER),
    row("GET",    "/v1/users/{userId}",                                   Scoped(ReadDirectory),  Plain(directory::user),    &directory::USER),
    row("PATCH",  "/v1/users/{userId}",                     Scoped(ManageDirectory), IfMatch(directory_edit::patch_user), &directory_edit::PATCH_USER),
    row("GET",    "/v1/users/{userId}/shifts",                            Scoped(ReadRotations),  Plain(record::shifts),     &record::SHIFTS),
    row("GET",    "/v1/groups",                                           Scoped(ReadDirectory),  Plain(directory::groups),  &directory::GROUPS),
    row("POST",   "/v1/groups",                                        Scoped(ManageDirectory), Plain(directory_edit::create_group), &directory_edit::CREATE_GROUP),
    row("GET",    "/v1/groups/{groupId}",                                 Scoped(ReadDirectory),  Plain(directory::group),   &directory::GROUP),
    row("PATCH",  "/v1/groups/{groupId}",                     Scoped(ManageDirectory), IfMatch(directory_edit::patch_group), &directory_edit::PATCH_GROUP),
    row("DELETE", "/v1/groups/{groupId}",                     Scoped(ManageDirectory), IfMatch(directory_edit::remove_group), &directory_edit::REMOVE_GROUP),
    row("GET",    "/v1/channels",                                         Scoped(ReadDirectory),  Plain(directory::channels), &directory::CHANNELS),
    row("POST",   "/v1/channels",                                      Scoped(ManageDirectory), Plain(directory_edit::create_channel), &directory_edit::CREATE_CHANNEL),
    row("GET",    "/v1/channels/{channelId}",                             Scoped(ReadDirectory),  Plain(directory::channel), &directory::CHANNEL),
    row("PATCH",  "/v1/channels/{channelId}",                     Scoped(ManageDirectory), IfMatch(directory_edit::patch_channel), &directory_edit::PATCH_CHANNEL),
    row("DELETE", "/v1/channels/{channelId}",                     Scoped(ManageDirectory), IfMatch(directory_edit::remove_channel), &directory_edit::REMOVE_CHANNEL),

    row("GET",    "/v1/users/{userId}/calendars",                         Scoped(ReadRotations),  Plain(calendars::list),    &calendars::LIST),
    row("POST",   "/v1/users/{userId}/calendars",                         Scoped(WriteDuty),      Plain(calendars::create),  &calendars::CREATE),
    row("PATCH",  "/v1/users/{userId}/calendars/{calendarId}",            Scoped(WriteDuty),      Plain(calendars::patch),   &calendars::PATCH),
    row("DELETE", "/v1/users/{userId}/calendars/{calendarId}",            Scoped(WriteDuty),      Plain(calendars::remove),  &calendars::REMOVE),
    row("POST",   "/v1/users/{userId}/calendars/{calendarId}/read",       Scoped(WriteDuty),      Plain(calendars::read),    &calendars::READ),
    row("GET",    "/v1/users/{userId}/absences",                          Scoped(ReadRotations),  Plain(calendars::absences), &calendars::ABSENCES),
    row("GET",    "/v1/calendar-feeds",                                   Scoped(ReadOnCall),     Plain(calendar_feeds::list),   &calendar_feeds::LIST),
    row("POST",   "/v1/calendar-feeds",                                   Scoped(ReadOnCall),     Plain(calendar_feeds::create), &calendar_feeds::CREATE),
    row("DELETE", "/v1/calendar-feeds/{calendarFeedId}",                  Scoped(ReadOnCall),     Plain(calendar_feeds::remove), &calendar_feeds::REMOVE),
    row("POST",   "/v1/calendar-feeds/{calendarFeedId}/rotate",           Scoped(ReadOnCall),     Plain(calendar_feeds::rotate), &calendar_feeds::ROTATE),

    row("GET",    "/v1/webhooks",                                         Scoped(ManageWebhooks), Plain(webhooks::list),     &webhooks::LIST),
    row("POST",   "/v1/webhooks",                                         Scoped(ManageWebhooks), Plain(webhooks::register), &webhooks::REGISTER),
    row("GET",    "/v1/webhooks/{webhookId}",                             Scoped(ManageWebhooks), Plain(webhooks::read),     &webhooks::READ),
    row("PUT",    "/v1/webhooks/{webhookId}",                             Scoped(ManageWebhooks), IfMatch(webhooks::replace), &webhooks::REPLACE),
    row("DELETE", "/v1/webhooks/{webhookId}",                             Scoped(ManageWebhooks), IfMatch(webhooks::remove), &webhooks::REMOVE),
    row("POST",   "/v1/webhooks/{webhookId}/disable",                     Scoped(ManageWebhooks), IfMatch(webhooks::disable), &webhooks::DISABLE),
    row("POST",   "/v1/webhooks/{webhookId}/enable",                      Scoped(ManageWebhooks), IfMatch(webhooks::enable), &webhooks::ENABLE),
    row("POST",   "/v1/webhooks/{webhookId}/rotate",                      Scoped(ManageWebhooks), IfMatch(webhooks::rotate), &webhooks::ROTATE),
    row("POST",   "/v1/webhooks/{webhookId}/test",                        Scoped(ManageWebhooks), Plain(webhooks::test),     &webhooks::TEST),

    row("GET",    "/v1/webhooks/{webhookId}/deliveries",                       Scoped(ManageWebhooks), Plain(deliveries::list),     &deliveries::LIST),
    row("GET",    "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/attempts", Scoped(ManageWebhooks), Plain(deliveries::attempts), &deliveries::ATTEMPTS),
    row("POST",   "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/cancel",   Scoped(ManageWebhooks), Plain(deliveries::cancel),   &deliveries::CANCEL),
    row("POST",   "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/resend",   Scoped(ManageWebhooks), Plain(deliveries::resend),   &deliveries::RESEND),

    row("GET",    "/v1/audit",                                            Scoped(ReadRotations),  Plain(audit::list),        &audit::LIST),

    row("GET",    "/v1/replica",                                          Scoped(Replicate),       Plain(replica::read),      &replica::READ),
    row("POST",   "/v1/replica/hand-over",                                Scoped(Replicate),       Plain(replica::hand_over), &replica::HAND_OVER),
    row("GET",    "/v1/epoch",                                            Nothing,                 Open(replica::epoch),      &replica::EPOCH),
    row("GET",    "/v1/keys/self",                                        Nothing,                 Plain(keys::own),          &keys::OWN),
    row("GET",    "/v1/openapi.json",                                     Nothing,                 Open(service::openapi),    &service::OPENAPI),
    row("GET",    "/healthz",                                             Nothing,                 Open(watch::health),       &watch::HEALTH),
    row("GET",    "/readyz",                                              Nothing,                 Open(readiness::readiness), &readiness::READINESS),
    row("GET",    "/metrics",                                             Watching,                Watched(watch::metrics),   &watch::METRICS),
];

/// Finds a route.
pub fn find<'a>(method: &str, segments: &[&'a str]) -> RouteMatch<'a> {
    let rows = ROUTES.iter().map(|row| (row.method, row.pattern));
    url::find(rows, method, segments)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lead_to_operations() {
        for (method, path, expected) in [
            ("GET", "/v1/rotations", "GET /v1/rotations"),
            ("HEAD", "/v1/rotations", "GET /v1/rotations"),
            ("POST", "/v1/rotations", "POST /v1/rotations"),
            (
                "GET",
                "/v1/rotations/a",
                "GET /v1/rotations/{rotationId} rotationId=a",
            ),
            (
                "GET",
                "/v1/rotations/a%2Fb",
                "GET /v1/rotations/{rotationId} rotationId=a/b",
            ),
            (
                "GET",
                "/v1/rotations/%61",
                "GET /v1/rotations/{rotationId} rotationId=a",
            ),
            ("GET", "/v1/%72otations/a", "nothing"),
            ("GET", "/%6Detrics", "nothing"),
            ("GET", "/metrics/", "nothing"),
            ("GET", "//metrics", "nothing"),
            ("GET", "/./metrics", "nothing"),
            ("GET", "/metrics;x", "nothing"),
            ("GET", "/Metrics", "nothing"),
            ("GET", "/metrics%3Fx", "nothing"),
            ("GET", "/v1/../metrics", "nothing"),
            ("GET", "/v1/rotations/%ff", "nothing"),
            ("GET", "/v1/{x}", "nothing"),
            (
                "GET",
                "/v1/rotations/{rotationId}",
                "GET /v1/rotations/{rotationId} rotationId={rotationId}",
            ),
            ("GET", "/metrics", "GET /metrics"),
            (
                "PUT",
                "/v1/rotations/a/channels/C%20D",
                "PUT /v1/rotations/{rotationId}/channels/{channelId} rotationId=a channelId=C D",
            ),
            ("GET", "/v1/webhooks", "GET /v1/webhooks"),
            ("POST", "/v1/webhooks", "POST /v1/webhooks"),
            (
                "PUT",
                "/v1/webhooks/w",
                "PUT /v1/webhooks/{webhookId} webhookId=w",
            ),
            (
                "POST",
                "/v1/webhooks/w/rotate",
                "POST /v1/webhooks/{webhookId}/rotate webhookId=w",
            ),
            (
                "HEAD",
                "/v1/webhooks/w/deliveries",
                "GET /v1/webhooks/{webhookId}/deliveries webhookId=w",
            ),
            (
                "GET",
                "/v1/webhooks/w/deliveries/d/attempts",
                "GET /v1/webhooks/{webhookId}/deliveries/{deliveryId}/attempts webhookId=w deliveryId=d",
            ),
            ("PATCH", "/v1/webhooks/w", "GET, PUT, DELETE, HEAD"),
            ("GET", "/v1/webhooks/w/test", "POST"),
            ("GET", "/v1/webhooks/w/deliveries/d/resend", "POST"),
            ("GET", "/v1/webhooks/w/deliveries/d", "nothing"),
            ("PATCH", "/v1/rotations", "GET, POST, HEAD"),
            ("OPTIONS", "/v1/rotations/a/rotate", "POST"),
            ("get", "/v1/rotations/a/rotate", "POST"),
            ("GET", "/v1/rotations/", "nothing"),
            ("GET", "/v1/rotations/a/", "nothing"),
            ("GET", "//v1/rotations", "nothing"),
            ("GET", "/v1/rotations%2Fa", "nothing"),
            ("GET", "/v1", "nothing"),
            ("GET", "/", "nothing"),
        ] {
            let segments = url::segments(path).unwrap();
            let found = match find(method, &segments) {
                RouteMatch::Nothing => "nothing".to_owned(),
                RouteMatch::OtherMethod(allowed) => allowed,
                RouteMatch::Row(index, values) => {
                    let row = &ROUTES[index];
                    let mut text = format!("{} {}", row.method, row.pattern);
                    for (name, value) in values {
                        text.push_str(&format!(" {name}={value}"));
                    }
                    text
                }
            };
            assert_eq!(found, expected, "{method} {path}");
        }
    }
}
