//! Which partners there are, and their schedules.

use super::{Partners, unavailable};
use crate::actions::reads::visible_to;
use crate::actions::{App, Result};
use crate::domain::access::Principal;
use crate::domain::external::Link;
use crate::domain::ids::RotationId;
use crate::domain::partner::{Partner, ReadFailure, ScheduleSummary};
use crate::domain::refusal::Refusal;
use crate::runtime::clock::monotonic;
use crate::store;
use jiff::Timestamp;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// How long a list of schedules is kept.
const KEPT: Duration = Duration::from_secs(60);

/// The schedules that a partner listed.
pub(super) struct Listed {
    at: Instant,
    schedules: Arc<Vec<ScheduleSummary>>,
}

/// A partner with settings, and how its schedules were last read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartnerStatus {
    pub partner: Partner,
    pub read_at: Option<Timestamp>,
    pub failed_at: Option<Timestamp>,
    /// Of the newest reading; `None` if it succeeded.
    pub failure: Option<ReadFailure>,
}

/// The partners with settings.
pub fn partners(app: &App) -> Result<Vec<PartnerStatus>> {
    let connected: Vec<Partner> = app.partners().connected().collect();
    app.store().read(|tx| {
        let links = store::list_linked_schedules(tx)?;
        let mut all = Vec::new();
        for partner in connected {
            let mut status = PartnerStatus {
                partner,
                read_at: None,
                failed_at: None,
                failure: None,
            };
            let mut newest = None;
            for link in links.iter().filter(|link| link.partner == partner) {
                let Some(known) = store::load_schedule(tx, link)? else {
                    continue;
                };
                status.read_at = status.read_at.max(known.read_at);
                status.failed_at = status.failed_at.max(known.failed_at);
                let at = match known.failure {
                    Some(_) => known.failed_at,
                    None => known.read_at,
                };
                if at > newest {
                    newest = at;
                    status.failure = known.failure;
                }
            }
            all.push(status);
        }
        Ok(all)
    })
}

/// A schedule, and the rotations that follow it and that the caller sees.
pub type WithRotations = (ScheduleSummary, Vec<RotationId>);

/// The schedules of a partner with this text in their names, in the partner's order.
///
/// # Errors
/// [`Refusal::NotFound`] without settings, [`Refusal::PartnerUnavailable`] if the partner cannot be read.
pub fn schedules(
    app: &App,
    caller: &Principal,
    name: &str,
    text: Option<&str>,
) -> Result<Vec<WithRotations>> {
    if !caller.sees_directory() {
        return Err(Refusal::NotFound("partner with settings").into());
    }
    let (partner, _) = app.partners().named(name)?;
    let listed = app.partners().list(partner)?;
    let wanted = text.map(str::to_lowercase);
    let fits = |schedule: &&ScheduleSummary| {
        let name = schedule.name.to_lowercase();
        wanted.as_deref().is_none_or(|wanted| name.contains(wanted))
    };
    app.store().read(|tx| {
        let mut found = Vec::new();
        for schedule in listed.iter().filter(fits) {
            let link = Link {
                partner,
                schedule: schedule.id.clone(),
            };
            let mut rotations = store::list_following(tx, &link)?;
            let visible = visible_to(caller);
            if visible != store::Visible::default() {
                let mut seen = Vec::new();
                for id in rotations {
                    let rotation = store::load_rotation(tx, &id)?;
                    if rotation.is_some_and(|rotation| caller.check_see(&rotation).is_ok()) {
                        seen.push(id);
                    }
                }
                rotations = seen;
            }
            found.push((schedule.clone(), rotations));
        }
        Ok(found)
    })
}

impl Partners {
    /// The schedules of a partner, read anew after a minute.
    fn list(&self, partner: Partner) -> Result<Arc<Vec<ScheduleSummary>>, Refusal> {
        let listed = || self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) = listed().get(&partner)
            && kept.at.elapsed() < KEPT
        {
            return Ok(Arc::clone(&kept.schedules));
        }
        let source = self
            .source(partner)
            .ok_or(Refusal::NotFound("partner with settings"))?;
        let place = self.crowd.enter(partner)?;
        let schedules = source.schedules();
        drop(place);
        let schedules = Arc::new(schedules.map_err(|failure| {
            log::warn!("{}: cannot list schedules: {failure}", partner.name());
            unavailable(partner, &failure)
        })?);
        let kept = Listed {
            at: monotonic(),
            schedules: Arc::clone(&schedules),
        };
        listed().insert(partner, kept);
        Ok(schedules)
    }
}
