//! Data of pages about many rotations at once: who is on call, who follows, where nobody will be; and one person's requests in all of
//! them.

use super::{App, Error, Result, reads, requests};
use crate::domain::access::Principal;
use crate::domain::agreement::AgreementContext;
use crate::domain::forecast::{self, AbsentOnCall, Gap, OnCallSummary};
use crate::domain::handover::DealingContext;
use crate::domain::ids::{RequestId, RotationId, UserId};
use crate::domain::request::{MAX_PENDING, RequestKind, RequestView};
use crate::domain::rotation::Rotation;
use crate::domain::time::Interval;
use crate::store::{self, Page, ReadTx, RotationFilter};
use jiff::{SignedDuration, Timestamp};
use std::sync::Arc;

/// A rotation as a list of many shows it.
#[derive(Clone, Debug)]
pub struct Overview {
    pub rotation: Rotation,
    pub summary: OnCallSummary,
    /// When the first of those on call goes off, by hand-over or because the hours end; and who comes on next.
    pub until: Option<Timestamp>,
    pub next: Option<Next>,
    /// Where nobody will be on call, as far ahead as was asked for; empty where that is too much to look at.
    pub gaps: Vec<Gap>,
    /// Where somebody will be on call who is away, in the same time.
    pub absent: Vec<AbsentOnCall>,
}

/// Who comes on next.
#[derive(Clone, Debug)]
pub struct Next {
    pub users: Vec<UserId>,
    /// `None` where somebody hands over by hand.
    pub at: Option<Timestamp>,
}

/// A page of the rotations that are there for a caller, and how many there are in all.
pub fn rotations(
    app: &App,
    caller: &Principal,
    filter: RotationFilter,
    page: Page,
    ahead: SignedDuration,
) -> Result<(Vec<Overview>, u64)> {
    let filter = reads::narrowed(caller, filter);
    app.store().read(|tx| {
        let (ids, total) = store::list_rotations(tx, &filter, page)?;
        Ok((load(app, tx, &ids, ahead)?, total))
    })
}

/// One rotation that is there for a caller.
pub fn one(
    app: &App,
    caller: &Principal,
    id: &RotationId,
    ahead: SignedDuration,
) -> Result<Overview> {
    app.store().read(|tx| {
        reads::visible(tx, caller, id)?;
        let mut found = load(app, tx, std::slice::from_ref(id), ahead)?;
        Ok(found
            .pop()
            .ok_or(crate::domain::refusal::Refusal::NotFound("rotation"))?)
    })
}

/// These rotations, in this order, whoever may see them. Those that are not there are left out.
pub(super) fn load(
    app: &App,
    tx: &ReadTx,
    ids: &[RotationId],
    ahead: SignedDuration,
) -> Result<Vec<Overview>> {
    let now = app.now();
    let mut found = Vec::with_capacity(ids.len());
    for rotation in store::each_rotation(tx, ids) {
        let rotation = rotation?;
        let absences = Arc::clone(&rotation.absences);
        let dealing = DealingContext::new(app.calendar(), &absences);
        found.push(overview(rotation, dealing, now, ahead));
    }
    Ok(found)
}

fn overview(
    rotation: Rotation,
    dealing: DealingContext,
    now: Timestamp,
    ahead: SignedDuration,
) -> Overview {
    let summary = OnCallSummary::of(&rotation, dealing);
    let range = Interval::ahead(now, ahead);
    let turns = match rotation.enabled {
        true => forecast::schedule_within(&rotation, dealing, range).unwrap_or_default(),
        false => Vec::new(),
    };
    let held = || turns.iter().filter(|turn| turn.entry.user.is_some());
    let running = held().filter(|turn| turn.entry.start <= now);
    let until = running.filter_map(|turn| turn.end).min();
    let later = until.unwrap_or(now);
    let comes = held().map(|turn| turn.entry.start);
    let at = comes.filter(|start| *start >= later && *start > now).min();
    let next = match at {
        Some(at) => {
            let mut users: Vec<UserId> = Vec::new();
            for turn in held().filter(|turn| turn.entry.start == at) {
                users.extend(turn.entry.user.clone().filter(|user| !users.contains(user)));
            }
            Some(Next {
                users,
                at: Some(at),
            })
        }
        None => Some(&summary.next)
            .filter(|users| !users.is_empty())
            .map(|users| Next {
                users: users.clone(),
                at: summary.until,
            }),
    };
    Overview {
        absent: forecast::absent_on_call(dealing.absences, &turns, range),
        gaps: forecast::gaps(&turns, range),
        until: until.or(summary.until),
        next,
        summary,
        rotation,
    }
}

/// Rotations of one person that are looked at, at the most.
const MOST_ROTATIONS: u32 = 200;

/// The rotations of which a person is a member or an owner, as far as the caller sees them.
pub fn rotations_of(app: &App, caller: &Principal, user: &UserId) -> Result<Vec<Rotation>> {
    app.store().read(|tx| of_person(tx, caller, user))
}

/// The rotations of a person in one snapshot.
fn of_person(tx: &ReadTx, caller: &Principal, user: &UserId) -> Result<Vec<Rotation>> {
    let filter = RotationFilter {
        user: Some(user.clone()),
        ..RotationFilter::default()
    };
    let page = Page::first(MOST_ROTATIONS);
    let (ids, _) = store::list_rotations(tx, &reads::narrowed(caller, filter), page)?;
    Ok(store::each_rotation(tx, &ids).collect::<Result<_, _>>()?)
}

/// Which requests of a person are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnRequests {
    /// Those that are pending.
    Pending,
    /// All that are kept, with those that meet the coming year.
    All,
}

/// A request, with what names its place in its rotation.
#[derive(Clone, Debug)]
pub struct Asked {
    pub view: RequestView,
    pub code: Option<String>,
    /// The slot of each leg.
    pub slots: Vec<Vec<String>>,
}

/// The requests to and from a person in every rotation of theirs that the caller sees, those that begin first first.
pub fn requests_of(
    app: &App,
    caller: &Principal,
    user: &UserId,
    wanted: OwnRequests,
) -> Result<Vec<Asked>> {
    let now = app.now();
    app.store().read(|tx| {
        let mut found = Vec::new();
        for rotation in of_person(tx, caller, user)? {
            if wanted == OwnRequests::Pending && rotation.pending.is_empty() {
                continue;
            }
            let context = AgreementContext {
                rotation: &rotation,
                dealing: DealingContext::new(app.calendar(), &rotation.absences),
                now,
            };
            for request in kept(tx, &rotation, wanted, now)? {
                if request.requester != *user && !request.recipients.contains(user) {
                    continue;
                }
                found.push(asked(requests::view(caller, &context, &request), &rotation));
            }
        }
        found.sort_by_key(|asked| asked.view.request.span().from);
        Ok(found)
    })
}

/// How many requests wait for an answer of somebody.
pub fn count_waiting(app: &App, user: &UserId) -> Result<u64, Error> {
    (app.store()).read(|tx| store::count_requests_waiting(tx, user))
}

fn asked(view: RequestView, rotation: &Rotation) -> Asked {
    let slot = |cell| {
        let cell = rotation.slot_of(cell).map(|index| &rotation.cells[index]);
        cell.map_or(Vec::new(), |cell| forecast::slot_name(rotation, cell))
    };
    let legs = view.request.legs.iter();
    Asked {
        slots: legs.map(|leg| slot(&leg.cell)).collect(),
        code: rotation.profile.code.clone(),
        view,
    }
}

/// How far back and ahead requests are looked for.
const AROUND: SignedDuration = SignedDuration::from_hours(400 * 24);

/// Requests of one rotation that are looked at, at the most, of each kind.
const MOST_REQUESTS: usize = 500;

fn kept(
    tx: &ReadTx,
    rotation: &Rotation,
    wanted: OwnRequests,
    now: Timestamp,
) -> Result<Vec<crate::domain::request::Request>> {
    if wanted == OwnRequests::Pending {
        return Ok(store::list_pending_requests(tx, &rotation.id, MAX_PENDING)?);
    }
    let range = Interval {
        from: now.saturating_sub(AROUND).unwrap_or(Timestamp::MIN),
        until: now.saturating_add(AROUND).unwrap_or(Timestamp::MAX),
    };
    let mut all = Vec::new();
    for kind in [RequestKind::Cover, RequestKind::Swap] {
        let found = store::list_requests(tx, &rotation.id, kind, range, None, MOST_REQUESTS)?;
        all.extend(found.into_iter().map(|(request, _)| request));
    }
    Ok(all)
}

/// The kind of a request, by its id.
pub fn kind_of(id: &RequestId) -> RequestKind {
    match id.as_str().starts_with("swp_") {
        true => RequestKind::Swap,
        false => RequestKind::Cover,
    }
}

/// One request wherever it is, with its rotation.
pub fn request(app: &App, caller: &Principal, id: &RequestId) -> Result<(Rotation, Asked)> {
    let rotation = app.store().read(|tx| store::rotation_of_request(tx, id))?;
    let rotation = rotation.ok_or(crate::domain::refusal::Refusal::NotFound("request"))?;
    let (rotation, view) = requests::read(app, caller, &rotation, kind_of(id), id)?;
    let asked = asked(view, &rotation);
    Ok((rotation, asked))
}
