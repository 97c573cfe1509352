//! A workspace that has something on every page, and the table of pages.

use crate::support::{Rot, Rota, Start, always, daily, directory, hours, text, weekdays, weekly};
use crate::web::{Browser, board};
use serde_json::json;

/// Who looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Owner,
    Member,
    Admin,
    Outsider,
}

impl Role {
    pub fn user(self) -> &'static str {
        match self {
            Role::Owner => "U1",
            Role::Member => "U2",
            Role::Admin => "U5",
            Role::Outsider => "U6",
        }
    }
}

/// A page: where, its heading, and who gets it. Everybody else gets 403 or 404, as a page.
pub struct Page {
    /// Names in braces stand for what is in the workspace, see [`World::path`].
    pub path: &'static str,
    pub heading: &'static str,
    pub seen_by: &'static [Role],
}

const ALL: &[Role] = &[Role::Owner, Role::Member, Role::Admin, Role::Outsider];
const INSIDE: &[Role] = &[Role::Owner, Role::Member, Role::Admin];
const EDITORS: &[Role] = &[Role::Owner, Role::Admin];
const ADMINS: &[Role] = &[Role::Admin];

const fn page(path: &'static str, heading: &'static str, seen_by: &'static [Role]) -> Page {
    Page {
        path,
        heading,
        seen_by,
    }
}

/// Every page. A new one is a line here.
pub const PAGES: &[Page] = &[
    page("/", "Who is on call", ALL),
    page("/rotations", "Rotations", ALL),
    page("/rotations/new", "New rotation", &[Role::Admin]),
    page("/rotations/OPS", "Operations OPS", INSIDE),
    page("/rotations/OPS?span=28d", "Operations OPS", INSIDE),
    page("/rotations/DESK?span=7d", "Help desk DESK", ALL),
    page("/rotations/HAND", "By hand HAND", ALL),
    page(
        "/rotations/OPS/rotate",
        "Hand over now in Operations",
        EDITORS,
    ),
    page(
        "/rotations/OPS/on-call",
        "Put somebody on call in Operations",
        EDITORS,
    ),
    page(
        "/rotations/OPS/assign",
        "Give to somebody in Operations",
        EDITORS,
    ),
    page(
        "/rotations/OPS/cover",
        "Ask for cover in Operations",
        INSIDE,
    ),
    page("/rotations/OPS/swap", "Swap in Operations", INSIDE),
    page(
        "/rotations/OPS/history?span=28d",
        "Record of Operations",
        INSIDE,
    ),
    page(
        "/rotations/OPS/why?at=2026-01-07T12:00:00Z",
        "Who is on call in Operations, and why",
        INSIDE,
    ),
    page("{shift}", "", INSIDE),
    page("/requests", "Requests", ALL),
    page("{cover}", "", INSIDE),
    page("{swap}", "", INSIDE),
    page("/reports/duty", "Who carries how much", ALL),
    page("/people", "People", ALL),
    page("/people/U2", "Person U2", ALL),
    page("/me", "", ALL),
    page("/me/turns", "My turns in the next 90 days", ALL),
    page("/me/absences/new", "I am away", ALL),
    page("/me/calendars", "Calendars that say when I am away", ALL),
    page("/rotations/OPS/load", "Load of Operations", INSIDE),
    page("/rotations/OPS/warnings", "Warnings of Operations", INSIDE),
    page("/rotations/OPS/settings/warnings", "Warnings", EDITORS),
    page("/rotations/OPS/settings", "Settings of Operations", EDITORS),
    page("/rotations/OPS/settings/details", "Details", EDITORS),
    page(
        "/rotations/OPS/settings/people",
        "People and order",
        EDITORS,
    ),
    page(
        "/rotations/OPS/settings/grid",
        "Hours and hand-overs",
        EDITORS,
    ),
    page("{window}", "", EDITORS),
    page(
        "/rotations/OPS/settings/skips",
        "Days left out and holidays",
        EDITORS,
    ),
    page(
        "/rotations/OPS/settings/absences",
        "Absences and missed turns",
        EDITORS,
    ),
    page(
        "/rotations/DESK/settings/rosters",
        "Who takes which hours",
        EDITORS,
    ),
    page(
        "/rotations/OPS/settings/partner",
        "Partner’s schedule",
        EDITORS,
    ),
    page(
        "/rotations/OPS/settings/channels",
        "Channels and topic",
        EDITORS,
    ),
    page(
        "/rotations/OPS/settings/on-duty-group",
        "On-call group",
        EDITORS,
    ),
    page("/rotations/OPS/settings/mentions", "Mentions", EDITORS),
    page(
        "/rotations/OPS/settings/inbound-webhook",
        "Inbound webhook",
        ADMINS,
    ),
    page("/rotations/OPS/settings/delete", "Delete", EDITORS),
    page("/webhooks", "Webhooks", ADMINS),
    page("/webhooks/new", "New endpoint", ADMINS),
    page("{hook}", "test", ADMINS),
    page("{hook}/edit", "Change the endpoint", ADMINS),
    page("{delivery}", "", ADMINS),
    page("/admin", "Admin", ADMINS),
    page("/admin/problems", "Problems", EDITORS),
    page("/admin/audit", "Audit log", ADMINS),
    page("/admin/keys", "API keys", ADMINS),
    page("/admin/tokens", "Member tokens", ADMINS),
    page("/admin/directory", "Directory", ADMINS),
    page("/admin/boards", "Boards", ADMINS),
    page("{board}", "Wall <1>", ALL),
    page("/docs", "API", ALL),
    page("/docs/rotations", "", ALL),
    page("/login", "Sign in", ALL),
    page("/nothing", "Nothing here", &[]),
];

/// The workspace: three rotations, an assignment, a cover, a swap, open requests, absences, gaps and shut hours.
pub struct World {
    pub rota: Rota,
    /// What the names in braces of [`PAGES`] stand for.
    places: Vec<(&'static str, String)>,
}

impl World {
    /// With names of people and rotations changed by a function.
    pub fn named(name: impl Fn(&str) -> String) -> World {
        let rota = Start::default().go();
        let mut file = directory(6);
        file["users"][4]["isAdmin"] = json!(true);
        for user in file["users"].as_array_mut().expect("people") {
            let plain = user["displayName"].as_str().expect("a name").to_owned();
            user["displayName"] = json!(name(&plain));
        }
        rota.import(&file);
        let create = |called: &str, code: &str, people: &[&str], public: bool| -> Rot {
            rota.create(json!({
                "name": name(called), "code": code, "description": name("What it is for"), "public": public,
                "owners": ["U1"], "userIds": people,
            }))
        };
        let mut places = {
            // From Tuesday on, U2, U3, U4 and U1 have a day each, from 09:00 UTC.
            let ops = create("Operations", "OPS", &["U1", "U2", "U3", "U4"], false);
            ops.cover(1, &[always(daily())]);
            let desk = create("Help desk", "DESK", &["U1", "U2"], true);
            let week = weekly("Europe/Berlin", "2026-01-05T08:00");
            let office = hours("Europe/Berlin", &weekdays("08:00", "16:00"), week);
            desk.cover(2, &[office]);
            create("By hand", "HAND", &["U2"], true);
            // Both are away for a while: gaps.
            desk.away("U1", "2026-01-12T00:00Z", "2026-01-16T00:00Z");
            desk.away("U2", "2026-01-12T00:00Z", "2026-01-15T00:00Z");
            rota.to("2026-01-06T12:00Z");
            ops.assign_at(0, "U3", "08T12 08T18");
            ops.ask_cover("U2", "10 10T12", "U4").accepted_by("U4");
            let cover = ops.ask_cover("U1", "09 09T12", "U2 U3");
            let swap = ops.offer_swap("U2", "14 15", "U3", "15 16");
            let shift = format!(
                "/rotations/OPS/shifts/{}/2026-01-08T12:00:00Z",
                ops.place(0)
            );
            let window = text(&ops.read()["windows"][0]["id"]).to_owned();
            vec![
                ("{cover}", format!("/requests/{}", cover.id)),
                ("{swap}", format!("/requests/{}", swap.id)),
                ("{shift}", shift),
                (
                    "{window}",
                    format!("/rotations/OPS/settings/windows/{window}"),
                ),
                (
                    "{board}",
                    board::made(&rota, &Browser::signed_in(&rota, "U5"), &ops.id),
                ),
            ]
        };
        let (hook, _) = rota.hook("");
        let page = format!("/webhooks/{}", hook.id);
        let delivery = hook.test();
        places.push(("{delivery}", format!("{page}/deliveries/{delivery}")));
        places.push(("{hook}", page));
        World { rota, places }
    }

    pub fn path(&self, page: &Page) -> String {
        let place = |path: String, (name, place): &(&str, String)| path.replace(name, place);
        self.places.iter().fold(page.path.to_owned(), place)
    }
}
