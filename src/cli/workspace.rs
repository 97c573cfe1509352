//! Opening what a command works on: settings, clock, database, app.

use super::output::tell;
use super::outward::{LISTEN, Receivers, outward};
use super::{Failure, Place, logging};
use crate::actions::App;
use crate::actions::dev_clock::CLOCK_FACT;
use crate::actions::due::BASE_URL_FACT;
use crate::config::{Config, HolidaysPart};
use crate::domain::holidays::Calendar;
use crate::runtime::clock::Clock;
use crate::store::{Fault, ReadTx, Store, create_file, folder_of, load_fact, refuse_planted_links};
use jiff::Timestamp;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What to do where the database is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Create,
    Refuse,
}

/// The settings of a command that has no flags of its own among them.
pub fn settings(place: Place) -> Result<Config, Failure> {
    settings_with(place, Config::default())
}

/// The settings of a command, its own flags uppermost; from here on things are logged. To be asked for once: a config file
/// may be a pipe, and empty when it is read again.
pub fn settings_with(place: Place, flags: Config) -> Result<Config, Failure> {
    let flags = Config {
        db: place.db,
        log: place.log,
        ..flags
    };
    let environment = |name: &str| std::env::var_os(name);
    let config = Config::load(flags, place.config, &environment).map_err(Failure::Usage)?;
    logging::begin(config.log.as_ref());
    Ok(config)
}

/// The database's path, without links: its lock, its log and what replaces it go by the file's real name.
pub fn database(config: &Config) -> Result<PathBuf, Failure> {
    let path = config.db.as_deref().unwrap_or(Path::new("rota.db"));
    refuse_planted_links(path)?;
    real_path(path).map_err(|error| Failure::Failed(format!("{}: {error}", path.display())))
}

/// The real path of a file that may be missing, but not its folder.
fn real_path(path: &Path) -> std::io::Result<PathBuf> {
    let mut path = path.to_owned();
    // A link to nothing is followed by hand; one that leads to itself is told by the system.
    loop {
        match path.canonicalize() {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            done => return done,
        }
        let folder = folder_of(&path);
        match path.read_link() {
            Ok(target) => path = folder.join(target),
            Err(_) => {
                let name = path.file_name().ok_or(ErrorKind::NotFound)?;
                return Ok(folder.canonicalize()?.join(name));
            }
        }
    }
}

/// Opens the database; one that is made is told.
pub fn open_store(path: &Path, clock: Arc<Clock>, missing: Missing) -> Result<Store, Failure> {
    let create = missing == Missing::Create;
    let created = create && create_file(path)?;
    let store = Store::open(path, clock, create)?;
    if created {
        tell(&format!("created {}", path.display()));
    }
    Ok(store)
}

/// The database of a command. One that was made with a development clock goes on with it.
pub fn open(path: &Path, missing: Missing) -> Result<Store, Failure> {
    open_with_clock(path, missing, None).map(|(store, _)| store)
}

/// The same with its clock, where `frozen_at` can set a development clock that was not there or move it forward.
pub fn open_with_clock(
    path: &Path,
    missing: Missing,
    frozen_at: Option<Timestamp>,
) -> Result<(Store, Arc<Clock>), Failure> {
    let system = Arc::new(Clock::system());
    let store = open_store(path, Arc::clone(&system), missing)?;
    let named = |fault: Fault| Failure::Failed(format!("{}: {fault}", path.display()));
    let kept = parse_clock(store.read(development_clock).map_err(named)?)?;
    let frozen_at = match (kept, frozen_at) {
        (Some(kept), Some(asked)) if asked < kept => {
            return Err(Failure::Usage(format!(
                "--clock: {asked} is before {kept}, which this database's clock showed last; time only moves forward"
            )));
        }
        (kept, asked) => asked.or(kept),
    };
    let Some(at) = frozen_at else {
        return Ok((store, system));
    };
    // The storage thread has its clock for good, so the file is opened again with the one that stands still.
    drop(store);
    let clock = Arc::new(Clock::frozen(at));
    Ok((Store::open(path, Arc::clone(&clock), false)?, clock))
}

/// What the database's own clock showed last, where it has one.
pub fn development_clock(tx: &ReadTx) -> Result<Option<String>, Fault> {
    load_fact(tx, CLOCK_FACT)
}

/// The instant that it means.
pub fn parse_clock(fact: Option<String>) -> Result<Option<Timestamp>, Failure> {
    let read = |text: String| {
        text.parse()
            .map_err(|_| Failure::Failed(format!("the stored clock {text:?} is unreadable")))
    };
    fact.map(read).transpose()
}

/// An app on the database of a command that changes rotations.
pub fn app(config: &Config, missing: Missing) -> Result<App, Failure> {
    let calendar = days(&config.holidays)?;
    let (store, clock) = open_with_clock(&database(config)?, missing, None)?;
    let kept = store.read(|tx: &ReadTx| load_fact(tx, BASE_URL_FACT))?;
    let own = || kept.unwrap_or_else(|| format!("http://{}", LISTEN));
    let base_url = config
        .base_url
        .as_ref()
        .map_or_else(own, ToString::to_string);
    let outward = outward(base_url, config, Receivers::Public)?;
    Ok(App::new(
        store,
        calendar,
        clock,
        config.plan.tier_limits(),
        outward,
    ))
}

/// Weekends and holidays, with the operator's days laid over them.
pub fn days(part: &HolidaysPart) -> Result<Calendar, Failure> {
    let Some(path) = &part.file else {
        return Ok(Calendar::embedded());
    };
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::Usage(format!("{}: {error} (the [holidays] file)", path.display()))
    })?;
    Calendar::with_file(&text)
        .map_err(|(line, why)| Failure::Usage(format!("{}:{line}: {why}", path.display())))
}
