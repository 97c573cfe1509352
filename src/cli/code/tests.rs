//! Files: what is read of them, and what is said of what is wrong.

use super::cadence;
use super::document::{Out, Table, toml};
use super::fault::Source;
use super::file::{self, Files};
use super::subject::When;
use serde_json::{Value, json};

fn read(name: &str, text: &str) -> Result<Files, Vec<String>> {
    let files = [(Source::new(name), text.to_owned())];
    file::read(&files).map_err(|faults| faults.iter().map(ToString::to_string).collect())
}

fn wrong(text: &str) -> Vec<String> {
    read("team.toml", text).map(drop).expect_err("faults")
}

/// A rotation with these lines more.
fn rotation(more: &str) -> String {
    format!("[[rotation]]\ncode = \"DB\"\nname = \"Database\"\n{more}\n")
}

/// The rotation with a window whose hand-over has these lines.
fn hand_over(lines: &str) -> String {
    rotation(&format!(
        "[[rotation.lane]]\nkey = \"a\"\n[[rotation.window]]\nkey = \"w\"\ntime_zone = \"Europe/Oslo\"\n\
         [rotation.window.hand_over]\n{lines}"
    ))
}

fn cadence_of(lines: &str) -> Value {
    let files =
        read("team.toml", &hand_over(lines)).unwrap_or_else(|faults| panic!("{lines}: {faults:?}"));
    let grid = files.entries[0].grid.clone().expect("a grid");
    grid.windows[0].cadence.clone()
}

#[test]
fn what_is_wrong_is_said_with_file_line_and_key() {
    let grid = "[[rotation.lane]]\nkey = \"a\"\n[[rotation.window]]\nkey = \"w\"\n";
    let twice = format!("{grid}[[rotation.lane]]\nkey = \"a\"");
    let cell = format!("{grid}[rotation.cells]\n\"b/w\" = \"r\"");
    let no_cell = format!("{grid}[[rotation.roster]]\nkey = \"r\"\nmembers = []");
    for (text, expected) in [
        (
            rotation("descripton = \"x\""),
            "team.toml:4: rotation.descripton: unknown; did you mean description?",
        ),
        (
            "manged_by = \"x\"".into(),
            "team.toml:1: manged_by: unknown; did you mean managed_by?",
        ),
        (
            rotation("public = 1"),
            "team.toml:4: rotation.public: write true or false, not a number",
        ),
        (
            rotation("owners = \"ana\""),
            "team.toml:4: rotation.owners: write a list, not a text",
        ),
        (
            rotation("owners = [\n  \"ana\",\n  7]"),
            "team.toml:6: rotation.owners: write a list of texts, not a number",
        ),
        (
            "[[rotation]]\nname = \"x\"".into(),
            "team.toml:1: rotation.code: missing; write code = \"DB\", by which the rotation is found",
        ),
        (
            "[[rotation]]\ncode = \"x\"".into(),
            "team.toml:1: rotation.name: missing; write name = \"Database\"",
        ),
        ("[[rotation]\n".into(), "team.toml:1: "),
        (
            rotation("[rotation.absence_policy]\ncalendars = \"lng\""),
            "team.toml:5: rotation.absence_policy.calendars: `lng` is not known; did you mean long?",
        ),
        (
            rotation("warnings = { off = [\"holidayDut\"] }"),
            "team.toml:4: rotation.warnings.off: `holidayDut` is not known; did you mean holidayDuty?",
        ),
        (
            rotation("dealing = { shares = [{ user_id = \"a\" }] }"),
            "team.toml:4: rotation.dealing.shares.percent: missing; write percent = 50",
        ),
        (
            rotation("external = \"pagerpartner\""),
            "team.toml:4: rotation.external: `pagerpartner` is not known; did you mean pagerPartner?",
        ),
        (
            rotation("external = \"none\"\nmembers = []"),
            "team.toml:5: rotation.members: a rotation with `external` has none",
        ),
        (
            rotation("[[rotation.lane]]\nkey = \"a\""),
            "team.toml:1: rotation.window: missing; lanes, windows and cells are the whole grid",
        ),
        (
            rotation(&twice),
            "team.toml:9: rotation.lane.key: `a` stands on line 5 already",
        ),
        (
            rotation(&cell),
            "team.toml:9: rotation.cells.b/w: there is no lane `b`; ",
        ),
        (
            rotation(&no_cell),
            "team.toml:9: rotation.roster.key: no cell deals from `r`; there is none",
        ),
        (
            rotation(&format!(
                "{grid}covered = [\"monday 09:00 to friday 17:00\"]"
            )),
            "team.toml:8: rotation.window.covered: hours need hand-overs",
        ),
        (
            rotation(
                "summary = { day = \"monday\", time = \"08:00\", time_zone = \"EST\", channels = [] }",
            ),
            "team.toml:4: rotation.summary.time_zone: `EST`",
        ),
        (
            hand_over("every = \"weak\""),
            "team.toml:10: rotation.window.hand_over.every: `weak` is not known; did you mean week?",
        ),
        (
            hand_over("every = \"week\"\nat = \"9:00\"\nstarting = 2026-11-23"),
            "team.toml:11: rotation.window.hand_over.at: `9:00` is not a time of day",
        ),
        (
            hand_over("every = \"week\"\nat = \"09:00\""),
            "team.toml:9: rotation.window.hand_over.starting: missing; ",
        ),
        (
            hand_over("every = \"week\"\nat = \"09:00\"\nstarting = 2026-11-23T09:00:00"),
            "team.toml:12: rotation.window.hand_over.starting: `2026-11-23T09:00:00` is neither; ",
        ),
        (
            hand_over("every = \"week\"\non = \"friday\"\nat = \"09:00\"\nstarting = 2026-11-23"),
            "team.toml:11: rotation.window.hand_over.on: `starting` is a monday; ",
        ),
        (
            hand_over("every = \"month\"\non = \"friday\"\nat = \"09:00\"\nstarting = 2026-11-23"),
            "team.toml:11: rotation.window.hand_over.on: unknown; ",
        ),
        (
            hand_over("every = \"week\"\nat = \"08:00\"\nstarting = 2026-11-23T09:00:00+01:00"),
            "team.toml:11: rotation.window.hand_over.at: `starting` is at 09:00 in Europe/Oslo; ",
        ),
        (
            hand_over("every = \"day\"\nstarting = 2026-11-23"),
            "team.toml:9: rotation.window.hand_over.at: missing; ",
        ),
        (
            hand_over(
                "every = \"workday\"\nat = \"09:00\"\nstarting = 2026-11-23\nskip_weekends = false",
            ),
            "team.toml:13: rotation.window.hand_over.skip_weekends: workdays skip both",
        ),
    ] {
        let found = wrong(&text);
        let is_said = found.iter().any(|fault| fault.starts_with(expected));
        assert!(is_said, "{text}\n{found:#?}");
    }
    let all = wrong(&rotation("a = 1\nb = 2"));
    assert_eq!(all.len(), 2, "all at once: {all:?}");
}

#[test]
fn one_rotation_has_one_entry() {
    let text = format!("{}{}", rotation(""), rotation("").replace("DB", "db"));
    let expected =
        "team.toml:6: rotation.code: `DB` stands at team.toml:1 already; a rotation has one entry";
    assert_eq!(wrong(&text), [expected]);
    let other = [
        (Source::new("a.toml"), rotation("id = \"rot_1\"")),
        (
            Source::new("b.toml"),
            "[[rotation]]\nid = \"rot_1\"\nname = \"x\"".to_owned(),
        ),
    ];
    let faults = file::read(&other).map(drop).expect_err("faults");
    assert!(
        faults[0]
            .to_string()
            .starts_with("b.toml:2: rotation.id: `rot_1` stands at a.toml:1"),
        "{faults:?}"
    );
}

#[test]
fn a_manager_may_stand_for_all_and_in_one() {
    let text = format!(
        "managed_by = \"team\"\n{}{}",
        rotation(""),
        rotation("managed_by = \"\"").replace("DB", "NET")
    );
    let files = read("team.toml", &text).expect("a file");
    let managers: Vec<_> = files
        .entries
        .iter()
        .map(|entry| entry.managed_by.clone())
        .collect();
    assert_eq!(managers, [Some(Some("team".to_owned())), Some(None)]);
    assert_eq!(files.managers.into_iter().collect::<Vec<_>>(), ["team"]);
    let files = read("empty.toml", "managed_by = \"team\"").expect("nothing else");
    assert!(files.entries.is_empty() && files.managers.contains("team"));
}

#[test]
fn json_is_read_with_its_lines_and_has_null() {
    let text = "{\n \"rotation\": [{\n  \"code\": \"DB\", \"name\": \"Database\",\n  \"description\": null,\n  \"summary\": null\n }]\n}";
    let files = read("team.json", text).expect("a file");
    let entry = &files.entries[0];
    assert_eq!(entry.settings["description"], Value::Null);
    assert!(matches!(entry.summary, Some(None)) && entry.place.line == 2);
    for (text, expected) in [
        (
            text.replace("description", "desc"),
            "team.json:4: rotation.desc: unknown; ",
        ),
        (
            "{\n\"rotation\": [,]}".into(),
            "team.json:2: expected value",
        ),
        (
            "{ \"rotation\": [], \"rotation\": [] }".into(),
            "team.json:1: `rotation` stands here twice",
        ),
        ("[]".into(), "team.json:1: write a table, not a list"),
        (
            "[".repeat(100) + &"]".repeat(100),
            "team.json:1: too many lists within lists",
        ),
        (
            "{ \"rotation\": [{ \"code\": \"A\", \"name\": \"n\", \"public\": 1.5 }] }".into(),
            "team.json:1: rotation.public: write true or false, not another kind of number",
        ),
    ] {
        let faults = read("team.json", &text).map(drop).expect_err("faults");
        assert!(faults[0].starts_with(expected), "{text}: {faults:?}");
    }
}

#[test]
fn hand_overs_are_cadences() {
    for (lines, expected) in [
        (
            "every = \"week\"\non = \"monday\"\nat = \"09:00\"\nstarting = 2026-11-23\nperiod = 2",
            json!({ "type": "dayOfWeek", "startsAt": "2026-11-23T08:00:00Z", "timeZone": "Europe/Oslo", "period": 2 }),
        ),
        (
            "every = \"weekdays\"\non = [\"monday\", \"thursday\"]\nat = \"09:00\"\nstarting = \"2026-11-23\"",
            json!({ "type": "daysOfWeekList", "daysOfWeek": ["monday", "thursday"], "startsAt": "2026-11-23T08:00:00Z", "timeZone": "Europe/Oslo" }),
        ),
        (
            "every = \"month\"\nat = \"09:00\"\nstarting = 2026-11-30\ntime_zone = \"UTC\"",
            json!({ "type": "dayOfMonth", "startsAt": "2026-11-30T09:00:00Z", "timeZone": "UTC" }),
        ),
        (
            "every = \"nth_weekday\"\non = \"monday\"\nweeks = [1, 3]\nat = \"09:00\"\nstarting = 2026-11-23",
            json!({ "type": "nthWeekdayOfMonth", "dayOfWeek": "monday", "weeksInMonth": [1, 3], "startsAt": "2026-11-23T08:00:00Z", "timeZone": "Europe/Oslo" }),
        ),
        (
            "every = \"day\"\nat = [\"08:00\", \"20:00\"]\nstarting = 2026-11-23",
            json!({ "type": "daily", "times": ["08:00", "20:00"], "startsAt": "2026-11-22T23:00:00Z", "timeZone": "Europe/Oslo" }),
        ),
        (
            "every = \"workday\"\nat = \"09:00\"\nstarting = 2026-11-23\ncountry_codes = [\"NO\"]",
            json!({ "type": "workday", "countryCodes": ["NO"], "startsAt": "2026-11-23T08:00:00Z", "timeZone": "Europe/Oslo" }),
        ),
        // A time that does not exist moves forward; one that exists twice is the first.
        (
            "every = \"week\"\nat = \"02:30\"\nstarting = 2026-03-29",
            json!({ "type": "dayOfWeek", "startsAt": "2026-03-29T01:30:00Z", "timeZone": "Europe/Oslo" }),
        ),
        (
            "every = \"week\"\nat = \"02:30\"\nstarting = 2026-10-25",
            json!({ "type": "dayOfWeek", "startsAt": "2026-10-25T00:30:00Z", "timeZone": "Europe/Oslo" }),
        ),
        (
            "every = \"week\"\nat = \"02:30\"\nstarting = 2026-10-25T02:30:00+01:00",
            json!({ "type": "dayOfWeek", "startsAt": "2026-10-25T01:30:00Z", "timeZone": "Europe/Oslo" }),
        ),
        (
            "every = \"week\"\nstarting = 2026-11-23 09:00:00Z",
            json!({ "type": "dayOfWeek", "startsAt": "2026-11-23T09:00:00Z", "timeZone": "Europe/Oslo" }),
        ),
    ] {
        assert_eq!(cadence_of(lines), expected, "{lines}");
    }
}

/// What is written of a cadence reads as that cadence, also where a clock is changed.
#[test]
fn cadences_are_written_as_they_are_read() {
    for (kind, starts, more) in [
        (
            "dayOfWeek",
            "2026-11-23T09:00:00+01:00",
            json!({ "dayOfWeek": "monday" }),
        ),
        (
            "dayOfWeek",
            "2026-10-25T02:30:00+02:00",
            json!({ "dayOfWeek": "sunday" }),
        ),
        (
            "dayOfWeek",
            "2026-10-25T02:30:00+01:00",
            json!({ "dayOfWeek": "sunday" }),
        ),
        (
            "dayOfWeek",
            "2026-11-23T09:00:30+01:00",
            json!({ "dayOfWeek": "monday" }),
        ),
        (
            "daily",
            "2026-11-23T00:00:00+01:00",
            json!({ "times": ["08:00", "20:00"] }),
        ),
        (
            "daily",
            "2026-11-23T09:17:00+01:00",
            json!({ "times": ["08:00"] }),
        ),
        (
            "dayOfMonth",
            "2026-01-31T23:59:00+01:00",
            json!({ "dayOfMonth": 31 }),
        ),
        (
            "nthWeekdayOfMonth",
            "2026-11-23T09:00:00+01:00",
            json!({ "dayOfWeek": "friday", "weeksInMonth": [2, 5] }),
        ),
        (
            "daysOfWeekList",
            "2026-11-23T09:00:00+01:00",
            json!({ "daysOfWeek": ["monday"] }),
        ),
        (
            "workday",
            "2026-11-23T09:00:00+01:00",
            json!({ "countryCodes": ["NO"] }),
        ),
    ] {
        let mut shown = json!({
            "type": kind, "timeZone": "Europe/Oslo", "startsAt": starts, "period": 3,
            "skipWeekends": kind == "workday", "skipNationalHolidays": kind == "workday", "countryCodes": [],
        });
        for (name, value) in more.as_object().expect("members") {
            shown[name] = value.clone();
        }
        let written = cadence::write(&shown).expect("a hand-over");
        let lines = toml(&written).expect("lines");
        let read = cadence_of(&lines);
        let instant = |cadence: &Value| {
            let text = cadence["startsAt"].as_str().expect("an instant");
            text.parse::<jiff::Timestamp>().expect("an instant")
        };
        assert_eq!(instant(&read), instant(&shown), "{lines}");
        for member in [
            "type",
            "timeZone",
            "period",
            "daysOfWeek",
            "weeksInMonth",
            "times",
            "countryCodes",
        ] {
            assert_eq!(read[member], shown[member], "{member}: {lines}");
        }
    }
    assert!(cadence::write(&json!({ "type": "manual" })).is_none());
}

/// The example of the manual's reference is whole: every member that is read stands in it.
#[test]
fn a_whole_file_is_read() {
    let text = r##"
managed_by = "platform-team"
[[rotation]]
code = "db"
name = "Database"
description = "All of them"
public = true
enabled = true
owners = ["ana@example.org"]
members = ["ana@example.org", "linus"]
groups = ["sre"]
skips_are_off_time = false
double_cover = false
enable_topic = true
topic_template = "%USER% until %UNTIL%"
on_duty_group = "db-oncall"
absence_policy = { calendars = "long", minimum_hours = 24, pass_over = "duringTurn", while_on_duty = "keep" }
dealing = { missed_turn = "traded", rest_hours = 11, shares = [{ user_id = "linus", percent = 50 }] }
mentions = { expires_after_minutes = 60, remind_after_minutes = 0, one_at_a_time = false, rotate_after_acknowledgement = false }
warnings = { off = ["holidayDuty"], short_rest_hours = 11 }
summary = { day = "monday", time = "08:00", time_zone = "Europe/Oslo", channels = ["on-call"] }
[[rotation.channel]]
channel = "on-call"
posts_messages = true
syncs_topic = true
[[rotation.lane]]
key = "primary"
name = "Primary"
[[rotation.window]]
key = "week"
name = "Week"
time_zone = "Europe/Oslo"
covered = ["monday 09:00 to friday 17:00"]
[rotation.window.hand_over]
every = "week"
on = "monday"
at = "09:00"
starting = 2026-11-23
period = 1
time_zone = "Europe/Oslo"
skip_weekends = false
skip_national_holidays = true
country_codes = ["NO"]
[[rotation.roster]]
key = "emea"
members = ["ana@example.org"]
groups = ["sre"]
next_turns = { week = 0 }
[[rotation.roster]]
next_turn = 1
[rotation.cells]
"primary/week" = "emea"
[[rotation]]
code = "NET"
name = "Network"
external = "pagerPartner"
"##;
    let files = read("team.toml", text).unwrap_or_else(|faults| panic!("{faults:#?}"));
    let [db, net] = files.entries.as_slice() else {
        panic!("two rotations");
    };
    assert_eq!(db.label(), "DB");
    assert_eq!(db.settings["absencePolicy"]["minimumHours"], 24);
    assert_eq!(
        db.mentions.as_ref().expect("mentions")["remindAfterMinutes"],
        Value::Null
    );
    let grid = db.grid.as_ref().expect("a grid");
    assert_eq!(grid.windows[0].coverage[0]["endTime"], "17:00");
    assert_eq!(
        grid.cells[&("primary".to_owned(), "week".to_owned())].text,
        "emea"
    );
    assert_eq!(db.rosters.as_ref().map(Vec::len), Some(2));
    assert_eq!(
        net.external.as_ref().map(|named| named.text.as_str()),
        Some("pagerPartner")
    );
    assert!(
        net.members.is_none() && net.grid.is_none(),
        "what is left out is not touched"
    );
}

#[test]
fn times_of_changes_are_read() {
    assert_eq!("now".parse(), Ok(When::Now));
    assert_eq!("next-hand-over".parse(), Ok(When::NextHandOver));
    let at = "2026-11-30T09:00:00+01:00";
    assert_eq!(at.parse(), Ok(When::At(at.into())));
    assert!("tomorrow".parse::<When>().is_err() && "2026-11-30".parse::<When>().is_err());
}

#[test]
fn texts_of_any_kind_are_written_and_read_again() {
    for text in [
        "",
        "a \"b\" 'c'",
        "two\nlines",
        "\u{202e}\u{7f}\u{1}\\",
        "# no comment",
        "'''\"\"\"",
    ] {
        let mut table = Table::default();
        table.add("name", Out::Text(text.to_owned()));
        table.add("a key/\"x\"", Out::Id("U1".into(), text.to_owned()));
        let written = toml(&table).expect("TOML");
        let read: toml::Table = written
            .parse()
            .unwrap_or_else(|error| panic!("{written}: {error}"));
        assert_eq!(read["name"].as_str(), Some(text), "{written}");
    }
}
