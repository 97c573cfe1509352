//! Warnings of all rotations: how much of their plans is held at a time, and that counting ends with the program.

use super::*;
use crate::actions::warnings::{Asked, all_within, count};
use crate::domain::naming::Naming;
use crate::domain::refusal::Refusal;

#[test]
fn plans_of_all_rotations_are_held_up_to_a_limit() {
    let office = Office::open("warned");
    let app = &office.app;
    for name in ["one", "two", "three"] {
        office.cover(&office.create(name));
    }
    let asked = Asked {
        days: 90,
        severity: None,
        naming: Naming::Names,
    };
    let all = |room| all_within(app, &caller(), asked, room);
    assert!(!all(10_000).expect("warnings").is_empty());
    for room in [0, 100, 400] {
        let refused = all(room).expect_err("no room");
        let ActionError::Refused(Refusal::Invalid { path, .. }) = refused else {
            panic!("{refused:?}");
        };
        assert_eq!(path.as_str(), "days");
    }
    // Two lanes of each are handed over ninety times, and people are on call in two rotations at once.
    for (room, counted) in [(0, 0), (100, 0), (400, 2), (10_000, 3)] {
        assert_eq!(count(app, room).expect("counts").len(), counted, "{room}");
    }
    app.runtime().begin_stop();
    let stopped = count(app, 10_000);
    assert!(matches!(stopped, Err(ActionError::Failed(Error::Stopped))));
}
