//! What makes people reachable and unique: telephone numbers, handles, the last administrator.

use crate::domain::ids::{GroupId, UserId};
use crate::store::rows::millis;
use crate::store::{ReadTx, Result, WriteTx};
use rusqlite::params;
use std::collections::BTreeMap;

/// The telephone number of a person.
pub fn load_phone(tx: &ReadTx, user: &UserId) -> Result<Option<String>> {
    let found = tx.one(
        "SELECT phone FROM person WHERE id = ?1",
        [user.as_str()],
        |row| Ok(row.get::<_, Option<String>>(0)?),
    )?;
    Ok(found.flatten())
}

/// Saves the telephone number of a person.
pub fn save_phone(tx: &mut WriteTx, user: &UserId, phone: Option<&str>) -> Result<()> {
    let sql = "UPDATE person SET phone = ?2, changed_at = ?3 WHERE id = ?1 AND phone IS NOT ?2";
    tx.run(sql, params![user.as_str(), phone, millis(tx.now())])
        .map(drop)
}

/// The telephone numbers of everybody who has one.
pub(super) fn every_phone(tx: &ReadTx) -> Result<BTreeMap<UserId, String>> {
    let sql = "SELECT id, phone FROM person WHERE id >= '' AND phone IS NOT NULL ORDER BY id";
    let found = tx.list(sql, [], |row| {
        Ok((UserId::from(row.get::<_, String>(0)?), row.get(1)?))
    })?;
    Ok(found.into_iter().collect())
}

/// Whether another active person has a handle, case-insensitive.
pub fn is_handle_taken(tx: &ReadTx, handle: &str, but: &UserId) -> Result<bool> {
    let sql = "SELECT 1 FROM person WHERE handle = ?1 COLLATE NOCASE AND NOT is_deleted AND id <> ?2 LIMIT 1";
    let found = tx.one(sql, [handle, but.as_str()], |_| Ok(()))?;
    Ok(found.is_some())
}

/// Whether another active person has a mail address, case-insensitive.
pub fn is_address_taken(tx: &ReadTx, email: &str, but: &UserId) -> Result<bool> {
    let sql = "SELECT 1 FROM person WHERE email = ?1 COLLATE NOCASE AND NOT is_deleted AND id <> ?2 LIMIT 1";
    let found = tx.one(sql, [email, but.as_str()], |_| Ok(()))?;
    Ok(found.is_some())
}

/// Whether anybody has a mail address, case-insensitive, deactivated and external people included.
pub fn has_address(tx: &ReadTx, email: &str) -> Result<bool> {
    let sql = "SELECT 1 FROM person WHERE email = ?1 COLLATE NOCASE LIMIT 1";
    let found = tx.one(sql, [email], |_| Ok(()))?;
    Ok(found.is_some())
}

/// The names of some active administrators of the workspace.
pub fn list_administrator_names(tx: &ReadTx) -> Result<Vec<String>> {
    let sql = "SELECT coalesce(display_name, real_name, id) FROM person
               WHERE is_admin AND NOT is_deleted AND NOT is_external AND id >= '' ORDER BY id LIMIT 3";
    tx.list(sql, [], |row| Ok(row.get(0)?))
}

/// Whether another user group has a handle, case-insensitive.
pub fn is_group_handle_taken(tx: &ReadTx, handle: &str, but: &GroupId) -> Result<bool> {
    let sql = "SELECT 1 FROM user_group WHERE handle = ?1 COLLATE NOCASE AND id <> ?2 LIMIT 1";
    let found = tx.one(sql, [handle, but.as_str()], |_| Ok(()))?;
    Ok(found.is_some())
}

/// Whether somebody beside this person is an active administrator of the workspace.
pub fn has_other_administrator(tx: &ReadTx, but: &UserId) -> Result<bool> {
    let sql = "SELECT 1 FROM person WHERE is_admin AND NOT is_deleted AND NOT is_external AND id >= '' AND id <> ?1 LIMIT 1";
    let found = tx.one(sql, [but.as_str()], |_| Ok(()))?;
    Ok(found.is_some())
}
