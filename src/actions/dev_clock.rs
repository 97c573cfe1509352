//! The development clock: it stands still until it is moved, and what falls due on the way happens in order.

use super::{App, Fault, chat_sync, due, sending};
use crate::store;
use jiff::Timestamp;

/// Moves the development clock to an instant, through every due instant on the way in order, of rotations and of
/// deliveries. `settle` sends everything that is due.
pub fn advance(
    app: &App,
    to: Timestamp,
    settle: &dyn Fn() -> Result<(), Fault>,
) -> Result<(), Fault> {
    let moved = step_to(app, to, settle);
    // How far it came counts, also where it did not come to the end.
    keep_clock(app)?;
    moved
}

/// Times that something due at one instant may be looked at again: others may queue more of it meanwhile.
const LOOKS: usize = 1000;

fn step_to(app: &App, to: Timestamp, settle: &dyn Fn() -> Result<(), Fault>) -> Result<(), Fault> {
    let catch_up = || {
        due::catch_up_all(app)?;
        due::run_beside(app)?;
        settle()
    };
    catch_up()?;
    let mut looks = 0;
    loop {
        let to_send = sending::next(app)?.into_iter().chain(chat_sync::next(app)?);
        let next = due::next(app)?.into_iter().chain(to_send).min();
        let Some(at) = next.filter(|at| *at <= to) else {
            break;
        };
        looks = if at > app.now() { 0 } else { looks + 1 };
        if looks > LOOKS {
            return Err(Fault::Corrupt(format!(
                "nothing could be done of what is due at {at}"
            )));
        }
        app.clock().set(at.max(app.now()));
        catch_up()?;
    }
    app.clock().set(to);
    settle()
}

/// The name of the fact that keeps the development clock.
pub const CLOCK_FACT: &str = "development_clock";

/// Remembers the development clock, for commands and for the next start.
pub fn keep_clock(app: &App) -> Result<(), Fault> {
    let now = app.now().to_string();
    app.store()
        .write(move |tx| store::save_fact(tx, CLOCK_FACT, &now))
}
