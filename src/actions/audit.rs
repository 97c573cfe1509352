//! The audit log (rules.md 18): the entry of every write, in its transaction, and reading the log.
//!
//! A write of a rotation gets its entry from the draft that saves it. Every other write of somebody's
//! runs in [`write`], which asks for what it changed. A test names the files that begin a write in another way.

use super::{App, Error, Result};
use crate::domain::access::{Principal, Reach};
use crate::domain::audit::{
    Actor, ActorKind, AuditEntry, AuditFilter, AuditedChange, Author, Names, Origin, Referent,
    Summary, quoted,
};
use crate::domain::ids::RotationId;
use crate::domain::refusal::{Refusal, invalid};
use crate::store::{self, AuditPosition, Page, ReadTx, Store, StoreError, WriteTx};

/// The action of the entries of refused credentials.
const AUTHENTICATE: &str = "authenticate";

/// Runs a write of something other than a rotation, and adds its audit entry. It answers its result and what it changed;
/// `None` is a write that changed nothing.
///
/// # Errors
/// Whatever the write refuses or fails with; then nothing is stored.
pub(super) fn write<T: Send + 'static, E: StoreError + Send + 'static>(
    store: &Store,
    author: &Author,
    act: impl FnOnce(&mut WriteTx, &Author) -> Result<(T, Option<AuditedChange>), E> + Send + 'static,
) -> Result<T, E> {
    let author = author.clone();
    store.write(move |tx| {
        let (value, change) = act(tx, &author)?;
        if let Some(change) = change {
            record(tx, &author, change)?;
        }
        Ok(value)
    })
}

/// Adds the audit entry of a change within the write that makes it.
pub(super) fn record(
    tx: &mut WriteTx,
    author: &Author,
    change: AuditedChange,
) -> Result<(), Error> {
    let actor = Actor::of(&author.principal);
    insert(tx, actor, (author.action, &author.origin), change)
}

/// Adds the audit entry of a change that waited for its time, of whoever made it.
pub(super) fn record_applied(
    tx: &mut WriteTx,
    by: Actor,
    change: AuditedChange,
) -> Result<(), Error> {
    insert(tx, by, ("applyScheduledChange", &Origin::default()), change)
}

fn insert(
    tx: &mut WriteTx,
    actor: Actor,
    by: (&str, &Origin),
    change: AuditedChange,
) -> Result<(), Error> {
    if tx.is_forecast() {
        return Ok(());
    }
    let id = tx.mint("aud_");
    let names = names(&tx.as_read(), &change.summary)?;
    let entry = AuditEntry::new(id, tx.now(), actor, by, (change, &names));
    store::insert_entry(tx, entry)
}

/// The present names of those whom a summary names.
fn names(tx: &ReadTx, summary: &Summary) -> Result<Names, Error> {
    let mut names = Names::default();
    for named in summary.named() {
        let name = match named {
            Referent::Person(user) => store::load_name(tx, user)?.map(|(name, _)| name),
            Referent::Group(group) => store::load_group(tx, group)?.and_then(|group| {
                let handle = group.handle.map(|handle| format!("@{handle}"));
                handle.or(group.name)
            }),
            Referent::Channel(channel) => store::load_channel(tx, channel)?
                .and_then(|channel| Some(format!("#{}", channel.name?))),
            Referent::Rotation(rotation) => {
                store::load_rotation_name(tx, rotation)?.map(|name| quoted(&name))
            }
        };
        if let Some(name) = name {
            names.add(named.clone(), &name);
        }
    }
    Ok(names)
}

/// Adds the entry of a credential that was refused with this code. It may be lost with the power.
pub fn refused_credential(
    app: &App,
    actor: Actor,
    origin: Origin,
    code: &'static str,
) -> Result<(), Error> {
    // An inbound webhook is one rotation's, whose owners read its entries.
    let is_inbound = actor.kind == ActorKind::InboundWebhook;
    let rotation = actor.id.as_deref().filter(|_| is_inbound);
    let change = AuditedChange {
        rotation: rotation.map(RotationId::from),
        subject: None,
        summary: format!("credential refused: {code}").into(),
    };
    app.store()
        .write_log(move |tx| insert(tx, actor, (AUTHENTICATE, &origin), change))
}

/// A page of the log as far as the caller may read it, newest first, and how many entries there are on all pages.
///
/// # Errors
/// [`Refusal::ResourceDenied`] and [`Refusal::ScopeDenied`] for a caller who may not, [`Refusal::NotFound`] for a rotation that
/// is not there for them, [`Refusal::Invalid`] where too many entries would have to be looked through.
pub fn list(
    app: &App,
    caller: &Principal,
    filter: &AuditFilter,
    page: Page,
) -> Result<(Vec<AuditEntry>, u64)> {
    app.store().read(|tx| {
        check(tx, caller, filter)?;
        match store::page_of_entries(tx, filter, page)? {
            Some(found) => Ok(found),
            None => Ok(invalid(
                "from",
                "too many entries to look through; send a later from, or fewer filters",
            )?),
        }
    })
}

/// Whoever sees all rotations may ask for one that is deleted; others are judged by the rotation as it stands.
fn check(tx: &ReadTx, caller: &Principal, filter: &AuditFilter) -> Result<()> {
    let rotation = match (&filter.rotation, caller.reach()) {
        (Some(id), Reach::SeenBy(_) | Reach::Nothing) => {
            let found = store::load_rotation(tx, id)?;
            Some(found.ok_or(Refusal::NotFound("rotation"))?)
        }
        _ => None,
    };
    Ok(caller.check_audit(rotation.as_ref())?)
}

/// Entries that are read at once.
const STEP: u32 = 500;

/// Shows entries to the operator, newest first and at most so many, reading them in steps: however many there are, few are
/// held.
///
/// # Errors
/// When the storage fails, or `show` does.
pub fn each<E: From<Error>>(
    store: &Store,
    filter: &AuditFilter,
    most: u32,
    mut show: impl FnMut(AuditEntry) -> Result<(), E>,
) -> Result<(), E> {
    let (mut left, mut after) = (most, None::<AuditPosition>);
    while left > 0 {
        let step = left.min(STEP);
        let entries = store.read(|tx| store::list_entries(tx, filter, after, step))?;
        let Some((last, _)) = entries.last() else {
            break;
        };
        after = Some(*last);
        left -= step;
        for (_, entry) in entries {
            show(entry)?;
        }
    }
    Ok(())
}
