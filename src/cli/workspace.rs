//! Opens what a command needs: settings, clock, database, app.

use super::outgoing::{LISTEN, Receivers, outward, trusted};
use super::output::tell;
use super::{Failure, Place, logging};
use crate::actions::dev_clock::CLOCK_FACT;
use crate::actions::due::BASE_URL_FACT;
use crate::actions::{App, Outward};
use crate::config::{self, Config};
use crate::domain::holidays::Calendar;
use crate::runtime::clock::Clock;
use crate::store::{
    Error, Lock, ReadTx, Store, WorkingCopy, create_file, folder_of, load_fact, load_marker,
    missing_database, refuse_planted_links,
};
use jiff::Timestamp;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What to do if the database is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Create,
    Refuse,
}

/// The config file of the Debian package.
const USUAL_FILE: &str = "/etc/rota/rota.toml";

/// Whose settings these are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    Server,
    /// Reads no file that nobody named: it must not run on the database of a service by accident.
    Development,
    Command,
    /// A command for receivers of webhooks, who need no file of the server.
    Receiver,
}

impl Program {
    fn is_command(self) -> bool {
        matches!(self, Program::Command | Program::Receiver)
    }

    /// Whether it reads the usual config file.
    fn reads_usual_file(self) -> bool {
        matches!(self, Program::Server | Program::Command)
    }
}

/// The settings of a command without its own flags.
pub fn settings(place: Place) -> Result<Config, Failure> {
    settings_with(place, Config::default(), Program::Command)
}

/// The settings with the flags of a server uppermost; from here on things are logged.
///
/// To be asked for once: a config file may be a pipe, and empty when it is read again.
pub fn settings_with(place: Place, flags: Config, program: Program) -> Result<Config, Failure> {
    let flags = Config {
        db: place.db,
        log: place.log,
        ..flags
    };
    let environment = |name: &str| std::env::var_os(name);
    let usual = Path::new(USUAL_FILE);
    let usual = program.reads_usual_file().then_some(usual);
    let config = Config::load(flags, place.config, usual, &environment).map_err(Failure::Usage)?;
    logging::begin(config.log.as_ref(), program.is_command());
    for (name, _) in std::env::vars_os() {
        if let Some(sentence) = config::resembling(&name.to_string_lossy()) {
            log::warn!("{sentence}");
        }
    }
    Ok(config)
}

/// The path of the database without links: its lock, its log and restores depend on the file's real name.
pub fn database(config: &Config) -> Result<PathBuf, Failure> {
    let path = config.db.as_deref().unwrap_or(Path::new("rota.db"));
    refuse_planted_links(path)?;
    real_path(path).map_err(|error| {
        let folder = folder_of(path);
        // Nothing is made in a folder that is missing: it may be a disk that is not there yet.
        if error.kind() == ErrorKind::NotFound && !folder.exists() {
            return Failure::Usage(format!(
                "{}: the folder {} of the database {} is missing; make it, or write the path of a file in a folder that is \
                 there, such as {:?}",
                config.origins.of("db"),
                folder.display(),
                path.display(),
                "/var/lib/rota/rota.db"
            ));
        }
        Failure::Failed(format!("{}: {error}", path.display()))
    })
}

/// The same for a command that needs one to be there already.
pub fn existing_database(config: &Config) -> Result<PathBuf, Failure> {
    let path = database(config)?;
    match path.exists() {
        true => Ok(path),
        false => Err(Failure::Failed(missing_database(&path))),
    }
}

/// The real path of a file that may be missing in an existing folder.
fn real_path(path: &Path) -> std::io::Result<PathBuf> {
    let mut path = path.to_owned();
    // Dangling links are followed here; a link loop is reported by the system.
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

/// Opens the database, with its lock if the caller holds it. Reports if it was created.
pub fn open_store(
    path: &Path,
    clock: Arc<Clock>,
    missing: Missing,
    lock: Option<&Lock>,
) -> Result<Store, Failure> {
    if let Some(marker) = load_marker(path)? {
        // What only reads is answered from a copy of the copy, which stays as it came.
        let copy = WorkingCopy::elsewhere(path)?;
        let store = Store::open_working_copy(copy, clock, marker.copied_at)?;
        return Ok(store.read_only(marker.first.into()));
    }
    let create = missing == Missing::Create;
    let created = create && create_file(path)?;
    let store = match lock {
        Some(_) => Store::open_locked(path, clock, create)?,
        None => Store::open(path, clock, create)?,
    };
    if created {
        tell(&format!("created {}", path.display()));
    }
    Ok(store)
}

/// The database of a command, which must be there. Uses its development clock if it has one.
pub fn open(path: &Path) -> Result<Store, Failure> {
    open_with_clock(path, Missing::Refuse, None, None).map(|(store, _)| store)
}

/// As [`open`], with its clock. `frozen_at` sets a new development clock or moves an existing one forward.
pub fn open_with_clock(
    path: &Path,
    missing: Missing,
    frozen_at: Option<Timestamp>,
    lock: Option<&Lock>,
) -> Result<(Store, Arc<Clock>), Failure> {
    let system = Arc::new(Clock::system());
    let store = open_store(path, Arc::clone(&system), missing, lock)?;
    let named = |error: Error| Failure::Failed(format!("{}: {error}", path.display()));
    let kept = parse_clock(store.read(development_clock).map_err(named)?)?;
    let frozen_at = match (kept, frozen_at) {
        (Some(kept), Some(asked)) if asked < kept => {
            return Err(Failure::Usage(format!(
                "--clock: {asked} is before {kept}, the last time of this database's clock; time only moves forward"
            )));
        }
        (kept, asked) => asked.or(kept),
    };
    let Some(at) = frozen_at else {
        return Ok((store, system));
    };
    // The storage thread keeps its clock, so the file is opened again with the frozen one.
    if store.copied_at().is_some() {
        return Ok((store, system));
    }
    drop(store);
    let clock = Arc::new(Clock::frozen(at));
    // It was migrated above.
    Ok((Store::open_locked(path, Arc::clone(&clock), false)?, clock))
}

/// The last time of the database's development clock, if it has one.
pub fn development_clock(tx: &ReadTx) -> Result<Option<String>, Error> {
    load_fact(tx, CLOCK_FACT)
}

/// Parses the stored time.
pub fn parse_clock(fact: Option<String>) -> Result<Option<Timestamp>, Failure> {
    let read = |text: String| {
        text.parse()
            .map_err(|_| Failure::Failed(format!("the stored clock {text:?} is unreadable")))
    };
    fact.map(read).transpose()
}

/// The app for a command that changes rotations.
pub fn app(config: &Config, missing: Missing) -> Result<App, Failure> {
    // The settings are judged before a database is made.
    let calendar = days(config)?;
    let outward = outward(String::new(), config, &trusted(config)?, Receivers::Public)?;
    let (store, clock) = open_with_clock(&database(config)?, missing, None, None)?;
    let kept = store.read(|tx: &ReadTx| load_fact(tx, BASE_URL_FACT))?;
    let own = || kept.unwrap_or_else(|| format!("http://{}", LISTEN));
    let base_url = config
        .base_url
        .as_ref()
        .map_or_else(own, ToString::to_string);
    let outward = Outward {
        base_url,
        ..outward
    };
    Ok(App::new(
        store,
        calendar,
        clock,
        config.plan.tier_limits(),
        outward,
    ))
}

/// Weekends and holidays, with the operator's days laid over them.
pub fn days(config: &Config) -> Result<Calendar, Failure> {
    let Some(path) = &config.holidays.file else {
        return Ok(Calendar::embedded());
    };
    let text = std::fs::read_to_string(path).map_err(|error| {
        Failure::Usage(format!(
            "{}: {}: {error}; write the path of a text file that is there, such as \"/etc/rota/holidays.txt\"",
            config.origins.of("holidays.file"),
            path.display()
        ))
    })?;
    Calendar::with_file(&text).map_err(|(line, why)| {
        Failure::Usage(format!("{}:{line}: holidays.file: {why}", path.display()))
    })
}
