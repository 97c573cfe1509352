//! Since when calendar feeds have had nothing to show, because their rotation is gone or hidden from them.

use super::rows::millis;
use super::{Result, WriteTx};
use crate::domain::ids::RotationId;
use rusqlite::params;

/// Whether the rotation of a feed is there and visible to whoever the feed speaks for. As
/// [`Principal::check_see`](crate::domain::access::Principal::check_see) has it.
const IS_SEEN: &str = "EXISTS (
    SELECT 1 FROM rotation r LEFT JOIN person p ON p.id = coalesce(calendar_feed.user_id, calendar_feed.created_by)
    WHERE r.id = calendar_feed.rotation_id
      AND (coalesce(calendar_feed.user_id, calendar_feed.created_by) IS NULL OR r.public OR p.is_admin OR r.id IN (
          SELECT rotation_id FROM rotation_owner WHERE user_id = p.id
          UNION ALL SELECT rotation_id FROM rotation_person WHERE user_id = p.id
          UNION ALL SELECT g.rotation_id FROM user_group_person m JOIN rotation_group g ON g.group_id = m.group_id
                    WHERE m.user_id = p.id)))";

/// Records since when feeds have had nothing to show: those limited to a rotation that is hidden from them now. Those that see it
/// again forget it. Of one rotation, or of all.
pub fn note_hidden_feeds(tx: &mut WriteTx, rotation: Option<&RotationId>) -> Result<()> {
    let rotation = rotation.map(RotationId::as_str);
    let sql = format!(
        "UPDATE calendar_feed SET gone_at = ?2, gone_name = (SELECT name FROM rotation WHERE id = rotation_id)
         WHERE rotation_id IS NOT NULL AND (?1 IS NULL OR rotation_id = ?1) AND gone_at IS NULL
           AND EXISTS (SELECT 1 FROM rotation WHERE id = rotation_id) AND NOT {IS_SEEN}"
    );
    tx.run(&sql, params![rotation, millis(tx.now())])?;
    let sql = format!(
        "UPDATE calendar_feed SET gone_at = NULL, gone_name = NULL
         WHERE gone_at IS NOT NULL AND (?1 IS NULL OR rotation_id = ?1) AND {IS_SEEN}"
    );
    tx.run(&sql, [rotation]).map(drop)
}

/// Records that the rotation of feeds is being deleted.
pub fn note_feeds_of_deleted(tx: &mut WriteTx, rotation: &RotationId, name: &str) -> Result<()> {
    let sql = "UPDATE calendar_feed SET gone_at = ?2, gone_name = ?3 WHERE rotation_id = ?1 AND gone_at IS NULL";
    let values = params![rotation.as_str(), millis(tx.now()), name];
    tx.run(sql, values).map(drop)
}
