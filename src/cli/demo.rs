//! The demo workspace of `rota dev`: six people on two continents, two user groups, three channels, and two rotations. Written
//! as request bodies, and created by the actions that requests run.

use super::Failure;
use crate::actions::creation::{self, NewCreation};
use crate::actions::grid::ReplaceCoverage;
use crate::actions::mutation::{Mutation, Operation};
use crate::actions::{ActionError, App, directory};
use crate::domain::access::Principal;
use crate::domain::audit::Author;
use crate::domain::ids::RotationId;
use crate::domain::refusal::Refusal;
use crate::wire::etag::Precondition;
use crate::wire::{body, directory as wire_directory, edit, grid};

/// Whoever starts it.
static DEV: Author = Author::local(Principal::Operator { user: None }, "dev");

/// People, groups and channels in the format of the import file.
const DIRECTORY: &str = include_str!("demo/directory.json");

/// A rotation as it is created, with the grid that it is given then.
struct Demo {
    rotation: &'static str,
    grid: &'static str,
}

/// Follow-the-sun: the people of each continent hand over weekly.
const PLATFORM: Demo = Demo {
    rotation: include_str!("demo/platform.json"),
    grid: include_str!("demo/platform-grid.json"),
};

/// One person at a time, for a day each.
const SUPPORT: Demo = Demo {
    rotation: include_str!("demo/support.json"),
    grid: include_str!("demo/support-grid.json"),
};

/// Creates the demo workspace in an empty database.
pub fn fill(app: &App) -> Result<(), Failure> {
    let file = parsed(body::parse(DIRECTORY.as_bytes()))?;
    let demo = parsed(wire_directory::read(file))?;
    directory::import(app, &DEV, demo, directory::Consent::Given)?;
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
    let id: RotationId = creation::create(app, &DEV, creation)?.rotation.id;
    let spec = parsed(grid::parse(demo.grid.as_bytes()))?;
    write(app, &id, ReplaceCoverage(spec))?;
    Ok(())
}

fn write(app: &App, rotation: &RotationId, operation: impl Operation) -> Result<(), ActionError> {
    let mutation = Mutation {
        author: &DEV,
        rotation,
        precondition: &Precondition::Any,
        operation,
    };
    mutation.run(app).map(drop)
}

fn parsed<T>(read: Result<T, Refusal>) -> Result<T, Failure> {
    read.map_err(|refusal| crate::store::ActionError::from(refusal).into())
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
            Ok::<_, crate::store::Error>(held)
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
                named("Platform", &["UADA", "ULINUS", "UGRACE", "UMARGARET"]),
                named("Support", &["UMARGARET"])
            ]
        );
    }
}
