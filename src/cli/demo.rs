//! The workspace that `rota dev` begins with: six people on two continents, two user groups, three channels, and two
//! rotations. Written as what a caller would send, and created by the actions that a caller's requests run.

use super::Failure;
use crate::actions::creation::{self, NewCreation};
use crate::actions::duty::Rotate;
use crate::actions::grid::{NarrowRoster, ReplaceCoverage};
use crate::actions::mutation::{Mutation, Operation};
use crate::actions::{App, Stop, directory};
use crate::domain::access::Principal;
use crate::domain::ids::{RosterId, RotationId};
use crate::domain::refusal::Refusal;
use crate::wire::etag::Precondition;
use crate::wire::{body, directory as wire_directory, edit, grid};

/// People, groups and channels, as the import file has them.
const DIRECTORY: &str = include_str!("demo/directory.json");

/// A rotation as it is created, with the grid that it is given then and the rosters that are narrowed.
struct Demo {
    rotation: &'static str,
    grid: &'static str,
    rosters: &'static [(&'static str, &'static str)],
}

/// Follows the sun: each continent's people hand over among themselves every week.
const PLATFORM: Demo = Demo {
    rotation: include_str!("demo/platform.json"),
    grid: include_str!("demo/platform-grid.json"),
    rosters: &[
        ("europe", r#"{ "userGroupIds": ["SEUROPE"] }"#),
        ("americas", r#"{ "userGroupIds": ["SAMERICAS"] }"#),
    ],
};

/// One person at a time, a day each.
const SUPPORT: Demo = Demo {
    rotation: include_str!("demo/support.json"),
    grid: include_str!("demo/support-grid.json"),
    rosters: &[],
};

/// Fills an empty database with it.
pub fn fill(app: &App) -> Result<(), Failure> {
    let file = parsed(body::parse(DIRECTORY.as_bytes()))?;
    directory::import(app, parsed(wire_directory::read(file))?)?;
    for demo in [PLATFORM, SUPPORT] {
        create(app, &demo)?;
    }
    Ok(())
}

fn create(app: &App, demo: &Demo) -> Result<(), Failure> {
    let creation = NewCreation {
        key: demo.rotation.to_owned(),
        body_hash: [0; 32],
        rotation: parsed(edit::new_rotation(demo.rotation.as_bytes()))?,
    };
    let id: RotationId = creation::create(app, &Principal::Operator, creation)?
        .rotation
        .id;
    let spec = parsed(grid::parse(demo.grid.as_bytes()))?;
    write(app, &id, ReplaceCoverage(spec))?;
    for (roster, members) in demo.rosters {
        let narrowed = parsed(edit::roster(members.as_bytes()))?;
        write(
            app,
            &id,
            NarrowRoster {
                roster: RosterId::from(*roster),
                narrowed,
            },
        )?;
    }
    if !demo.rosters.is_empty() {
        // Holders stay when a roster is narrowed beneath them; the demo begins with each place held from its own list.
        write(app, &id, Rotate { cells: None })?;
    }
    Ok(())
}

fn write(app: &App, rotation: &RotationId, operation: impl Operation) -> Result<(), Stop> {
    let mutation = Mutation {
        caller: &Principal::Operator,
        rotation,
        precondition: &Precondition::Any,
        operation,
    };
    mutation.run(app).map(drop)
}

fn parsed<T>(read: Result<T, Refusal>) -> Result<T, Failure> {
    read.map_err(|refusal| crate::store::Stop::from(refusal).into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actions::Outward;
    use crate::cli::scratch::Scratch;
    use crate::domain::holidays::Calendar;
    use crate::domain::tiers::{Tier, TierLimits};
    use crate::runtime::clock::Clock;
    use crate::store::{ReadTx, Store, list_rotation_ids, load_rotation};
    use std::sync::Arc;

    #[test]
    fn the_demo_workspace_is_staffed() {
        let scratch = Scratch::new().expect("a folder");
        let at = "2026-11-23T09:30:00Z".parse().expect("an instant");
        let clock = Arc::new(Clock::frozen(at));
        let store = Store::open(&scratch.path().join("rota.db"), Arc::clone(&clock), true)
            .expect("a database");
        let app = App::new(
            store,
            Calendar::embedded(),
            clock,
            TierLimits::of(Tier::Pro),
            Outward::usual("http://rota.example").unwrap(),
        );
        fill(&app).expect("a demo workspace");
        let held = |tx: &ReadTx| {
            let mut held = Vec::new();
            for id in list_rotation_ids(tx)? {
                let rotation = load_rotation(tx, &id)?.expect("a rotation");
                let holders = rotation
                    .cells
                    .iter()
                    .filter_map(|cell| cell.holder.as_ref());
                held.push((
                    rotation.profile.name.clone(),
                    holders
                        .map(|holder| holder.user.to_string())
                        .collect::<Vec<_>>(),
                ));
            }
            Ok::<_, crate::store::Fault>(held)
        };
        let mut held = app.store().read(held).expect("rotations");
        held.sort();
        let named = |name: &str, users: &[&str]| {
            (
                name.to_owned(),
                users.iter().map(|user| user.to_string()).collect(),
            )
        };
        assert_eq!(
            held,
            [
                named("Platform", &["UALAN", "UADA", "UMARGARET", "UKATHERINE"]),
                named("Support", &["UMARGARET"])
            ]
        );
    }
}
