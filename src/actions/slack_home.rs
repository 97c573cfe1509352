//! The home tabs that people have opened in Slack: whom to show changes, and what they were shown last.

use super::{App, Error};
use crate::domain::ids::UserId;
use crate::store::{self, HomeTab};
use jiff::{SignedDuration, Timestamp};

/// How long after opening it somebody is shown changes.
const SHOWN: SignedDuration = SignedDuration::from_hours(24);

/// Records that somebody opened their home tab. It is published at once, whatever was published before.
pub fn opened(app: &App, user: &UserId) -> Result<(), Error> {
    let user = user.clone();
    app.store()
        .write(move |tx| store::save_home_opened(tx, &user))
}

/// The home tabs that are shown changes: those opened within a day, first those that were not published yet.
pub fn list(app: &App) -> Result<Vec<HomeTab>, Error> {
    let since = since(app.now());
    app.store().read(|tx| store::list_homes(tx, since))
}

/// Records what was published. It may be lost with the power, and is then published again.
pub fn published(app: &App, tab: HomeTab, hash: [u8; 32]) -> Result<(), Error> {
    app.store()
        .write_log(move |tx| store::save_home_published(tx, &tab, &hash))
}

/// Forgets home tabs that nobody opened within a day, and that of somebody to whom nothing can be published.
pub fn forget(app: &App, gone: Option<UserId>) -> Result<(), Error> {
    let since = since(app.now());
    app.store()
        .write_log(move |tx| store::clear_homes(tx, since, gone.as_ref()))
}

fn since(now: Timestamp) -> Timestamp {
    now.saturating_sub(SHOWN).unwrap_or(Timestamp::MIN)
}
