//! Forms: what they offer, what is wrong with what was entered, what has changed meanwhile.

use super::{Enter, Workspace, choices, field};
use crate::support::slack::Failure;
use crate::support::*;
use serde_json::{Value, json};

/// What is wrong beside a field.
#[track_caller]
fn wrong<'a>(reply: &'a Value, field: &str) -> &'a str {
    assert_eq!(reply["response_action"], "errors", "{reply}");
    text(&reply["errors"][field])
}

/// The view that replaces a form, with the id of the form.
#[track_caller]
fn updated(reply: &Value, view: &Value) -> Value {
    assert_eq!(reply["response_action"], "update", "{reply}");
    let mut updated = reply["view"].clone();
    updated["id"] = view["id"].clone();
    updated
}

/// Fails if somebody was told more than once: whatever is told next comes second.
#[track_caller]
fn nothing_more_is_told(workspace: &Workspace, user: &str) {
    workspace.mention(user, "C1", "help");
    let next = workspace.told(user, 2);
    assert!(next.starts_with("Say whom you need"), "{next}");
}

#[test]
fn a_cover_is_asked_for() {
    let workspace = Workspace::with_people(4);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    let form = workspace.form("U2", "PLAT cover");
    assert_eq!(form["callback_id"], "cover");
    let turns = choices(&form, "turn");
    // In the zone of the reader.
    assert_eq!(turns[0], "Tue 6 Jan 2026, 10:00 to Wed 7 Jan 2026, 10:00");
    assert_eq!(choices(&form, "whom"), ["u1", "u3"]);
    let reply = workspace.submit(
        "U2",
        &form,
        &[
            ("whom", Enter::Several(&["U1", "U3"])),
            ("reason", Enter::Text("Dentist")),
        ],
    );
    assert_eq!(reply, Value::Null);
    let all = workspace.rota.caller().all("/v1/requests");
    assert_eq!(all.len(), 1);
    assert_eq!(interval(&all[0]["request"]), "06 07", "{}", all[0]);
    let asked = workspace.message("U3", 1);
    assert!(
        asked.text.contains("asks you to cover PLAT team"),
        "{}",
        asked.text
    );
    assert!(asked.text.contains("Dentist"), "{}", asked.text);
    assert_eq!(
        workspace.told("U2", 1),
        "Your request was sent. You stay on call until somebody accepts."
    );
    // Sent again, because the answer was lost, it is asked for and told once.
    workspace.submit(
        "U2",
        &form,
        &[
            ("whom", Enter::Several(&["U1", "U3"])),
            ("reason", Enter::Text("Dentist")),
        ],
    );
    assert_eq!(workspace.rota.caller().all("/v1/requests").len(), 1);
    nothing_more_is_told(&workspace, "U2");
    let _ = rotation;
}

#[test]
fn forms_about_many_rotations_fit() {
    let workspace = Workspace::with_people(3);
    for number in 0..20 {
        workspace.daily(&format!("TEAM{number}"), "U1 U2 U3");
    }
    for (words, field) in [("swap", "theirs"), ("cover", "turn")] {
        let form = workspace.form("U2", words);
        let shown = choices(&form, field).len();
        assert!(shown > 60 && shown <= 300, "{shown}");
        let command = format!("`/rota CODE {words}`");
        assert!(form.to_string().contains(&command), "{words}");
    }
    // All turns of one rotation fit.
    let form = workspace.form("U2", "TEAM7 swap");
    assert!(choices(&form, "theirs").len() > 30);
    assert!(!form.to_string().contains("CODE"));
}

#[test]
fn a_form_that_slack_does_not_open_is_excused() {
    let workspace = Workspace::with_people(3);
    workspace.daily("PLAT", "U1 U2 U3");
    workspace
        .slack
        .fail("views.open", Failure::Code("view_too_large"), 1);
    assert_eq!(
        workspace.said("U2", "PLAT cover"),
        "Slack did not open the form, and nothing was changed. Try again in a moment."
    );
}

#[test]
fn refusals_are_in_the_zone_and_the_words_of_the_reader() {
    let workspace = Workspace::with_people(4);
    workspace.daily("PLAT", "U1 U2 U3");
    let form = workspace.form("U2", "cover");
    workspace.rota.to("2026-01-06T12:00Z");
    let entered = [
        ("turn", Enter::Pick("Tue 6")),
        ("whom", Enter::Several(&["U3"])),
        ("from", Enter::At("2026-01-06T09:00Z")),
        ("to", Enter::At("2026-01-06T10:00Z")),
    ];
    let reply = workspace.submit("U2", &form, &entered);
    assert_eq!(
        wrong(&reply, "to"),
        "This time is over; choose one after Tue 6 Jan 2026, 13:00."
    );
    assert_eq!(
        workspace.said("U1", "PLAT set <@U2> <@U3>"),
        "2 people are too many: 1 can be on call at once."
    );
}

#[test]
fn what_is_wrong_stands_beside_its_field() {
    let workspace = Workspace::with_people(4);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    let form = workspace.form("U2", "cover");
    for (entered, at, expected) in [
        (vec![], "turn", "Choose a turn."),
        (
            vec![("turn", Enter::Pick("Tue 6"))],
            "whom",
            "Choose whom to ask.",
        ),
        (
            vec![
                ("turn", Enter::Pick("Tue 6")),
                ("whom", Enter::Several(&["U4"])),
            ],
            "whom",
            "U4 does not take turns in these hours.",
        ),
        (
            vec![
                ("turn", Enter::Pick("Tue 6")),
                ("whom", Enter::Several(&["U2"])),
            ],
            "whom",
            "That is you; ask another person.",
        ),
        (
            vec![
                ("turn", Enter::Pick("Tue 6")),
                ("whom", Enter::Several(&["U3"])),
                ("from", Enter::At("2026-01-07T09:00Z")),
                ("to", Enter::At("2026-01-06T09:00Z")),
            ],
            "to",
            "",
        ),
    ] {
        let reply = workspace.submit("U2", &form, &entered);
        let said = wrong(&reply, at);
        assert!(said != "-" && said.contains(expected), "{reply}");
    }
    assert!(workspace.rota.caller().all("/v1/requests").is_empty());
    // A part of it.
    let entered = [
        ("turn", Enter::Pick("Tue 6")),
        ("whom", Enter::Several(&["U3"])),
        ("from", Enter::At("2026-01-06T12:00Z")),
        ("to", Enter::At("2026-01-06T15:00Z")),
    ];
    assert_eq!(workspace.submit("U2", &form, &entered), Value::Null);
    let all = workspace.rota.caller().all("/v1/requests");
    assert_eq!(interval(&all[0]["request"]), "06T12 06T15");
    // Whoever has no turn is told so.
    assert!(
        workspace
            .said("U4", "cover")
            .contains("You have no turn in the next eight weeks")
    );
    let _ = rotation;
}

#[test]
fn a_turn_that_was_given_away_meanwhile_is_refused() {
    let workspace = Workspace::with_people(3);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    let form = workspace.form("U2", "PLAT cover");
    rotation.assign_at(0, "U3", "06 07");
    let reply = workspace.submit("U2", &form, &[("whom", Enter::Several(&["U1"]))]);
    assert!(wrong(&reply, "turn") != "-", "{reply}");
    // A rotation that is gone, or not theirs any more.
    let form = workspace.form("U2", "PLAT cover");
    rotation
        .patch(json!({ "public": false, "userIds": ["U1", "U3"] }))
        .ok();
    let reply = workspace.submit("U2", &form, &[("whom", Enter::Several(&["U1"]))]);
    assert!(
        reply.to_string().contains("There is no such rotation"),
        "{reply}"
    );
    assert!(workspace.rota.caller().all("/v1/requests").is_empty());
}

/// rules.md 23.3.
#[test]
fn conflicts_are_shown_and_acknowledged() {
    let workspace = Workspace::with_people(3);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    rotation.away("U3", "2026-01-06T10:00Z", "2026-01-06T12:00Z");
    let form = workspace.form("U2", "PLAT cover");
    let whom = || ("whom", Enter::Several(&["U3"]));
    let shown = updated(&workspace.submit("U2", &form, &[whom()]), &form);
    assert!(shown.to_string().contains("<@U3> is away"), "{shown}");
    // What was entered is still there.
    assert_eq!(field(&shown, "whom")["initial_options"][0]["value"], "U3");
    assert!(workspace.rota.caller().all("/v1/requests").is_empty());
    // Another absence meanwhile: the box was of what was shown.
    rotation.away("U3", "2026-01-06T13:00Z", "2026-01-06T14:00Z");
    let reply = workspace.submit("U2", &shown, &[whom(), ("acknowledged", Enter::Tick)]);
    let shown = updated(&reply, &form);
    let reply = workspace.submit("U2", &shown, &[whom(), ("acknowledged", Enter::Tick)]);
    assert_eq!(reply, Value::Null);
    assert_eq!(workspace.rota.caller().all("/v1/requests").len(), 1);
}

#[test]
fn a_swap_is_offered() {
    let workspace = Workspace::with_people(3);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    let form = workspace.form("U2", "swap");
    assert_eq!(form["callback_id"], "swap");
    let theirs = choices(&form, "theirs");
    assert_eq!(
        theirs[0],
        "u3: Wed 7 Jan 2026, 10:00 to Thu 8 Jan 2026, 10:00"
    );
    let reply = workspace.submit("U2", &form, &[("turn", Enter::Pick("Tue 6"))]);
    assert_eq!(wrong(&reply, "theirs"), "Choose a turn.");
    let entered = || {
        [
            ("turn", Enter::Pick("Tue 6")),
            ("theirs", Enter::Pick("u3: Wed 7")),
        ]
    };
    for _ in 0..2 {
        assert_eq!(workspace.submit("U2", &form, &entered()), Value::Null);
    }
    nothing_more_is_told(&workspace, "U2");
    let asked = workspace.message("U3", 1);
    assert!(asked.text.contains("offers you a swap"), "{}", asked.text);
    // The turn changes hands otherwise while another form is open.
    let form = workspace.form("U2", "PLAT swap");
    rotation.assign_at(0, "U1", "07 08");
    let reply = workspace.submit("U2", &form, &entered());
    assert!(
        wrong(&reply, "theirs") != "-" || wrong(&reply, "turn") != "-",
        "{reply}"
    );
}

#[test]
fn being_away_shows_what_stays() {
    let workspace = Workspace::with_people(3);
    let rotation = workspace.daily("PLAT", "U1 U2 U3");
    let form = workspace.form("U1", "away 2026-01-05 2026-01-07");
    // From the first moment of the one day to the last of the other, in Berlin.
    let begun = field(&form, "from")["initial_date_time"].as_i64();
    assert_eq!(begun, Some(at("2026-01-04T23:00:00Z").as_second()));
    let reply = workspace.submit("U1", &form, &[("reason", Enter::Text("Skiing"))]);
    let shown = updated(&reply, &form);
    assert!(
        shown.to_string().contains("Still yours meanwhile"),
        "{shown}"
    );
    assert!(
        workspace
            .rota
            .caller()
            .all(&rotation.path("/availability"))
            .is_empty()
    );
    let entered = [
        ("reason", Enter::Text("Skiing")),
        ("acknowledged", Enter::Tick),
    ];
    for _ in 0..2 {
        assert_eq!(workspace.submit("U1", &shown, &entered), Value::Null);
    }
    assert_eq!(workspace.told("U1", 1), "Your absence was saved.");
    nothing_more_is_told(&workspace, "U1");
    let all = workspace.rota.caller().all(&rotation.path("/availability"));
    assert_eq!(instant(&all[0]["until"]), "2026-01-07T23:00Z");
    assert_eq!(all[0]["reason"], "Skiing");
    assert_eq!(all[0]["appliesTo"], "allRotations");
    // Nobody to be away from.
    let form = workspace.form("U3", "away");
    let reply = workspace.submit("U3", &form, &[("from", Enter::At("2026-01-07T09:00Z"))]);
    assert_eq!(wrong(&reply, "to"), "Choose a date and a time.");
    let entered = [
        ("from", Enter::At("2026-01-07T09:00Z")),
        ("to", Enter::At("2026-01-06T09:00Z")),
    ];
    let reply = workspace.submit("U3", &form, &entered);
    assert!(
        wrong(&reply, "to").contains("after the beginning"),
        "{reply}"
    );
}
