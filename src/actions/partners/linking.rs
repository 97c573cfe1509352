//! Has a rotation follow a schedule of a partner, and ends that.

use super::reading::{Reading, fetch, take};
use super::unavailable;
use crate::actions::draft::Draft;
use crate::actions::mutation::Operation;
use crate::actions::{App, Result};
use crate::domain::access::Principal;
use crate::domain::event::Act;
use crate::domain::external::{self, Link};
use crate::domain::external_linking;
use crate::domain::handover::WindowChange;
use crate::domain::partner::ReadFailure;
use crate::domain::refusal::{Refusal, invalid};
use crate::domain::rotation::Rotation;
use crate::domain::tiers::Tier;
use crate::store::{self, WriteTx};

/// Has a rotation follow a schedule; without a link it is external and follows none yet. The schedule is read first.
pub struct LinkExternal {
    link: Option<Link>,
    read: Option<Reading>,
}

impl LinkExternal {
    /// To this schedule.
    pub fn to(link: Option<Link>) -> LinkExternal {
        LinkExternal { link, read: None }
    }
}

impl Operation for LinkExternal {
    const NAME: &'static str = "link external";
    const PREPARES: bool = true;
    type Output = ();

    fn prepare(&mut self, app: &App, _: &Rotation) -> Result<()> {
        let Some(link) = &self.link else {
            return check_tier(app);
        };
        let Some(source) = app.partners().source(link.partner) else {
            return Ok(invalid(
                "partner",
                format!(
                    "there are no settings for `{}`; GET /v1/partners lists those with settings",
                    link.partner.name()
                ),
            )?);
        };
        check_tier(app)?;
        let _place = app.partners().crowd.enter(link.partner)?;
        source.forget_people();
        let now = app.now();
        let read = fetch(&**source, &link.schedule, now);
        let outcome = read.as_ref().err().map_or("success", |it| it.kind.name());
        app.metrics().partner_read(link.partner, outcome);
        match read {
            Ok(read) => {
                self.read = Some(read);
                Ok(())
            }
            Err(failure) if failure.kind == ReadFailure::NotFound => Ok(invalid(
                "scheduleId",
                format!(
                    "{} has no schedule `{}`; GET /v1/partners/{}/schedules lists those there are",
                    link.partner.title(),
                    link.schedule,
                    link.partner.name()
                ),
            )?),
            Err(failure) => {
                log::warn!(
                    "{}: cannot read schedule {}: {failure}",
                    link.partner.name(),
                    link.schedule
                );
                Err(unavailable(link.partner, &failure).into())
            }
        }
    }

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let LinkExternal { link, read } = self;
        check_tier(draft.app())?;
        let before = draft.rotation.external.as_ref();
        let is_same = before.is_some_and(|external| external.link == link);
        if is_same && link.is_none() {
            return Ok(());
        }
        if let (Some(link), Some(reading)) = (&link, read) {
            let mut known = store::load_schedule(&tx.as_read(), link)?.unwrap_or_default();
            take(&mut known, reading, tx.now());
            store::save_schedule(tx, link, &known)?;
        }
        let said = match &link {
            Some(link) => format!(
                "follows schedule {} of {}",
                link.schedule,
                link.partner.name()
            ),
            None => "external, follows no schedule yet".to_owned(),
        };
        let external = store::load_link(&tx.as_read(), link)?;
        if is_same {
            // The same again: what was read counts, the grid stays.
            let current = draft.rotation.external.take();
            let current = current.map_or_else(Vec::new, |external| external.current);
            draft.rotation.external = Some(external::External {
                current,
                ..external
            });
            external_linking::keep_zone(&mut draft.rotation);
        } else {
            draft.describe(draft.rotation.id.clone().as_str(), said);
            let at = draft.instant(tx);
            external_linking::link(&mut draft.rotation, external, at, &mut |prefix| {
                tx.mint(prefix)
            });
        }
        let members = draft.rotation.external.as_ref().map(|it| it.members());
        if let Some(members) = members
            && draft
                .rotation
                .external
                .as_ref()
                .is_some_and(|it| it.link.is_some())
        {
            draft.set_members(tx, members)?;
        }
        draft.change(tx, WindowChange::ByEdit, |_| ());
        draft.store(tx, Act::Edit)?;
        store::clear_unlinked_schedules(tx)?;
        Ok(())
    }
}

fn check_tier(app: &App) -> Result<()> {
    match app.tier_limits().tier {
        Tier::Pro => Ok(()),
        Tier::Free => Err(Refusal::PaymentRequired(
            "".into(),
            "following a partner's schedule needs the Pro plan".into(),
        )
        .into()),
    }
}

/// Makes a rotation manual that follows a schedule.
pub struct UnlinkExternal;

impl Operation for UnlinkExternal {
    const NAME: &'static str = "unlink external";
    type Output = ();

    fn apply(self, tx: &mut WriteTx, draft: &mut Draft, _: &Principal) -> Result<()> {
        let Some(external) = &draft.rotation.external else {
            return Err(Refusal::NotExternal.into());
        };
        let said = match &external.link {
            Some(link) => format!(
                "no longer follows schedule {} of {}",
                link.schedule,
                link.partner.name()
            ),
            None => "no longer external".to_owned(),
        };
        draft.describe(draft.rotation.id.clone().as_str(), said);
        let members = draft.rotation.members.users.clone();
        external_linking::unlink(&mut draft.rotation);
        if draft.rotation.members.users != members {
            let users = draft.rotation.members.users.clone();
            draft.set_members(tx, users)?;
        }
        draft.change(tx, WindowChange::ByEdit, |_| ());
        draft.store(tx, Act::Edit)?;
        store::clear_unlinked_schedules(tx)?;
        Ok(())
    }
}
