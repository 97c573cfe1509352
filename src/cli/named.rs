//! People and rotations as operators name them: by id, by code or address, or by a name that only one of them has.

use super::Failure;
use crate::domain::ids::{RotationId, UserId};
use crate::store::{self, Page, PersonFilter, ReadTx};
use crate::wire::strict::nearest;
use std::fmt::Display;

/// Candidates of an ambiguous name that are listed.
const MOST: usize = 5;

/// The rotation that a text names.
///
/// # Errors
/// Where none is called so, with the nearest code or name, and where several are, with their ids.
pub fn rotation(tx: &ReadTx, named: &str) -> Result<RotationId, Failure> {
    let all = store::list_rotation_names(tx)?;
    if let Some(known) = all.iter().find(|one| one.id.as_str() == named) {
        return Ok(known.id.clone());
    }
    let is = |text: &str| text.to_lowercase() == named.to_lowercase();
    if let Some(known) = all.iter().find(|one| one.code.as_deref().is_some_and(is)) {
        return Ok(known.id.clone());
    }
    let ids = all.iter().filter(|one| is(&one.name)).map(|one| &one.id);
    let texts = all
        .iter()
        .flat_map(|one| one.code.iter().chain([&one.name]));
    one("rotation", named, ids, texts.map(String::as_str).collect())
}

/// As [`rotation`], where it may have been deleted: then only its id names it.
///
/// # Errors
/// As [`rotation`].
pub fn rotation_or_gone(tx: &ReadTx, named: &str) -> Result<RotationId, Failure> {
    match named.starts_with("rot_") {
        true => Ok(RotationId::from(named)),
        false => rotation(tx, named),
    }
}

/// The person whom a text names; whoever is deactivated is named by the id alone.
///
/// # Errors
/// Where nobody is called so, with the nearest name, and where several are, with their ids.
pub fn person(tx: &ReadTx, named: &str) -> Result<UserId, Failure> {
    let id = UserId::from(named);
    if store::load_name(tx, &id)?.is_some() {
        return Ok(id);
    }
    let page = Page::first(u32::MAX);
    let (all, _) = store::list_people(tx, &PersonFilter::default(), false, page)?;
    let is = |text: &String| text.to_lowercase() == named.to_lowercase();
    let is_called = |texts: &[&Option<String>]| texts.iter().any(|text| text.iter().any(is));
    let by_address: Vec<_> = all.iter().filter(|one| is_called(&[&one.email])).collect();
    let by_name = all
        .iter()
        .filter(|one| is_called(&[&one.handle, &one.display_name, &one.real_name]));
    let found = match by_address.is_empty() {
        true => by_name.collect(),
        false => by_address,
    };
    let names = all.iter().map(|one| one.name());
    one(
        "person",
        named,
        found.iter().map(|one| &one.id),
        names.collect(),
    )
}

/// The only one of these.
fn one<'a, T: Clone + Display + 'a>(
    what: &str,
    named: &str,
    found: impl Iterator<Item = &'a T>,
    known: Vec<&str>,
) -> Result<T, Failure> {
    let found: Vec<&T> = found.collect();
    match found.as_slice() {
        [only] => Ok((*only).clone()),
        [] => {
            let advice = match (nearest(named, &known), what) {
                (Some(near), _) => format!("; did you mean {near:?}?"),
                (None, "person") => "; `rota people` lists those there are".to_owned(),
                (None, _) => String::new(),
            };
            Err(Failure::Failed(format!(
                "there is no {what} {named:?}{advice}"
            )))
        }
        several => {
            let ids: Vec<String> = several.iter().take(MOST).map(|id| id.to_string()).collect();
            Err(Failure::Failed(format!(
                "{} are called {named:?}; name one by its id: {}",
                several.len(),
                ids.join(", ")
            )))
        }
    }
}
