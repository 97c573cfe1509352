//! Takes copies of the first server's database: asks for one again and again, checks what comes, and opens the last good one. What
//! is wrong is said, and the last good copy stays.

use super::forecast::{self, Current};
use super::peers::{Peer, ask_all, primary};
use super::{Settings, Source};
use crate::actions::standby::{self, Copied, CopyResult, Standby};
use crate::actions::{App, Error};
use crate::client::{Client, HttpResponse, Limits, Request, Secret};
use crate::domain::audit::Author;
use crate::domain::tiers::TierLimits;
use crate::runtime::background::{LoopSpec, LoopThread, StopFlag, Watch};
use crate::runtime::clock::{monotonic, real_time};
use crate::runtime::wakeup::Wakeup;
use crate::store::{
    Expected, Inspection, Marker, Store, WorkingCopy, adopt_received, begin_receiving, check_copy,
    check_received, discard_received, find_epoch, load_marker, save_marker, set_epoch_aside,
};
use jiff::{SignedDuration, Timestamp};
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long one copy may take once it is being sent.
const LONGEST: Duration = Duration::from_secs(600);

/// How long the first server may take to answer: it makes the copy first.
const PATIENCE: Duration = Duration::from_secs(30);

/// The media type of a copy.
const MEDIA_TYPE: &str = "application/vnd.sqlite3";

/// Clocks that are further apart are warned of.
const CLOCKS_APART: SignedDuration = SignedDuration::from_secs(5);

/// Takes the state of a new copy, which is read from now on.
pub type Serve = Box<dyn Fn(App) + Send>;

/// A standby that takes copies.
pub struct Copying {
    pub settings: Settings,
    pub client: Client,
    /// The path of the copy.
    pub database: PathBuf,
    /// Everything but the database, which each copy brings.
    pub app: App,
    pub standby: Arc<Standby>,
    /// Identifies the data that due instants depend on.
    pub rules: String,
    pub operator: Author,
    pub limits: TierLimits,
    pub serve: Serve,
    /// Has it look at once whether it is to take over as planned.
    pub wakeup: Wakeup,
}

/// What is known between two copies.
pub(super) struct Running {
    pub(super) copying: Copying,
    current: Current,
    /// The validator of the last copy, and the server that it is from.
    tag: Option<(String, String)>,
    /// The id of the database, and the highest epoch seen.
    database_id: Option<String>,
    pub(super) epoch: u64,
    /// What the file that something else replaces looked like.
    file: Option<FileState>,
    /// Whether the clocks were found apart.
    apart: bool,
}

/// Whether a file is still the same: its inode, size and time, and those of its log.
type FileState = [Option<(u64, u64, i64, i64)>; 2];

/// What a copy failed with: it is wrong, or there is none.
pub(super) enum Stop {
    Rejected(String),
    Failed(String),
}

impl Copying {
    /// Opens the copy that is there, if there is one, and begins to take others.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn start(self) -> std::io::Result<Vec<LoopThread>> {
        let (mut running, current) = self.opened();
        let runtime = Arc::clone(running.copying.app.runtime());
        let spec = LoopSpec {
            name: "standby",
            wakeup: running.copying.wakeup.clone(),
            stop: StopFlag::default(),
            watch: Watch::End,
        };
        let copies = runtime.start(spec, move |_| Ok::<_, Error>(running.turn()))?;
        Ok(vec![copies, forecast::start(&runtime, current)?])
    }

    /// Answers from the database that is there, which was this server's own until another one wrote it. No copy is taken.
    ///
    /// # Errors
    /// If a thread cannot be started.
    pub fn answer_from_own(self) -> std::io::Result<Vec<LoopThread>> {
        let (running, current) = self.opened();
        let runtime = running.copying.app.runtime();
        Ok(vec![forecast::start(runtime, current)?])
    }

    fn opened(self) -> (Running, Current) {
        let current = Current::default();
        let mut running = Running {
            current: current.clone(),
            copying: self,
            tag: None,
            database_id: None,
            epoch: 0,
            file: None,
            apart: false,
        };
        running.open_last();
        (running, current)
    }
}

impl Running {
    /// Opens the copy of the last run.
    fn open_last(&mut self) {
        let database = self.copying.database.clone();
        let database = database.as_path();
        if !database.exists() {
            return;
        }
        let opened = load_marker(database).and_then(|marker| {
            let Some(marker) = marker else {
                return Ok(());
            };
            self.epoch = marker.epoch;
            let any = Expected {
                length: None,
                database_id: None,
                epoch: 0,
            };
            if marker.is_copy {
                let epoch = check_copy(database, &any)?;
                self.database_id = Some(epoch.database_id);
                self.epoch = self.epoch.max(epoch.number);
            }
            let copied = Copied::before(marker.copied_at, real_time());
            self.copying.standby.begin_with(copied);
            self.open(copied)
        });
        if let Err(why) = opened {
            log::error!("standby: the last copy cannot be used: {why}");
        }
    }

    /// Asks for a copy. Returns how long to wait before the next.
    fn turn(&mut self) -> Duration {
        self.take_over_as_planned();
        let taken = match self.copying.settings.source.clone() {
            Source::Server { url, key } => {
                self.take_from(&self.source(&url), &key, PATIENCE + LONGEST)
            }
            Source::File { .. } => self.look_at_file(),
        };
        let standby = &self.copying.standby;
        match taken {
            Ok((result, copied)) => standby.note(result, Some(copied), None),
            Err(stop) => {
                let (result, why) = match stop {
                    Stop::Rejected(why) => (CopyResult::Rejected, why),
                    Stop::Failed(why) => (CopyResult::Failed, why),
                };
                // Once, and not every few seconds.
                if standby.wrong().as_ref() != Some(&why) {
                    log::error!("standby: no new copy: {why}; the last good one stays");
                }
                standby.note(result, None, Some(why));
            }
        }
        self.copying.settings.every
    }

    /// The server that copies are taken from: the one that writes the database, of two the one of the higher epoch.
    pub(super) fn source(&self, first: &str) -> String {
        let servers = self.copying.settings.servers();
        if servers.len() < 2 {
            return first.to_owned();
        }
        let answered = ask_all(&self.copying.client, &servers);
        let peers: Vec<Peer> = answered.into_iter().flatten().collect();
        let found = primary(&peers, self.database_id.as_deref());
        found.map_or(first.to_owned(), |peer| peer.url.clone())
    }

    /// Takes a copy from the server at a URL, if there is a new one, within this time.
    pub(super) fn take_from(
        &mut self,
        url: &str,
        key: &Secret,
        longest: Duration,
    ) -> Result<(CopyResult, Copied), Stop> {
        let database = self.copying.database.clone();
        let asked = monotonic();
        let path = format!("{url}/v1/replica");
        let bearer = format!("Bearer {}", key.reveal());
        let mut request = Request::get(&path).header("Authorization", &bearer);
        if let Some((_, tag)) = self.tag.as_ref().filter(|(of, _)| of == url) {
            request = request.header("If-None-Match", tag);
        }
        let request = request.within(Limits {
            total: longest,
            body: longest.saturating_sub(PATIENCE),
            body_bytes: 64 * 1024,
        });
        let mut file = begin_receiving(&database).map_err(Stop::Failed)?;
        let downloaded = self.copying.client.download(&request, &mut file);
        let named = |what: &dyn std::fmt::Display| format!("{url}: {what}");
        let (response, length) = downloaded.map_err(|error| Stop::Failed(named(&error)))?;
        let taken = match response.status {
            304 => {
                let at = copied_at(&response).map_err(|why| Stop::Failed(named(&why)))?;
                self.compare_clocks(url, at, asked);
                if let Some(app) = self.current.get() {
                    app.store().note_unchanged(at);
                }
                Ok((CopyResult::Unchanged, Copied::asked_for(at, asked)))
            }
            200 => {
                let at = self
                    .received(&response, length)
                    .map_err(|why| Stop::Rejected(named(&why)))?;
                self.compare_clocks(url, at, asked);
                self.copying
                    .standby
                    .adopt(|| self.adopt(&file, at, url))
                    .map_err(|why| Stop::Failed(named(&why)))?;
                let copied = Copied::asked_for(at, asked);
                self.open(copied).map_err(Stop::Failed)?;
                let tag = response.header("etag").map(str::to_owned);
                self.tag = tag.map(|tag| (url.to_owned(), tag));
                Ok((CopyResult::Taken, copied))
            }
            status => Err(Stop::Failed(named(&refusal(status, &response)))),
        };
        discard_received(&database);
        taken
    }

    /// Checks what came. Returns when it was copied.
    fn received(&mut self, response: &HttpResponse, length: u64) -> Result<Timestamp, String> {
        let kind = response.header("content-type").unwrap_or_default();
        if kind != MEDIA_TYPE {
            return Err(format!("{kind:?} came, and no database"));
        }
        if response.truncated {
            return Err(format!("the copy ended after {length} bytes"));
        }
        let announced = response.header("content-length");
        let announced = announced.and_then(|length| length.parse().ok());
        let at = copied_at(response)?;
        let expected = Expected {
            length: Some(announced.ok_or("its length was not announced")?),
            database_id: self.database_id.as_deref(),
            epoch: self.epoch,
        };
        let epoch = check_received(&self.copying.database, &expected)?;
        self.database_id = Some(epoch.database_id);
        self.epoch = epoch.number;
        Ok(at)
    }

    /// Puts a checked copy in the place of the last one. A database that is no copy is kept under another name.
    fn adopt(&self, file: &std::fs::File, at: Timestamp, url: &str) -> Result<(), String> {
        let database = &self.copying.database;
        let marker = Marker {
            first: url.to_owned(),
            copied_at: at,
            epoch: self.epoch,
            is_copy: true,
        };
        let last = load_marker(database)?;
        if database.exists() && last.as_ref().is_none_or(|last| !last.is_copy) {
            let own = Inspection::open(database)?.read(find_epoch)?;
            let own = own.map_or(1, |epoch| epoch.number);
            let aside = set_epoch_aside(database, own, real_time())?;
            log::warn!(
                "standby: the database of before is kept as {}",
                aside.display()
            );
            save_marker(database, &marker)?;
        } else if last.is_none() {
            save_marker(database, &marker)?;
        }
        adopt_received(database, file)?;
        save_marker(database, &marker)
    }

    /// Opens the copy, steps it to now and has it read from now on.
    fn open(&self, copied: Copied) -> Result<(), String> {
        let Copying {
            database,
            app,
            standby,
            rules,
            operator,
            limits,
            serve,
            ..
        } = &self.copying;
        let failed = |error: Error| format!("{}: {error}", database.display());
        let copy = WorkingCopy::beside(database)?;
        let store = Store::open_working_copy(copy, Arc::clone(app.clock()), copied.at)?;
        let stepped = app.on(store);
        standby::begin(&stepped, rules, operator, *limits).map_err(failed)?;
        if let Some(last) = self.current.get() {
            standby::carry_sessions(&last, &stepped);
        }
        let read = app.on(stepped.store().read_only(Arc::clone(standby.first())));
        serve(read);
        drop(self.current.replace(stepped));
        Ok(())
    }

    /// Opens the file anew if something has replaced it. Its time is that of the copy.
    fn look_at_file(&mut self) -> Result<(CopyResult, Copied), Stop> {
        let database = self.copying.database.clone();
        let now = real_time();
        let state = file_state(&database);
        let Some(modified) = modified_at(&state) else {
            return Err(Stop::Failed(format!(
                "{}: there is no such file yet",
                database.display()
            )));
        };
        if self.file == Some(state) {
            return Ok((CopyResult::Unchanged, Copied::before(modified, now)));
        }
        let copied = Copied::before(modified, now);
        let expected = Expected {
            length: None,
            database_id: self.database_id.as_deref(),
            epoch: self.epoch,
        };
        let epoch = check_copy(&database, &expected).map_err(Stop::Rejected)?;
        let marker = Marker {
            first: self.copying.settings.first().to_owned(),
            copied_at: modified,
            epoch: epoch.number,
            is_copy: true,
        };
        save_marker(&database, &marker).map_err(Stop::Failed)?;
        self.open(copied).map_err(Stop::Failed)?;
        (self.database_id, self.epoch) = (Some(epoch.database_id), epoch.number);
        self.file = Some(state);
        Ok((CopyResult::Taken, copied))
    }

    /// Warns once of a clock that is wrong: instants of the first server are compared with those of this machine.
    fn compare_clocks(&mut self, url: &str, theirs: Timestamp, asked: Instant) {
        let took = SignedDuration::try_from(asked.elapsed()).unwrap_or_default();
        let (answered, before) = (real_time(), real_time().saturating_sub(took));
        let before = before.unwrap_or(answered);
        let ahead = theirs.duration_since(answered);
        let behind = before.duration_since(theirs);
        let apart = ahead.max(behind) > CLOCKS_APART;
        if apart && !self.apart {
            log::warn!(
                "standby: the clocks of this machine and of {url} are {} s apart; set them right: a standby answers for now by its own",
                ahead.max(behind).as_secs()
            );
        }
        self.apart = apart;
    }
}

/// When what was answered is from.
fn copied_at(response: &HttpResponse) -> Result<Timestamp, String> {
    let header = response.header("rota-copied-at").unwrap_or_default();
    let at = header.parse();
    at.map_err(|_| format!("Rota-Copied-At is {header:?}, which is no instant"))
}

/// What the first server says instead of a copy.
pub(super) fn refusal(status: u16, response: &HttpResponse) -> String {
    let problem: serde_json::Value = serde_json::from_slice(&response.body).unwrap_or_default();
    match problem["detail"].as_str() {
        Some(detail) => format!("it answers {status}: {detail}"),
        None => format!("it answers {status}"),
    }
}

fn file_state(database: &std::path::Path) -> FileState {
    let mut log = database.as_os_str().to_owned();
    log.push("-wal");
    [database.as_os_str(), &log].map(|path| {
        let data = std::path::Path::new(path).metadata().ok()?;
        Some((data.ino(), data.size(), data.mtime(), data.mtime_nsec()))
    })
}

/// When the file or its log was last written.
fn modified_at(state: &FileState) -> Option<Timestamp> {
    let [database, log] = state.map(|found| {
        let (_, _, seconds, nanoseconds) = found?;
        let at = Timestamp::new(seconds, i32::try_from(nanoseconds).ok()?).ok()?;
        Timestamp::from_millisecond(at.as_millisecond()).ok()
    });
    Some(database?.max(log.unwrap_or(database?)))
}
