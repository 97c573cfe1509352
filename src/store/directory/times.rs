//! When records were made and last changed, and who is listed again for SCIM.

use crate::domain::ids::{GroupId, UserId};
use crate::store::rows::millis;
use crate::store::{ReadTx, Result, WriteTx};
use rusqlite::params;

/// Notes that a user group has changed.
pub(in crate::store) fn touch_group(tx: &mut WriteTx, group: &GroupId) -> Result<()> {
    let sql = "UPDATE user_group SET changed_at = ?2 WHERE id = ?1";
    tx.run(sql, params![group.as_str(), millis(tx.now())])
        .map(drop)
}

/// When a user group was made and last changed, in milliseconds.
pub(super) fn load_group_times(tx: &ReadTx, group: &GroupId) -> Result<Option<(i64, i64)>> {
    let sql = "SELECT created_at, changed_at FROM user_group WHERE id = ?1";
    tx.one(sql, [group.as_str()], |row| Ok((row.get(0)?, row.get(1)?)))
}

/// Gives a user group whose row was replaced its times back: that of its last change only if it is the same.
pub(super) fn keep_group_times(
    tx: &mut WriteTx,
    group: &GroupId,
    (created, changed): (i64, i64),
    is_same: bool,
) -> Result<()> {
    let sql = "UPDATE user_group SET created_at = ?2, changed_at = coalesce(?3, changed_at) WHERE id = ?1";
    let changed = is_same.then_some(changed);
    tx.run(sql, params![group.as_str(), created, changed])
        .map(drop)
}

/// Lists somebody again who is active again.
pub(super) fn list_again(tx: &mut WriteTx, user: &UserId) -> Result<()> {
    let sql =
        "UPDATE provisioned_person SET removal = NULL WHERE user_id = ?1 AND removal IS NOT NULL";
    tx.run(sql, [user.as_str()]).map(drop)
}
