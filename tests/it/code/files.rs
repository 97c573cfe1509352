//! What is wrong in files, and what the key may not do: said with file, line, key and the nearest known name.

use super::{Shell, weekly_file};
use crate::support::*;
use serde_json::json;

#[test]
fn names_are_resolved_or_refused_with_their_line() {
    let rota = Rota::at(MONDAY);
    let mut all = directory(4);
    all["users"][2]["displayName"] = json!("Sam");
    all["users"][3]["displayName"] = json!("Sam");
    all["groups"] = json!([group("G1", "U1")]);
    rota.import(&all);
    let shell = Shell::at(&rota);
    for (members, words) in [
        (
            "\"Sam\"",
            "team.toml:5: rotation.members: `Sam` is not known here; several have it: write one of U3, U4",
        ),
        (
            "\"u2@exmaple.com\"",
            "`u2@exmaple.com` is not known here; did you mean u2@example.com?",
        ),
        (
            "\"U1\", \"U1@Example.com\"",
            "team.toml:5: rotation.members: `U1@Example.com` is named twice",
        ),
    ] {
        let file = format!(
            "[[rotation]]\ncode = \"DB\"\nname = \"x\"\nowners = [\"U1\"]\nmembers = [{members}]\n"
        );
        shell.file(&file).run("plan team.toml").is(1).says(&[words]);
        shell.run("apply team.toml --yes").is(1).says(&[words]);
    }
    for (line, words) in [
        (
            "groups = [\"Grup G1\"]",
            "rotation.groups: `Grup G1` is not known here; did you mean Group G1?",
        ),
        (
            "[[rotation.channel]]\nchannel = \"chanel-c1\"",
            "rotation.channel.channel: `chanel-c1` is not known here; did you mean channel-c1?",
        ),
    ] {
        let file =
            format!("[[rotation]]\ncode = \"DB\"\nname = \"x\"\nowners = [\"U1\"]\n{line}\n");
        shell.file(&file).run("plan team.toml").is(1).says(&[words]);
    }
    shell
        .file("[[rotation]]\ncode = \"DB\"\nname = \"x\"\n")
        .run("plan team.toml")
        .is(1)
        .says(&["team.toml:1: rotation.owners: missing"]);
    shell
        .file("[[rotation]]\nid = \"rot_x\"\nname = \"x\"\n")
        .run("plan team.toml")
        .is(1)
        .says(&["team.toml:2: rotation.id: there is no rotation `rot_x`"]);
    shell
        .run("plan nothing.toml")
        .is(1)
        .says(&["nothing.toml: "]);
    assert_eq!(
        rota.get("/v1/rotations").is(200).json()["totalItems"],
        0,
        "nothing was written"
    );
}

/// What the server refuses of a body is said with the line of the member.
#[test]
fn the_servers_refusals_have_their_line() {
    let rota = Rota::with_people(2);
    let shell = Shell::at(&rota);
    let file = weekly_file("DB", "U1 U2", "")
        .replace("time_zone = \"UTC\"", "time_zone = \"UTC\"\nperiod = 0");
    shell
        .file(&file)
        .run("plan team.toml")
        .is(1)
        .says(&["team.toml:10: DB: ", "period"]);
    let file = weekly_file("DB", "U1 U2", "").replace("name = \"Rotation DB\"", "name = \" \"");
    shell
        .file(&file)
        .run("plan team.toml")
        .is(1)
        .says(&["team.toml:3: DB: ", "name"]);
    let file = weekly_file(
        "DB",
        "U1",
        "[[rotation.roster]]\nkey = \"r\"\nmembers = [\"U2\"]",
    ) + "[rotation.cells]\n\"primary/week\" = \"r\"\n";
    shell
        .file(&file)
        .run("plan team.toml")
        .is(1)
        .says(&["team.toml:7: DB: "]);
    let printed = shell
        .run("apply team.toml --yes")
        .is(1)
        .says(&["nothing was written", "team.toml:7: DB: "]);
    assert!(
        printed.output.contains("+ DB"),
        "the plan is shown: {}",
        printed.output
    );
}

/// One rotation by its code and by its id is one.
#[test]
fn one_rotation_named_twice_is_refused() {
    let rota = Rota::with_people(1);
    let rotation = rota.create(json!({ "name": "x", "code": "DB", "owners": ["U1"] }));
    let shell = Shell::at(&rota);
    shell.dir.file(
        "other.toml",
        format!("[[rotation]]\nid = \"{}\"\nname = \"x\"\n", rotation.id),
    );
    shell
        .file("\n[[rotation]]\ncode = \"db\"\nname = \"x\"\n")
        .run("plan team.toml other.toml")
        .is(1)
        .says(&["other.toml:1: rotation.code: this rotation stands at team.toml:2 already"]);
}

/// A rotation that the key cannot see: its code is taken, and nothing more is said.
#[test]
fn what_the_key_does_not_see_is_taken() {
    let rota = Rota::with_people(2);
    rota.create(json!({ "name": "Secret", "code": "DB", "owners": ["U1"] }));
    let token = rota.token("U2");
    let shell = Shell::at(&rota).with_key(&token);
    let printed = shell
        .file("[[rotation]]\ncode = \"DB\"\nname = \"x\"\nowners = [\"U2\"]\n")
        .run("plan team.toml")
        .is(1)
        .says(&["DB: ", "rotation_code_taken"]);
    assert!(!printed.output.contains("Secret"));
    let seen =
        rota.create(json!({ "name": "Seen", "code": "NET", "owners": ["U1"], "public": true }));
    let printed = shell
        .file("[[rotation]]\ncode = \"NET\"\nname = \"Mine\"\n")
        .run("apply team.toml --yes")
        .is(1);
    printed.says(&["NET", "resource_denied"]);
    assert_eq!(seen.read()["name"], "Seen");
    let key = rota.key("read:rotations read:directory");
    let printed = Shell::at(&rota).with_key(&key);
    printed.file("[[rotation]]\ncode = \"NET\"\nname = \"Mine\"\n");
    printed.run("plan team.toml").is(2);
    printed
        .run("apply team.toml --yes")
        .is(1)
        .says(&["write:rotations", "NET"]);
}

#[test]
fn a_partners_rotation_is_not_linked_or_unlinked() {
    let pager = Pager::new();
    let rota = pager.start().demo().go();
    let rotation = rota.create(json!({ "name": "Pager", "code": "PD", "owners": ["UADA"] }));
    let link = json!({ "partner": "pagerPartner", "scheduleId": "S1" });
    let shell = Shell::at(&rota);
    shell.file("[[rotation]]\ncode = \"PD\"\nname = \"Pager\"\nexternal = \"pagerPartner\"\n");
    shell.run("plan team.toml").is(1).says(&[
        "team.toml:4: rotation.external: ",
        "PUT /v1/rotations/{id}/external",
    ]);
    rotation
        .by
        .put_if(&rotation.path("/external"), "*", link)
        .is(200);
    shell.run("plan team.toml").is(0);
    shell
        .file(&shell.run("export PD").is(0).output)
        .run("plan team.toml")
        .is(0);
    shell
        .file("[[rotation]]\ncode = \"PD\"\nname = \"Pager two\"\n")
        .apply("");
    assert_eq!(rotation.read()["name"], "Pager two");
    shell.file("[[rotation]]\ncode = \"PD\"\nname = \"Pager\"\nexternal = \"none\"\n");
    shell
        .run("plan team.toml")
        .is(1)
        .says(&["it is \"pagerPartner\" on the server", "DELETE"]);
    shell.file("[[rotation]]\ncode = \"PD\"\nname = \"Pager\"\nmembers = []\n");
    shell
        .run("plan team.toml")
        .is(1)
        .says(&["team.toml:4: rotation.members: a partner decides it"]);
}

#[test]
fn the_free_tier_is_refused_before_anything_is_written() {
    let rota = Rota::with_people(2);
    rota.plan("free");
    let shell = Shell::at(&rota);
    let lanes = weekly_file("AA", "U1 U2", "[[rotation.lane]]\nkey = \"second\"");
    shell.file(&format!("{}{lanes}", weekly_file("DB", "U1 U2", "")));
    shell
        .run("apply team.toml --yes")
        .is(1)
        .says(&["AA: ", "payment_required"]);
    assert_eq!(rota.get("/v1/rotations").is(200).json()["totalItems"], 0);
}

/// Somebody whom a file still names is a line of the plan.
#[test]
fn who_has_left_is_told_and_no_error() {
    let rota = Rota::with_people(3);
    let shell = Shell::at(&rota);
    shell.file(&weekly_file("DB", "U1 U2 U3", ""));
    shell.apply("");
    rota.people(2);
    let printed = shell.run("plan team.toml").is(0);
    printed.says(&["Person U3 has left; team.toml:5 still has the name"]);
    shell.apply("");
    shell.file(&weekly_file("DB", "U1 U2 U9", ""));
    shell
        .run("plan team.toml")
        .is(1)
        .says(&["`u9@example.com` is not known here"]);
}
