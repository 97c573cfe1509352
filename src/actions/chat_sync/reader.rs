//! Who reads a message.

use crate::actions::{App, Error};
use crate::domain::chat::ChatError;
use crate::domain::message::Recipient;
use crate::domain::zones::ZoneName;
use crate::store;

/// The zone of whoever reads a message, where it goes to a person and they have one.
pub(super) fn reader_zone(app: &App, to: &Recipient) -> Result<Option<ZoneName>, ChatError> {
    let (Recipient::Person(user), Some(_)) = (to, app.remote()) else {
        return Ok(None);
    };
    let read = app.store().read(|tx| -> Result<_, Error> {
        let chosen = store::load_chosen_zone(tx, user)?;
        let said = store::load_person(tx, user)?.and_then(|person| person.time_zone);
        Ok(chosen.or(said))
    });
    let zone = read.map_err(|error| ChatError::Internal(error.to_string()))?;
    Ok(zone.and_then(|zone| ZoneName::parse(&zone).ok()))
}
