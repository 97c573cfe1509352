//! `rota plan` and `rota apply`: exit codes, what is asked, what is written, who manages, what is deleted, and runs that stop.

use super::relay::{Loses, Relay};
use super::{Shell, weekly_file};
use crate::support::*;
use serde_json::{Value, json};

#[test]
fn a_file_is_applied_once() {
    let rota = Rota::with_people(3);
    let shell = Shell::at(&rota);
    shell.file(&weekly_file(
        "DB",
        "U1 U2 U3",
        "description = \"All of them\"\npublic = true",
    ));
    let planned = shell.run("plan team.toml").is(2).says(&[
        "+ DB Rotation DB: made",
        "Person U1",
        "1 to make",
    ]);
    assert!(
        !planned.output.contains('\u{1b}'),
        "no colour without a terminal"
    );
    assert_eq!(rota.get("/v1/rotations").is(200).json()["totalItems"], 0);
    shell
        .run("apply team.toml")
        .is(1)
        .says(&["there is no terminal to ask at; add --yes"]);
    let applied = shell.run("apply team.toml --yes --json").is(0).json();
    let rotation = shell.rotation("DB");
    let written = json!([{ "code": "DB", "rotationId": rotation.id, "action": "create" }]);
    assert_eq!(
        (&applied["written"], &applied["failed"]),
        (&written, &Value::Null)
    );
    let shown = rotation.read();
    assert_eq!(
        (text(&shown["description"]), &shown["public"]),
        ("All of them", &json!(true))
    );
    assert_eq!(rotation.holders(), "U1");
    assert_eq!(shown["lanes"][0]["key"], "primary");
    let etag = rotation.etag();
    shell
        .run("plan team.toml")
        .is(0)
        .says(&["Nothing to change."]);
    shell.run("apply team.toml").is(0);
    let again = shell.run("apply team.toml --json").is(0).json();
    assert_eq!(
        (&again["written"], &again["failed"]),
        (&json!([]), &Value::Null)
    );
    assert_eq!(rotation.etag(), etag, "nothing was written");
}

/// Each setting from what to what, people as who comes, goes and moves.
#[test]
fn a_plan_says_what_changes_in_names() {
    let rota = Rota::with_people(4);
    let shell = Shell::at(&rota);
    shell.file(&weekly_file(
        "DB",
        "U1 U2 U3",
        "[[rotation.channel]]\nchannel = \"channel-c1\"",
    ));
    shell.apply("");
    let changed = weekly_file("DB", "U4 U3 U1", "skips_are_off_time = true\non_duty_group = \"\"\nwarnings = { off = [\"holidayDuty\"] }\n[[rotation.channel]]\nchannel = \"channel-c1\"\nposts_messages = true\nsyncs_topic = false")
        .replace("09:00", "10:00");
    let planned = shell.file(&changed).run("plan team.toml").is(2);
    let words = [
        "~ DB Rotation DB: changed now",
        "skips_are_off_time: false -> true",
        "members:\n    - Person U2\n    + Person U4 (in front)\n    ~ Person U",
        "hand_over",
        "instead of",
        "Hours on call:",
        "Person U4: 0 -> ",
    ];
    let planned = planned.says(&words);
    for id in ["U1,", "U2\"", "C1", "rot_", "cel_", "lan_", "win_"] {
        assert!(!planned.output.contains(id), "{id}: {}", planned.output);
    }
    let json = shell.run("plan team.toml --json").is(2).json();
    assert!(
        json["planId"].is_string() && json["rotations"][0]["action"] == "change",
        "{json}"
    );
}

/// Who is on call instead of whom: ten, then a count.
#[test]
fn long_plans_are_cut_short() {
    let rota = Rota::with_people(3);
    let shell = Shell::at(&rota);
    let daily = |people: &str| {
        weekly_file("DB", people, "").replace(
            "every = \"week\"\nat = \"09:00\"",
            "every = \"day\"\nat = [\"09:00\"]",
        )
    };
    shell.file(&daily("U1 U2"));
    shell.apply("");
    let planned = shell
        .file(&daily("U1 U3"))
        .run("plan team.toml --days 60")
        .is(2);
    let told = planned
        .output
        .lines()
        .filter(|line| line.contains(" instead of "))
        .count();
    assert_eq!(told, 10, "{}", planned.output);
    assert!(planned.output.contains("    and "), "{}", planned.output);
}

#[test]
fn apply_of_a_plan_is_that_plan_or_nothing() {
    let rota = Rota::with_people(3);
    let shell = Shell::at(&rota);
    let files = format!(
        "{}{}",
        weekly_file("DB", "U1 U2", ""),
        weekly_file("NET", "U2 U3", "")
    );
    shell.file(&files);
    let id = shell.run("plan team.toml --json").is(2).json()["planId"].clone();
    let id = text(&id).to_owned();
    assert_eq!(
        shell.run("plan team.toml --json").json()["planId"],
        id.as_str(),
        "the same plan has the same id"
    );
    assert_ne!(
        shell
            .run("plan team.toml --json --at next-hand-over")
            .json()["planId"],
        id.as_str()
    );
    shell.file(&files.replace("Rotation NET", "Network"));
    shell
        .run(&format!("apply team.toml --yes --plan {id}"))
        .is(1)
        .says(&["nothing was written", "; not as planned: NET\n"]);
    assert_eq!(rota.get("/v1/rotations").is(200).json()["totalItems"], 0);
    // One that is not to be written any more, and one that was not planned, by their names.
    let other = weekly_file("DB", "U1 U2", "") + &weekly_file("WEB", "U2 U3", "");
    shell.file(&other);
    shell
        .run(&format!("apply team.toml --yes --plan {id}"))
        .is(1)
        .says(&["; new: WEB; no longer to be done: a rotation that no file has any more\n"]);
    shell.file(&files);
    shell
        .run(&format!("apply team.toml --yes --plan {id}"))
        .is(0);
    shell
        .run(&format!("apply team.toml --yes --plan {id}"))
        .is(1)
        .says(&["; no longer to be done: DB, NET\n"]);
    // Deletions too, also of what stays now.
    let id = |flags: &str| {
        let printed = shell.run(&format!("plan team.toml --json {flags}"));
        text(&printed.json()["planId"]).to_owned()
    };
    shell.file(&format!("managed_by = \"team\"\n{files}"));
    shell.apply("");
    let one = format!("managed_by = \"team\"\n{}", weekly_file("DB", "U1 U2", ""));
    shell.file(&one);
    let pruned = id("--prune");
    shell
        .run(&format!("apply team.toml --yes --plan {pruned}"))
        .is(1)
        .says(&["; no longer to be done: NET\n"]);
}

#[test]
fn what_another_file_manages_is_taken_only_when_told() {
    let rota = Rota::with_people(2);
    let shell = Shell::at(&rota);
    let file = |manager: &str| {
        format!(
            "managed_by = \"{manager}\"\n{}",
            weekly_file("DB", "U1 U2", "")
        )
    };
    shell.file(&weekly_file("DB", "U1 U2", ""));
    shell.apply("");
    shell.file(&file("ours"));
    shell.apply("");
    assert_eq!(
        shell.rotation("DB").read()["managedBy"],
        "ours",
        "one without is taken"
    );
    for text in [file("theirs"), weekly_file("DB", "U1 U2", ""), file("")] {
        shell.file(&text);
        for command in ["plan team.toml", "apply team.toml --yes"] {
            shell
                .run(command)
                .is(1)
                .says(&["`ours` manages it on the server; --take-over takes it"]);
        }
    }
    shell
        .file(&file("theirs"))
        .run("plan team.toml --take-over")
        .is(2)
        .says(&["managed_by: \"ours\" -> \"theirs\""]);
    shell.apply("--take-over");
    assert_eq!(shell.rotation("DB").read()["managedBy"], "theirs");
}

#[test]
fn prune_deletes_what_the_file_manages_and_lacks() {
    let rota = Rota::with_people(2);
    let shell = Shell::at(&rota);
    let both = format!(
        "managed_by = \"team\"\n{}{}",
        weekly_file("DB", "U1 U2", ""),
        weekly_file("NET", "U1 U2", "")
    );
    shell.file(&both);
    shell.apply("");
    rota.create(json!({ "name": "Other", "code": "OTHER", "owners": ["U1"] }));
    shell.file(&format!(
        "managed_by = \"team\"\n{}",
        weekly_file("DB", "U1 U2", "")
    ));
    shell.run("plan team.toml").is(0).says(&[
        "Only on the server",
        "NET Rotation NET",
        "OTHER Other",
    ]);
    shell
        .run("plan team.toml --prune")
        .is(2)
        .says(&["- NET Rotation NET: deleted", "1 to delete"]);
    shell
        .run("plan team.toml --prune --at next-hand-over")
        .is(1)
        .says(&["--prune deletes at once"]);
    let net = shell.rotation("NET");
    let applied = shell
        .run("apply team.toml --yes --prune --json")
        .is(0)
        .json();
    assert_eq!(
        applied["written"],
        json!([{ "code": "NET", "rotationId": net.id, "action": "delete" }])
    );
    net.get("").is(404);
    // A file may hold nothing but who manages.
    shell
        .file("managed_by = \"team\"\n")
        .run("plan team.toml --prune")
        .is(2)
        .says(&["- DB"]);
    shell.apply("--prune");
    let left = rota.get("/v1/rotations").is(200).json();
    assert_eq!(
        (&left["totalItems"], &left["data"][0]["code"]),
        (&json!(1), &json!("OTHER"))
    );
}

/// Three rotations; the network fails after one is written.
#[test]
fn a_run_that_stops_says_what_it_wrote_and_the_next_goes_on() {
    let rota = Rota::with_people(2);
    let relay = Relay::to(rota.address());
    let shell = Shell::at(&rota).with_url(relay.url.clone());
    let files = |description: &str| {
        ["AA", "BB", "CC"]
            .map(|code| weekly_file(code, "U1 U2", &format!("description = \"{description}\"")))
            .concat()
    };
    shell.file(&files("one"));
    shell.apply("");
    shell.file(&files("two"));
    relay.lose(1, 100, Loses::Requests);
    let printed = shell.run("apply team.toml --yes --json").is(1);
    let outcome = printed.json();
    assert_eq!(outcome["written"][0]["code"], "AA");
    assert_eq!(outcome["written"].as_array().map(Vec::len), Some(1));
    assert_eq!(outcome["failed"]["code"], "BB");
    assert!(
        outcome["failed"]["problem"]["detail"].is_string(),
        "{outcome}"
    );
    printed.says(&[
        "written: AA (change)",
        "not tried: CC",
        "run it again to go on",
    ]);
    let descriptions = || {
        ["AA", "BB", "CC"].map(|code| text(&shell.rotation(code).read()["description"]).to_owned())
    };
    assert_eq!(descriptions(), ["two", "one", "one"]);
    relay.lose(i64::MAX, 0, Loses::Requests);
    let again = shell.run("apply team.toml --yes --json").is(0).json();
    assert_eq!(
        again["written"].as_array().map(Vec::len),
        Some(2),
        "{again}"
    );
    assert_eq!(descriptions(), ["two"; 3]);
}

/// A new rotation whose change is lost is there, and the next run makes it what the file says.
#[test]
fn a_rotation_that_was_only_made_is_finished_by_the_next_run() {
    let rota = Rota::with_people(2);
    let relay = Relay::to(rota.address());
    let shell = Shell::at(&rota).with_url(relay.url.clone());
    shell.file(&weekly_file("DB", "U1 U2", ""));
    relay.lose(1, 100, Loses::Requests);
    let printed = shell.run("apply team.toml --yes").is(1);
    printed.says(&["written: DB (create)", "run it again to go on"]);
    assert_eq!(shell.rotation("DB").read()["mode"], "manual");
    relay.lose(i64::MAX, 0, Loses::Requests);
    shell.apply("");
    assert_eq!(shell.rotation("DB").holders(), "U1");
    shell.run("plan team.toml").is(0);
}

/// An answer that is lost is asked for again, and nothing is done twice.
#[test]
fn a_lost_answer_writes_nothing_twice() {
    let rota = Rota::with_people(2);
    let relay = Relay::to(rota.address());
    let shell = Shell::at(&rota).with_url(relay.url.clone());
    shell.file(&weekly_file("DB", "U1 U2", ""));
    relay.lose(0, 1, Loses::Answers);
    shell.apply("");
    assert_eq!(rota.get("/v1/rotations").is(200).json()["totalItems"], 1);
    shell.file(&weekly_file("DB", "U2 U1", ""));
    let entries = |rota: &Rota| rota.caller().all("/v1/audit").len();
    let before = entries(&rota);
    relay.lose(0, 1, Loses::Answers);
    shell.apply("");
    assert_eq!(shell.rotation("DB").order(), "U2 U1");
    assert_eq!(entries(&rota), before + 1, "one write");
}

/// Topics that are off, names of an only lane, lists as JSON: what is not compared is no change.
#[test]
fn what_cannot_be_compared_is_no_change() {
    let rota = Rota::with_people(2);
    let shell = Shell::at(&rota);
    let more = "enable_topic = false\n[[rotation.channel]]\nchannel = \"channel-c1\"\nposts_messages = false\nsyncs_topic = false\n[[rotation.channel]]\nchannel = \"channel-c2\"";
    shell.file(
        &weekly_file("DB", "U1 U2", more)
            .replace("key = \"primary\"", "key = \"primary\"\nname = \"Primary\""),
    );
    shell.apply("");
    shell.run("plan team.toml").is(0);
    let rotation = shell.rotation("DB");
    let channels = rotation.read()["channelSettings"].as_array().map(Vec::len);
    assert_eq!(
        channels,
        Some(2),
        "a channel that posts nothing has its topic"
    );
    let json = shell.run("export DB --json").is(0).output;
    shell.dir.file("team.json", json);
    shell.run("plan team.json").is(0);
    rotation.patch(json!({ "description": "by hand" })).is(200);
    shell
        .run("plan team.json")
        .is(2)
        .says(&["description: \"by hand\" -> none"]);
}

#[test]
fn settings_with_routes_of_their_own_are_written_too() {
    let rota = Rota::at(MONDAY);
    let mut all = directory(2);
    all["groups"] = json!([group("G1", "U1")]);
    rota.import(&all);
    let shell = Shell::at(&rota);
    let more = "on_duty_group = \"db-oncall\"\nmentions = { expires_after_minutes = 30, remind_after_minutes = 5 }\nwarnings = { off = [\"holidayDuty\"], short_rest_hours = 12 }\nsummary = { day = \"monday\", time = \"08:00\", time_zone = \"Europe/Oslo\", channels = [\"channel-c1\"] }\n[[rotation.channel]]\nchannel = \"channel-c1\"";
    shell.file(&weekly_file("DB", "U1 U2", more));
    shell.apply("");
    let rotation = shell.rotation("DB");
    let mentions = rotation.get("/mention-settings").is(200).json();
    assert_eq!(
        (
            int(&mentions["expiresAfterMinutes"]),
            int(&mentions["remindAfterMinutes"])
        ),
        (30, 5)
    );
    let warnings = rotation.get("/warning-settings").is(200).json();
    assert_eq!(
        (&warnings["off"], int(&warnings["shortRestHours"])),
        (&json!(["holidayDuty"]), 12)
    );
    let shown = rotation.read();
    assert!(
        shown["onDutyUserGroupId"].is_string() && shown["summary"]["channelIds"] == json!(["C1"]),
        "{shown}"
    );
    shell.run("plan team.toml").is(0);
    shell.file(&weekly_file("DB", "U1 U2", "on_duty_group = \"g1\"\nmentions = { remind_after_minutes = 0 }\nsummary = {}\nchannel = []"));
    shell.apply("");
    let shown = rotation.read();
    assert_eq!(
        (
            &shown["onDutyUserGroupId"],
            &shown["summary"],
            &shown["channelSettings"]
        ),
        (&json!("G1"), &Value::Null, &json!([]))
    );
    let mentions = rotation.get("/mention-settings").is(200).json();
    assert_eq!(
        (
            int(&mentions["expiresAfterMinutes"]),
            &mentions["remindAfterMinutes"]
        ),
        (30, &Value::Null)
    );
}
