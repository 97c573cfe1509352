//! Runs `rota serve` and `rota standby`, and whichever of the two follows from it.

use super::part::{Address, Part};
use super::signals::Signals;
use super::workspace::{Program, database, settings_with};
use super::{Failure, Place, serve, standby};
use crate::config::Config;

/// Runs `rota serve` until it is stopped.
pub fn serve(place: Place, flags: serve::Flags) -> Result<(), Failure> {
    let signals = Signals::register()?;
    let config = configured(place, flags.address)?;
    act(&config, &signals, Part::Primary(None))
}

/// Runs `rota standby` until it is stopped.
pub fn standby(place: Place, flags: standby::Flags) -> Result<(), Failure> {
    let signals = Signals::register()?;
    let config = configured(place, flags.address)?;
    let settings = config.standby().map_err(Failure::Usage)?;
    let part = standby::begin(&config, settings)?;
    act(&config, &signals, part)
}

/// The settings of a server.
fn configured(place: Place, address: Address) -> Result<Config, Failure> {
    let flags = Config {
        listen: address.listen,
        base_url: address.base_url,
        ..Config::default()
    };
    settings_with(place, flags, Program::Server)
}

/// Acts a part until the process is stopped, and the parts that follow from it.
fn act(config: &Config, signals: &Signals, first: Part) -> Result<(), Failure> {
    let db = database(config)?;
    let mut part = first;
    loop {
        part = match part {
            Part::Primary(held) => serve::primary(config, signals, &db, held)?,
            Part::Standby(held, copies) => standby::serve(config, signals, &db, held, copies)?,
            Part::Over => return Ok(()),
        };
    }
}
