//! Tables of published events. A rotation is written window by window: the holders of its lanes, `-` for an empty slot, a shut
//! window in parentheses: `a - | (b c)`. `a>b` is a slot that `a` holds by an arrangement and `b` by the dealt turn.

use super::*;
use crate::domain::arrangement::Arranged;
use crate::domain::ids::{CellId, LaneId, RotationId, WindowId};
use crate::domain::rotation::{Entry, Holder, Lane, Members, Profile, Roster, Stamps, Window};
use crate::domain::time::Interval;

fn rotation(text: &str) -> Rotation {
    let at: Timestamp = "2026-03-02T09:00:00Z".parse().unwrap();
    let (mut windows, mut cells, mut lanes) = (Vec::new(), Vec::new(), Vec::new());
    let mut arranged = Vec::new();
    for (window, column) in text.split('|').enumerate() {
        let column = column.trim();
        let open = !column.starts_with('(');
        windows.push(Window {
            id: WindowId::from(format!("win_{window}")),
            key: None,
            name: None,
            zone: None,
            coverage: Vec::new(),
            cadence: None,
            open,
        });
        let holders = column.trim_matches(['(', ')']).split_whitespace();
        for (lane, holder) in holders.enumerate() {
            if lanes.len() <= lane {
                lanes.push(Lane {
                    id: LaneId::from(format!("lan_{lane}")),
                    key: None,
                    name: None,
                });
            }
            let id = CellId::from(format!("cel_{window}_{lane}"));
            let (holder, over) = holder.split_once('>').unwrap_or((holder, ""));
            if !over.is_empty() {
                arranged.push(Arranged {
                    id: format!("arr_{window}_{lane}_{over}").into(),
                    cell: id.clone(),
                    user: over.into(),
                    period: Interval {
                        from: at,
                        until: Timestamp::MAX,
                    },
                    running: true,
                    request: None,
                });
            }
            cells.push(Cell {
                id,
                lane,
                window,
                roster: None,
                stopped: holder == "x",
                holder: (!["-", "x"].contains(&holder)).then(|| Holder {
                    user: holder.into(),
                    since: at,
                    skipped: Vec::new(),
                    dealt: None,
                }),
                passed_over: Vec::new(),
                arranged_until: None,
                announced: None,
                entry: Entry::never_held(at),
            });
        }
    }
    Rotation {
        id: RotationId::from("rot_1"),
        profile: Profile::default(),
        enabled: true,
        double_cover: false,
        skips_are_off_time: false,
        absence_policy: Default::default(),
        dealing: Default::default(),
        ended: Vec::new(),
        members: Members::default(),
        lanes,
        windows,
        cells,
        rosters: vec![Roster {
            id: None,
            narrowed: None,
            next_turns: Vec::new(),
        }],
        arranged,
        external: None,
        pending: Vec::new(),
        absences: std::sync::Arc::default(),
        waiting: Vec::new(),
        stamps: Stamps {
            version: 1,
            created_at: at,
            updated_at: at,
            judged_at: at,
            remind_at: None,
            copied_at: None,
        },
        trace: None,
    }
}

fn shown(before: &str, after: &str, act: Act) -> String {
    let news = news(
        &rotation(before),
        &rotation(after),
        act,
        &Calendar::embedded(),
    );
    words(&news)
}

fn words(news: &[Event]) -> String {
    let word = |event: &Event| match event {
        Event::Created => "created".to_owned(),
        Event::Updated => "updated".to_owned(),
        Event::Deleted => "deleted".to_owned(),
        Event::Test => "test".to_owned(),
        Event::DutyChanged { cause } => cause.map_or("-", Cause::name).to_owned(),
        Event::NobodyOnCall { reason, .. } => match reason {
            Nobody::Unplanned => "unplanned".to_owned(),
            Nobody::AsArranged => "as-arranged".to_owned(),
        },
    };
    news.iter().map(word).collect::<Vec<_>>().join(" ")
}

/// rules.md 16.1.
#[test]
fn what_a_change_is_news_of() {
    use Act::{Arrangement, Clock, Duty, Edit, WithoutEvent};
    for (before, after, act, expected) in [
        // A hand-over to another person and to the same person.
        ("a", "b", Clock, "scheduled"),
        ("a", "a", Clock, ""),
        ("a b", "b a", Clock, "scheduled"),
        ("a b", "a c", Clock, "scheduled"),
        ("a", "-", Clock, "scheduled unplanned"),
        ("-", "a", Clock, "scheduled"),
        ("-", "-", Clock, ""),
        // Windows shut and open.
        ("a", "(a)", Clock, "scheduled as-arranged"),
        ("(a)", "a", Clock, "scheduled"),
        ("(a)", "b", Clock, "scheduled"),
        ("(-)", "-", Clock, "unplanned"),
        ("-", "(-)", Clock, ""),
        ("(a)", "(b)", Clock, ""),
        ("a -", "(a -)", Clock, "scheduled as-arranged"),
        ("(a -)", "a -", Clock, "scheduled unplanned"),
        // Follow-the-sun: one window shuts while the next one opens or is open.
        ("a | (b)", "(a) | b", Clock, "scheduled"),
        ("a | b", "(a) | b", Clock, "scheduled"),
        ("a | (-)", "(a) | -", Clock, "scheduled unplanned"),
        ("a | -", "(a) | -", Clock, "scheduled unplanned"),
        // By hand.
        ("a", "b", Duty, "manual"),
        ("-", "a", Duty, "manual"),
        ("a", "-", Duty, "manual unplanned"),
        ("a b", "a -", Duty, "manual unplanned"),
        ("(a)", "(b)", Duty, ""),
        ("(a)", "(-)", Duty, ""),
        ("a", "a", Duty, ""),
        // Edits publish an update whether or not the people on call change. Cover that resumes is `scheduled`.
        ("a", "a", Edit, "updated"),
        ("a", "b", Edit, "updated manual"),
        ("-", "a", Edit, "updated scheduled"),
        ("a -", "b c", Edit, "updated manual"),
        ("a -", "a c", Edit, "updated scheduled"),
        ("a", "a b", Edit, "updated scheduled"),
        ("a b", "a", Edit, "updated manual"),
        ("a", "a -", Edit, "updated"),
        ("a", "-", Edit, "updated manual unplanned"),
        ("a", "(a)", Edit, "updated manual as-arranged"),
        ("(a)", "a", Edit, "updated scheduled"),
        ("(-)", "-", Edit, "updated unplanned"),
        // A lane that the tier stops has no slot.
        ("a b", "a x", Edit, "updated manual"),
        ("a x", "a b", Edit, "updated scheduled"),
        // Scheduled changes of arrangements have no cause, whatever happens in the dealt layer.
        ("a", "a>b", Clock, "-"),
        ("a>b", "a", Clock, "-"),
        ("a>b", "c", Clock, "-"),
        ("a>b", "c>b", Clock, ""),
        ("a>b", "a>c", Clock, "-"),
        ("a", "a>a", Clock, ""),
        ("a b", "c b>d", Clock, "-"),
        ("a b>d", "c b>d", Clock, "scheduled"),
        ("a b>b", "c b", Clock, "scheduled"),
        ("->b", "-", Clock, "- unplanned"),
        ("(a)", "(a>b)", Clock, ""),
        ("(a>b)", "a>b", Clock, "scheduled"),
        ("a>b", "(a>b)", Clock, "scheduled as-arranged"),
        // By hand and by agreement: an update if the people on call do not change.
        ("a>b", "c>b", Duty, ""),
        ("a", "a>b", Arrangement, "manual"),
        ("a>b", "a", Arrangement, "manual"),
        ("->b", "-", Arrangement, "manual unplanned"),
        ("-", "->b", Arrangement, "manual"),
        ("a", "a", Arrangement, "updated"),
        ("a", "a>a", Arrangement, "updated"),
        ("(a)", "(a>b)", Arrangement, "updated"),
        ("c a>b", "c x", Edit, "updated manual"),
        // Absences publish only the changes that they cause.
        ("-", "a", WithoutEvent, "scheduled"),
        ("a", "a", WithoutEvent, ""),
    ] {
        assert_eq!(
            shown(before, after, act),
            expected,
            "{before} -> {after} {act:?}"
        );
    }
}

/// The slots of these lanes get new ids, as if an edit had sent them without ids.
#[test]
fn places_that_are_replaced_are_news_of_the_rotation() {
    for (before, after, replaced, expected) in [
        ("a", "-", &[0][..], "updated manual unplanned"),
        ("a", "a", &[0], "updated manual"),
        ("a", "(-)", &[0], "updated manual as-arranged"),
        // Another lane is held throughout.
        ("a b", "- b", &[0], "updated manual unplanned"),
        ("a b", "c b", &[0], "updated manual"),
        ("a b", "x b", &[0], "updated manual"),
        ("a | b", "(-) | b", &[0], "updated manual"),
        // The removed slot was empty, or none was removed: a new lane begins empty.
        ("- b", "- b", &[0], "updated"),
        ("(a) | b", "- | b", &[0], "updated"),
        ("b", "b -", &[1], "updated"),
    ] {
        let (before_is, mut after_is) = (rotation(before), rotation(after));
        for cell in &mut after_is.cells {
            if replaced.contains(&cell.lane) && cell.window == 0 {
                cell.id = CellId::from(format!("cel_new_{}", cell.lane));
            }
        }
        let news = news(&before_is, &after_is, Act::Edit, &Calendar::embedded());
        assert_eq!(words(&news), expected, "{before} -> {after}");
    }
}
