//! The stored texts of earlier versions. Databases contain them: each is read, and written again as it was.

use super::*;
use crate::domain::absence::{AbsenceSource, Skipped};
use crate::domain::absence_policy::AbsencePolicy;
use crate::domain::arrangement::{Snapshot, TurnKind, TurnSelection};
use crate::domain::audit::{ActorKind, Doer};
use crate::domain::cadence::Cadence;
use crate::domain::coverage::Stretch;
use crate::domain::external::{OutsidePerson, Timeline};
use crate::domain::linked::Assignment;
use crate::domain::mention::MentionSettings;
use crate::domain::request::Leg;
use crate::domain::rotation::{HoursHeld, Narrowed, PassedOver};
use crate::domain::time::Interval;
use crate::domain::warning_kinds::WarningKind;
use jiff::civil::Weekday;
use std::collections::BTreeSet;

fn at(millis: i64) -> Timestamp {
    Timestamp::from_millisecond(millis).unwrap()
}

#[track_caller]
fn kept<T: DeserializeOwned + Serialize + std::fmt::Debug>(text: &str) -> T {
    let value: T = from_json(text).unwrap();
    assert_eq!(json(&value).unwrap(), text, "{value:?}");
    value
}

#[test]
fn policies_are_kept() {
    for text in [
        r#"{"calendars":"never","passOver":"atHandOver","whileOnDuty":"keep"}"#,
        r#"{"calendars":"always","passOver":"duringTurn","whileOnDuty":"handOver"}"#,
        r#"{"calendars":"long","minimumHours":24,"passOver":"duringTurn","whileOnDuty":"keep"}"#,
    ] {
        kept::<AbsencePolicy>(text);
    }
}

#[test]
fn hours_are_kept() {
    let read: Vec<Stretch> = kept(r#"[[1,"09:00",5,"17:30"],[7,"00:00",7,"00:00"]]"#);
    assert_eq!(read[1].end_day, Weekday::Sunday);
    for text in [
        r#"{"zone":"Europe/Oslo","alwaysOpen":false,"coverage":[[1,"09:00",5,"17:30"]]}"#,
        r#"{"zone":null,"alwaysOpen":true,"coverage":[]}"#,
    ] {
        kept::<HoursHeld>(text);
    }
}

#[test]
fn cadences_are_kept() {
    for kind in [
        r#""dayOfWeek""#,
        r#"{"daysOfWeekList":[1,7]}"#,
        r#""dayOfMonth""#,
        r#"{"nthWeekdayOfMonth":[5,[1,3]]}"#,
        r#"{"daily":["09:00","21:30"]}"#,
        r#""workday""#,
    ] {
        kept::<Cadence>(&format!(
            r#"{{"kind":{kind},"zone":"Europe/Oslo","startsAt":1763888400000,"period":2,"skipWeekends":true,"skipHolidays":false,"countries":["NO","GB-SCT"]}}"#
        ));
    }
}

#[test]
fn entries_are_kept() {
    let read: Vec<Skipped> = kept(r#"[["U1",1000,2000],["U2",null,null],["U3",5,6,true]]"#);
    assert_eq!(read[0].from, Some(at(1000)));
    assert_eq!(read[2].source, AbsenceSource::Calendar);
    kept::<Vec<Skipped>>("[]");
    kept::<Vec<PassedOver>>(r#"[["U1","cel_1"],["U2","cel_2"]]"#);
    assert_eq!(list_or_null::<PassedOver>(&[]).unwrap(), None);
    for text in [
        r#"["person","U1","Ann",true]"#,
        r#"["operator",null,null,false]"#,
    ] {
        let read: Doer = kept(text);
        assert_eq!(read.in_chat, read.actor.kind == ActorKind::Person);
    }
}

#[test]
fn settings_are_kept() {
    kept::<Narrowed>(r#"{"users":["U1","U2"],"groups":["G1"]}"#);
    kept::<BTreeSet<WarningKind>>(r#"["nobody","shortRest"]"#);
    kept::<MentionSettings>("[60,null,false,true]");
}

#[test]
fn agreements_are_kept() {
    kept::<Snapshot>(
        r#"{"asOf":1000,"from":2000,"until":9000,"complete":true,"segments":[[2000,3000,"U1"],[3000,9000,null]]}"#,
    );
    for text in [
        r#"["fullTurn",1000,2000]"#,
        r#"["remainingTurn",1000,2000]"#,
    ] {
        kept::<TurnSelection>(text);
    }
    kept::<Vec<Leg>>(
        r#"[{"key":"a","cell":"cel_1","holder":"U1","assignee":"U2","from":1000,"until":2000,"arrangement":"arr_1"},{"key":null,"cell":"cel_2","holder":"U2","assignee":null,"from":1000,"until":2000,"arrangement":null}]"#,
    );
    // An instant after the last one that can be read back is stored as that one.
    let whole = TurnSelection {
        kind: TurnKind::FullTurn,
        turn: Interval {
            from: at(0),
            until: Timestamp::MAX,
        },
    };
    assert_eq!(json(&whole).unwrap(), r#"["fullTurn",0,253402207200000]"#);
}

#[test]
fn schedules_of_partners_are_kept() {
    let shift = r#"{"span":[1000,2000],"original":[0,3000],"member":{"kind":"user","id":"P1","name":"Ann","email":"ann@x.example"},"source":{"kind":"rotationOverride","rotation":"L1","shift":"S1","replaces":"O1"}"#;
    let empty = r#"{"span":[2000,3000],"original":[2000,3000],"member":{"kind":"empty"},"source":{"kind":"rotation"}}"#;
    kept::<Timeline>(&format!(
        r#"{{"known":[0,9000],"answered":[0,9999],"rotations":["L1"],"shifts":[{shift}}},{empty}]}}"#
    ));
    kept::<Vec<Assignment>>(&format!(r#"[{shift},"user":"U1"}},{empty}]"#));
    kept::<Vec<OutsidePerson>>(r#"[["P1","Ann","ann@x.example"],["P2",null,null]]"#);
}

#[test]
fn what_cannot_be_read_is_corrupt() {
    fn fails<T: DeserializeOwned>(text: &str) -> bool {
        matches!(from_json::<T>(text), Err(Error::Corrupt(_)))
    }
    assert!(fails::<Vec<Stretch>>(r#"[[8,"09:00",5,"17:30"]]"#));
    assert!(fails::<Vec<Stretch>>(r#"[[1,"9:00",5,"17:30"]]"#));
    assert!(fails::<HoursHeld>(
        r#"{"zone":"Nowhere","alwaysOpen":true,"coverage":[]}"#
    ));
    assert!(fails::<BTreeSet<WarningKind>>(r#"["noKind"]"#));
    assert!(fails::<TurnSelection>(r#"["fullTurn",0,9999999999999999]"#));
    assert!(fails::<AbsencePolicy>(
        r#"{"calendars":"long","passOver":"atHandOver","whileOnDuty":"keep"}"#
    ));
}

#[test]
fn what_does_not_end_is_interrupted_and_nothing_else() {
    let conn = Connection::open_in_memory().unwrap();
    let endless =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c";
    let count = |sql: &str| conn.query_row(sql, [], |row| row.get::<_, i64>(0));
    let outcome = within(Duration::from_millis(1), &conn, || count(endless));
    let error = outcome.unwrap_err().sqlite_error_code();
    assert_eq!(error, Some(rusqlite::ErrorCode::OperationInterrupted));
    let long = Duration::from_secs(3600);
    assert_eq!(within(long, &conn, || count("SELECT 7")), Ok(7));
}
