//! The development clock: it is frozen until it is moved, and what becomes due on the way is processed in order.

use super::{App, Error, chat_sync, due, relays, sending, told_plan};
use crate::store;
use jiff::Timestamp;

/// Moves the development clock to an instant, through every due instant of rotations and deliveries in order. `send_due` sends
/// everything that is due.
pub fn advance(
    app: &App,
    to: Timestamp,
    send_due: &dyn Fn() -> Result<(), Error>,
) -> Result<(), Error> {
    let moved = step_to(app, to, send_due);
    // The reached instant is kept, even if the move failed.
    keep_clock(app)?;
    moved
}

/// The maximum number of passes over one instant: each pass may queue more work for it.
const LOOKS: usize = 1000;

fn step_to(
    app: &App,
    to: Timestamp,
    send_due: &dyn Fn() -> Result<(), Error>,
) -> Result<(), Error> {
    told_plan::send_all(app)?;
    process_due(app, send_due)?;
    let mut looks = 0;
    loop {
        let to_send = sending::next(app)?.into_iter();
        let to_send = to_send.chain(chat_sync::next_after(app, app.now())?);
        let to_send = to_send.chain(relays::next(app)?);
        let next = due::next(app)?.into_iter().chain(to_send).min();
        let next = next.filter(|at| *at <= to);
        if carry_on(app, next.unwrap_or(to))? {
            // What follows from that may be due before.
            continue;
        }
        let Some(at) = next else {
            break;
        };
        looks = if at > app.now() { 0 } else { looks + 1 };
        if looks > LOOKS {
            return Err(Error::Corrupt(format!(
                "work that is due at {at} does not complete"
            )));
        }
        app.clock().set(at.max(app.now()));
        process_due(app, send_due)?;
    }
    app.clock().set(to);
    send_due()
}

/// Carries told plans on at the last midnight before an instant, and returns whether there is one. Nothing happens at those before
/// it, so it is as if each had.
fn carry_on(app: &App, at: Timestamp) -> Result<bool, Error> {
    let midnight = told_plan::last_midnight(at);
    let is_ahead = midnight > app.now();
    if is_ahead {
        app.clock().set(midnight);
        told_plan::carry_on(app)?;
    }
    Ok(is_ahead)
}

/// Processes everything that is due at the current instant, and sends what follows from it.
pub fn process_due(app: &App, send_due: &dyn Fn() -> Result<(), Error>) -> Result<(), Error> {
    due::catch_up_all(app)?;
    due::run_beside(app)?;
    send_due()
}

/// The fact that stores the development clock.
pub const CLOCK_FACT: &str = "development_clock";

/// Stores the development clock for commands and for the next start.
pub fn keep_clock(app: &App) -> Result<(), Error> {
    let now = app.now().to_string();
    app.store()
        .write(move |tx| store::save_fact(tx, CLOCK_FACT, &now))
}
