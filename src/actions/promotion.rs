//! A standby that takes over: the epoch that begins with it, and that what fell due since its copy is carried out in order.

use super::{App, Error, Result, audit};
use crate::domain::access::Principal;
use crate::domain::audit::{AuditedChange, Author};
use crate::store::{self, Promotion, Store};

/// The fact that a database was promoted and has not caught up since.
const FACT: &str = "promoted";

/// Begins the epoch of a promotion in a copy that becomes the database. Has no effect if it has begun.
pub fn promote(store: &Store, promotion: &Promotion) -> Result<(), Error> {
    let author = Author::local(
        Principal::Operator {
            user: promotion.by.clone(),
        },
        "promote",
    );
    let epoch = promotion.epoch;
    audit::write(store, &author, move |tx, _| {
        if store::load_epoch(&tx.as_read())?.number >= epoch {
            return Ok(((), None));
        }
        store::save_epoch(tx, epoch)?;
        store::save_fact(tx, FACT, "yes")?;
        let change = format!("the standby takes over: epoch {epoch} begins");
        Ok(((), Some(AuditedChange::of(&epoch.to_string(), change))))
    })
}

/// Whether a database was promoted and has not caught up since.
pub fn was_promoted(app: &App) -> Result<bool, Error> {
    let fact = app.store().read(|tx| store::load_fact(tx, FACT))?;
    Ok(fact.as_deref() == Some("yes"))
}

/// Notes that what fell due has been carried out.
pub fn is_caught_up(app: &App) -> Result<(), Error> {
    match was_promoted(app)? {
        true => (app.store()).write(|tx| store::save_fact(tx, FACT, "no")),
        false => Ok(()),
    }
}
