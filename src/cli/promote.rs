//! `rota promote`: lets a standby take over.

use super::operator::operator;
use super::outgoing::trusted;
use super::output::tell;
use super::standby::begin_epoch;
use super::workspace::{database, settings};
use super::{Failure, Place};
use crate::actions::status;
use crate::client::{Client, Limits, Request};
use crate::config::Config;
use crate::domain::access::Principal;
use crate::runtime::clock::{Clock, monotonic};
use crate::standby::peers;
use crate::store::{
    Expected, Inspection, Lock, Marker, Promotion, ReadTx, Stage, check_copy, find_epoch,
    load_marker, load_promotion, remove_promotion, save_promotion,
};
use clap::Args;
use std::collections::BTreeSet;
use std::io::{BufRead, IsTerminal, Write, stderr, stdin};
use std::path::Path;
use std::time::Duration;

const EXAMPLES: &str = "\
Run it on the standby's machine, once the first server is gone. A running standby goes on as the server within seconds; without
one, start `rota serve`. What fell due since the copy is done then, each instant in order.

Examples:
  rota promote
  rota promote --yes                 without being asked
  rota promote --yes --force         although the first server still answers
  rota promote --planned             both run: the first server hands over, and nothing is lost";

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Flags {
    /// Do not ask
    #[arg(long)]
    yes: bool,
    /// Take over although another server answers as ready
    #[arg(long)]
    force: bool,
    /// Have the first server, which is ready, hand over to this standby, which runs
    #[arg(long, conflicts_with = "force")]
    planned: bool,
}

/// How long another server may take to say whether it is ready.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long the running standby may take to take over.
const TAKING_OVER: Duration = Duration::from_secs(60);

const POLL: Duration = Duration::from_millis(50);

/// Takes over.
pub fn run(place: Place, flags: Flags) -> Result<(), Failure> {
    let config = settings(place)?;
    let db = database(&config)?;
    let Some(marker) = load_marker(&db)? else {
        return Err(Failure::Failed(format!(
            "{}: it is no standby's copy, so there is nothing to promote; `rota serve` serves it",
            db.display()
        )));
    };
    if marker.is_copy {
        let any = Expected {
            length: None,
            database_id: None,
            epoch: 0,
        };
        check_copy(&db, &any)?;
    }
    let highest = highest_epoch(&config, &db, &marker, &flags)?;
    for line in outlook(&db, &marker, flags.planned)? {
        tell(&line);
    }
    if !flags.yes {
        confirm()?;
    }
    let by = match operator("promote").principal {
        Principal::Operator { user } => user,
        _ => None,
    };
    let promotion = Promotion {
        epoch: highest + 1,
        by,
        stage: if flags.planned {
            Stage::Planned
        } else {
            Stage::Now
        },
    };
    take_over(&db, &promotion)
}

/// The highest epoch that was seen, here or at a server that answers. Refuses while one is ready.
fn highest_epoch(
    config: &Config,
    db: &Path,
    marker: &Marker,
    flags: &Flags,
) -> Result<u64, Failure> {
    let own = Inspection::open(db)?.read(find_epoch)?;
    let own = own.ok_or_else(|| format!("{}: it has no database id", db.display()))?;
    let client = Client::new(&trusted(config)?, true, None);
    let from = config.standby.from.iter().map(ToString::to_string);
    let servers: BTreeSet<String> = from
        .chain([marker.first.clone()])
        .chain(config.peers())
        .filter(|url| url.contains("://"))
        .collect();
    let servers: Vec<String> = servers.into_iter().collect();
    let mut highest = own.number.max(marker.epoch);
    let mut ready = None;
    for peer in peers::ask_all(&client, &servers).into_iter().flatten() {
        if peer.database_id.as_deref() != Some(&own.database_id) {
            continue;
        }
        highest = highest.max(peer.epoch);
        if peers::primary([&peer], None).is_some() && is_ready(&client, &peer.url) {
            ready = Some(peer.url);
        }
    }
    match ready {
        Some(url) if !flags.force && !flags.planned => Err(Failure::Failed(format!(
            "{url} answers as ready: two servers would write one database. Have it hand over with `rota promote --planned`; or stop it \
             first, or, if it must not be reached from here, run `rota promote --force`"
        ))),
        None if flags.planned => Err(Failure::Failed(
            "no server of this database answers as ready, so none can hand over; run `rota promote` without --planned".into(),
        )),
        _ => {
            if flags.planned {
                check_standby_runs(&client, db)?;
            }
            Ok(highest)
        }
    }
}

/// Refuses a planned hand-over to a standby that does not run or is not ready.
fn check_standby_runs(client: &Client, db: &Path) -> Result<(), Failure> {
    let holder = Lock::holder(db)?;
    let url = holder
        .as_deref()
        .and_then(|holder| holder.split_once(" at "));
    match url {
        Some((_, url)) if is_ready(client, url) => Ok(()),
        Some((_, url)) => Err(Failure::Failed(format!(
            "the standby at {url} is not ready; see {url}/readyz"
        ))),
        None => Err(Failure::Failed(
            "no standby runs on this database; start `rota standby` first".into(),
        )),
    }
}

/// Whether a server says that it is ready.
fn is_ready(client: &Client, url: &str) -> bool {
    let path = format!("{url}/readyz");
    let request = Request::get(&path).within(Limits {
        total: PATIENCE,
        body_bytes: 64 * 1024,
        ..Limits::default()
    });
    client
        .send(&request)
        .is_ok_and(|response| response.status == 200)
}

/// What taking over means: how old the copy is, what fell due since, and what is sent.
fn outlook(db: &Path, marker: &Marker, planned: bool) -> Result<Vec<String>, Failure> {
    let now = Clock::system().now();
    let age = now.duration_since(marker.copied_at).as_secs().max(0);
    let copied = match marker.is_copy {
        true => "the copy is of",
        false => "this server stopped writing at",
    };
    let mut lines = vec![format!("{copied} {}, {age} s ago", marker.copied_at)];
    let database = Inspection::open(db)?;
    if let Some(why) = database.unready() {
        lines.push(format!("{}: {why}", db.display()));
        return Ok(lines);
    }
    let work = database.read(|tx: &ReadTx| status::read(tx, now))?;
    lines.push(match work.overdue {
        0 => "nothing has fallen due since".into(),
        count => format!("{count} rotations have something due since; it is done now, in order"),
    });
    let queue = work.queue;
    lines.push(format!(
        "it will send {} webhook deliveries and {} messages that wait in the copy, and what follows from what is due",
        queue.pending, queue.messages
    ));
    lines.push(match planned {
        true => "the first server ends its writes and gives a last copy, so nothing is lost".into(),
        false => "changes that the first server took after the copy are not in it; `rota compare` lists them".into(),
    });
    Ok(lines)
}

fn confirm() -> Result<(), Failure> {
    if !stdin().is_terminal() {
        return Err(Failure::Failed(
            "nobody can be asked here; run it with --yes".into(),
        ));
    }
    let mut to = stderr();
    let asked = write!(to, "Take over? Type yes: ").and_then(|()| to.flush());
    asked.map_err(|error| error.to_string())?;
    let mut answer = String::new();
    let read = stdin().lock().read_line(&mut answer);
    read.map_err(|error| error.to_string())?;
    match answer.trim() {
        "yes" => Ok(()),
        _ => Err(Failure::Failed("nothing was changed".into())),
    }
}

/// Has the running standby take over; without one the copy becomes the database at once.
fn take_over(db: &Path, promotion: &Promotion) -> Result<(), Failure> {
    if Lock::holder(db)?.is_none() {
        let mut lock = Lock::take(db)?;
        lock.sign(&format!("`rota promote`, process {}", std::process::id()))?;
        begin_epoch(db, promotion)?;
        remove_promotion(db)?;
        tell(&format!(
            "epoch {} begins; start `rota serve` here",
            promotion.epoch
        ));
        return Ok(());
    }
    save_promotion(db, promotion)?;
    let until = monotonic() + TAKING_OVER;
    while load_marker(db)?.is_some() {
        if let Some(Stage::Failed(why)) = load_promotion(db)?.map(|asked| asked.stage) {
            remove_promotion(db)?;
            return Err(Failure::Failed(why));
        }
        if monotonic() >= until {
            return Err(Failure::Failed(format!(
                "the standby has not taken over after {} s; look into its log. It was asked to, and does it when it can",
                TAKING_OVER.as_secs()
            )));
        }
        std::thread::sleep(POLL);
    }
    tell(&format!(
        "epoch {} begins; the standby goes on as the server",
        promotion.epoch
    ));
    Ok(())
}
