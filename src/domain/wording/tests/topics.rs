//! Templates of topics.

use super::*;
use crate::domain::forecast::OnCallSummary;
use crate::domain::rotation::Profile;

/// Ann and Bo until Monday at nine in Oslo, then Cy until after the end of daylight saving time.
fn usual() -> OnCallSummary {
    OnCallSummary {
        on_call: ids("ann bo"),
        until: Some(at("2026-10-19T07:00:00Z")),
        next: ids("cy"),
        next_until: Some(at("2026-10-26T08:00:00Z")),
        zone: zone("Europe/Oslo"),
        ..OnCallSummary::default()
    }
}

fn profile(template: Option<&str>) -> Profile {
    Profile {
        name: "Ops".into(),
        description: Some("All of it".into()),
        code: Some("OPS".into()),
        topic_template: template.map(Into::into),
        ..Profile::default()
    }
}

fn filled(profile: &Profile, summary: &OnCallSummary, duty_handle: Option<&str>) -> String {
    let subject = TopicSubject {
        profile,
        summary,
        duty_handle,
    };
    let text = |piece: Piece| match piece {
        Piece::Plain(text) | Piece::Value(text) => text,
    };
    topic(subject, &named).into_iter().map(text).collect()
}

#[test]
fn tokens_stand_for_values() {
    for (template, expected, of_nothing) in [
        ("%NAME%", "Ops", "Ops"),
        ("%DESCRIPTION%", "All of it", "N/A"),
        ("%CODE%", "OPS", "N/A"),
        ("%DUTY_SIZE%", "2", "0"),
        ("%USER%", "Ann, Bo", "N/A"),
        ("%USERHANDLE%", "<ann>, <bo>", "N/A"),
        ("%USERID%", "ann, bo", "N/A"),
        ("%NEXT_USER%", "Cy", "N/A"),
        ("%NEXT_USERHANDLE%", "<cy>", "N/A"),
        ("%NEXT_USERID%", "cy", "N/A"),
        ("%UNTIL%", "2026-10-19 09:00", "N/A"),
        ("%UNTIL_UTC%", "2026-10-19 07:00", "N/A"),
        ("%NEXT_UNTIL%", "2026-10-26 09:00", "N/A"),
        ("%NEXT_UNTIL_UTC%", "2026-10-26 08:00", "N/A"),
        ("%DUTYHANDLE%", "@ops-now", "N/A"),
    ] {
        let profile = profile(Some(template));
        let found = filled(&profile, &usual(), Some("ops-now"));
        assert_eq!(found, expected, "{template}");
        let bare = Profile {
            description: None,
            code: None,
            ..profile
        };
        let found = filled(&bare, &OnCallSummary::default(), None);
        assert_eq!(found, of_nothing, "{template} of nothing");
    }
}

#[test]
fn what_is_no_token_stays_as_typed() {
    for (template, expected) in [
        // An empty template uses the default.
        ("", "Ops: Ann, Bo until 2026-10-19 09:00, next Cy"),
        (" \t ", "Ops: Ann, Bo until 2026-10-19 09:00, next Cy"),
        ("plain", "plain"),
        ("On call: %USER%!", "On call: Ann, Bo!"),
        // Unknown tokens, and other cases.
        ("%FOO%", "%FOO%"),
        ("%user% %User%", "%user% %User%"),
        ("%NAME %", "%NAME %"),
        ("% NAME%", "% NAME%"),
        ("%FOO% %NAME%", "%FOO% Ops"),
        ("%FOO%NAME%", "%FOOOps"),
        // Signs that begin no token.
        ("%", "%"),
        ("%%", "%%"),
        ("%%%", "%%%"),
        ("100%", "100%"),
        ("100% %NAME%", "100% Ops"),
        ("%%NAME%%", "%Ops%"),
        ("%NAME", "%NAME"),
        ("NAME%", "NAME%"),
        // One after the other.
        ("%NAME%%CODE%", "OpsOPS"),
        ("%NAME%CODE%", "OpsCODE%"),
        ("%USER%%NEXT_USER%%USER%", "Ann, BoCyAnn, Bo"),
        ("é%NAME%🙂", "éOps🙂"),
    ] {
        let profile = profile(Some(template));
        assert_eq!(filled(&profile, &usual(), None), expected, "{template}");
    }
}

#[test]
fn values_are_not_expanded() {
    let mut profile = profile(Some("%NAME%|%DESCRIPTION%|%CODE%|%DUTYHANDLE%|%USERID%"));
    profile.name = "%USER%".into();
    profile.description = Some("%NAME".into());
    profile.code = Some("%".into());
    let summary = OnCallSummary {
        on_call: ids("%CODE%"),
        ..usual()
    };
    let found = filled(&profile, &summary, Some("%NAME%"));
    assert_eq!(found, "%USER%|%NAME|%|@%NAME%|%CODE%");
}

#[test]
fn the_usual_wordings() {
    let nobody = OnCallSummary {
        on_call: Vec::new(),
        until: None,
        ..usual()
    };
    let open = OnCallSummary {
        until: None,
        ..usual()
    };
    for (summary, expected) in [
        (usual(), "Ops: Ann, Bo until 2026-10-19 09:00, next Cy"),
        (nobody, "Ops: nobody is on call, next Cy"),
        (open, "Ops: Ann, Bo"),
        (OnCallSummary::default(), "Ops: nobody is on call, next N/A"),
    ] {
        assert_eq!(filled(&profile(None), &summary, None), expected);
    }
}

#[test]
fn whoever_is_unknown_here_is_not_nobody() {
    let summary = |on_call: &str, outside: &[&str], next: &[&str]| OnCallSummary {
        on_call: ids(on_call),
        outside: outside.iter().map(|name| (*name).to_owned()).collect(),
        next: Vec::new(),
        next_outside: next.iter().map(|name| (*name).to_owned()).collect(),
        ..usual()
    };
    let tokens = "%DUTY_SIZE% %USER% %USERHANDLE% %USERID% %UNTIL_UTC% %NEXT_USER% %NEXT_USERID%";
    for (summary, usual, filled_in) in [
        (
            summary("", &["Zoe"], &[]),
            "Ops: Zoe until 2026-10-19 09:00, next N/A",
            "1 Zoe Zoe N/A 2026-10-19 07:00 N/A N/A",
        ),
        (
            summary("ann", &["Zoe", "Yan"], &["Xia"]),
            "Ops: Ann, Zoe, Yan until 2026-10-19 09:00, next Xia",
            "3 Ann, Zoe, Yan <ann>, Zoe, Yan ann 2026-10-19 07:00 Xia N/A",
        ),
    ] {
        assert_eq!(filled(&profile(None), &summary, None), usual);
        assert_eq!(filled(&profile(Some(tokens)), &summary, None), filled_in);
    }
}

#[test]
fn times_follow_the_zone() {
    let profile = profile(Some("%UNTIL% %UNTIL_UTC%"));
    for (name, until, expected) in [
        (
            "",
            "2026-03-29T01:00:00Z",
            "2026-03-29 01:00 2026-03-29 01:00",
        ),
        (
            "UTC",
            "2026-03-29T01:00:00Z",
            "2026-03-29 01:00 2026-03-29 01:00",
        ),
        (
            "Europe/Oslo",
            "2026-03-29T00:59:00Z",
            "2026-03-29 01:59 2026-03-29 00:59",
        ),
        (
            "Europe/Oslo",
            "2026-03-29T01:00:00Z",
            "2026-03-29 03:00 2026-03-29 01:00",
        ),
        (
            "Europe/Oslo",
            "2026-10-25T00:30:00Z",
            "2026-10-25 02:30 2026-10-25 00:30",
        ),
        (
            "Europe/Oslo",
            "2026-10-25T01:30:00Z",
            "2026-10-25 02:30 2026-10-25 01:30",
        ),
        (
            "Pacific/Apia",
            "2026-11-23T11:30:00Z",
            "2026-11-24 00:30 2026-11-23 11:30",
        ),
    ] {
        let summary = OnCallSummary {
            until: Some(at(until)),
            zone: zone(name),
            ..usual()
        };
        assert_eq!(filled(&profile, &summary, None), expected, "{name} {until}");
    }
}

#[test]
fn values_stand_whole_and_what_is_between_them_may_be_cut() {
    let profile = profile(Some("On call: %USER% (%NAME%)"));
    let summary = usual();
    let subject = TopicSubject {
        profile: &profile,
        summary: &summary,
        duty_handle: None,
    };
    let plain = |text: &str| Piece::Plain(text.into());
    let value = |text: &str| Piece::Value(text.into());
    let expected = [
        plain("On call: "),
        value("Ann"),
        plain(", "),
        value("Bo"),
        plain(" ("),
        value("Ops"),
        plain(")"),
    ];
    assert_eq!(topic(subject, &named), expected);
}
