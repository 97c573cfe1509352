//! `rota who` and `rota next`, credentials, and exit codes of wrong flags.

use super::Shell;
use super::relay::Relay;
use crate::support::*;
use serde_json::{Value, json};

/// DB, of U1 to U3 by weeks and two lanes, and a manual rotation without a code.
fn world(rota: &Rota) -> Rot<'_> {
    let mut body = new_rotation("U1 U2 U3");
    body["code"] = json!("DB");
    body["name"] = json!("Database");
    let rotation = rota.create(body);
    rotation.cover(2, &[always(weekly("UTC", "2026-01-05T09:00"))]);
    rota.create(json!({ "name": "Quiet", "owners": ["U1"], "userIds": ["U1"] }));
    rotation
}

#[test]
fn who_says_who_is_on_call_in_names() {
    let rota = Rota::with_people(3);
    world(&rota);
    let shell = Shell::at(&rota);
    shell.run("who").is(0).says(&[
        "DB",
        "Database",
        "Person U1",
        "Person U2",
        "Lane 1",
        "Quiet",
        "nobody",
    ]);
    let only = shell.run("who db").is(0).output;
    assert!(!only.contains("Quiet"), "{only}");
    let later = shell
        .run("who DB --at 2026-01-13T00:00:00Z --json")
        .is(0)
        .json();
    let path = "/v1/on-call?at=2026-01-13T00:00:00Z";
    assert_eq!(later[0], rota.get(path).is(200).json()["data"][0]);
    assert_eq!(later.as_array().map(Vec::len), Some(1));
    shell
        .run("who DBB")
        .is(1)
        .says(&["there is no rotation with the code DBB", "did you mean DB?"]);
    shell
        .run("who --at tomorrow")
        .is(1)
        .says(&["--at", "2026-11-30T09:00:00+01:00"]);
}

#[test]
fn without_the_directory_people_have_their_ids() {
    let rota = Rota::with_people(3);
    world(&rota);
    let shell = Shell::at(&rota).with_key(&rota.key("read:oncall read:rotations"));
    let who = shell.run("who DB").is(0).output;
    assert!(who.contains("U1") && !who.contains("Person"), "{who}");
    shell.run("next DB").is(0).says(&["U3"]);
}

#[test]
fn next_is_each_cells_next_turn() {
    let rota = Rota::with_people(3);
    let rotation = world(&rota);
    rota.to("2026-01-06T12:00Z");
    let shell = Shell::at(&rota);
    let printed = shell.run("next DB --json").is(0).json();
    let path = rotation.path("/schedule?from=2026-01-06T12:00:00Z&to=2026-02-06T12:00:00Z");
    let items = rota.get(&path).is(200).json();
    let expected: Vec<&Value> = items["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item["start"] == "2026-01-12T09:00:00Z")
        .collect();
    assert_eq!(
        printed.as_array().unwrap().iter().collect::<Vec<_>>(),
        expected
    );
    shell
        .run("next db")
        .is(0)
        .says(&["Lane 1", "Person U3", "2026-01-12T09:00:00Z"]);
    shell
        .run("next XY")
        .is(1)
        .says(&["no rotation with the code XY"]);
}

/// A turn that goes on after shut hours is not the next one.
#[test]
fn shut_hours_make_no_next_turn() {
    let rota = Rota::with_people(2);
    let mut body = new_rotation("U1 U2");
    body["code"] = json!("DAY");
    let rotation = rota.create(body);
    let daytime = hours(
        "UTC",
        &weekdays("09:00", "17:00"),
        weekly("UTC", "2026-01-05T09:00"),
    );
    rotation.cover(1, &[daytime]);
    rota.to("2026-01-06T20:00Z");
    let shell = Shell::at(&rota);
    let next = shell.run("next DAY --json").is(0).json();
    assert_eq!(next[0]["start"], "2026-01-12T09:00:00Z", "{next}");
    assert_ne!(
        next[0]["userId"],
        rotation.read()["cells"][0]["holder"]["userId"]
    );
}

#[test]
fn next_without_a_code_is_the_persons_own() {
    let rota = Rota::with_people(3);
    world(&rota);
    let shell = Shell::at(&rota);
    shell
        .run("next")
        .is(1)
        .says(&["a key is nobody's", "rota token create"]);
    let own = Shell::at(&rota).with_key(&rota.token("U3"));
    let next = own.run("next --json").is(0).json();
    assert_eq!(next.as_array().map(Vec::len), Some(1));
    assert_eq!(next[0]["userId"], "U3");
    own.run("next").is(0).says(&["Database"]);
}

#[test]
fn the_key_may_stand_in_a_file_and_the_server_in_a_flag() {
    let rota = Rota::with_people(3);
    world(&rota);
    let shell = Shell::at(&rota);
    shell.dir.file("key", format!("{}\n", rota.key));
    let mut command = shell.command("who --key-file key --url");
    command
        .arg(&rota.url)
        .env_remove("ROTA_URL")
        .env_remove("ROTA_API_KEY");
    assert_eq!(run(&mut command).0, 0);
    // No database is opened: none is there.
    assert_eq!(
        run(shell.command("who").args(["--db", "/nowhere/rota.db"])).0,
        0
    );
    for (line, words) in [
        ("who --key-file nothing", "nothing: "),
        ("who --ca-file nothing", "nothing: "),
        ("who --proxy x", "is not a proxy"),
        ("who --url ftp://x", "https"),
        (
            "who --url http://127.0.0.1:1",
            "http://127.0.0.1:1: connection failed",
        ),
    ] {
        shell.run(line).is(1).says(&[words]);
    }
    Shell::at(&rota)
        .with_key("")
        .run("who")
        .is(1)
        .says(&["ROTA_API_KEY", "--key-file"]);
    Shell::at(&rota)
        .with_key("two words")
        .run("who")
        .is(1)
        .says(&["the key is not one"]);
    Shell::at(&rota)
        .with_key("svc_key_x_y")
        .run("who")
        .is(1)
        .says(&["(unknown)"]);
    let poor = rota.key("read:rotations");
    Shell::at(&rota)
        .with_key(&poor)
        .run("who")
        .is(1)
        .says(&["read:oncall", "(scope_denied)"]);
}

/// What answers may be anything.
#[test]
fn other_servers_are_noticed() {
    let rota = Rota::with_people(1);
    let page = Shell::at(&rota).with_url(format!("{}/nothing/here", rota.url));
    page.run("who").is(1).says(&["nothing at this path"]);
    let relay = Relay::to("127.0.0.1:1");
    Shell::at(&rota)
        .with_url(relay.url.clone())
        .run("who")
        .is(1)
        .says(&["connection failed"]);
}

#[test]
fn wrong_flags_are_one_here_and_two_elsewhere() {
    let rota = Rota::with_people(1);
    let shell = Shell::at(&rota);
    for line in [
        "plan",
        "plan x.toml --days 0",
        "apply x.toml --at tomorrow",
        "export --no",
        "who --at",
        "next A B",
    ] {
        shell.run(line).is(1);
    }
    shell.run("directory export --no").is(2);
    shell
        .run("plan --help")
        .is(0)
        .says(&["--take-over", "Exit code"]);
}
