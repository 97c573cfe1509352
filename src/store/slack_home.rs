//! Who has opened the app's home tab in Slack, and what it shows them.

use super::rows::{instant, millis};
use super::{ReadTx, Result, WriteTx};
use crate::domain::ids::UserId;
use jiff::Timestamp;
use rusqlite::params;

/// Somebody who has opened the home tab.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HomeTab {
    pub user: UserId,
    pub opened_at: Timestamp,
    /// SHA-256 of what was last published to them; `None` publishes it whatever it is.
    pub published: Option<[u8; 32]>,
}

/// Records that somebody opened their home tab, which is then published anew.
pub fn save_home_opened(tx: &mut WriteTx, user: &UserId) -> Result<()> {
    let sql = "INSERT INTO slack_home (user_id, opened_at, published) VALUES (?1, ?2, NULL)
               ON CONFLICT (user_id) DO UPDATE SET opened_at = excluded.opened_at, published = NULL";
    let values = params![user.as_str(), millis(tx.now())];
    tx.run(sql, values).map(drop)
}

/// Records what was published to somebody who opened their home tab at that instant. If they opened it again since, it is published
/// once more.
pub fn save_home_published(tx: &mut WriteTx, tab: &HomeTab, published: &[u8; 32]) -> Result<()> {
    let sql = "UPDATE slack_home SET published = ?3 WHERE user_id = ?1 AND opened_at = ?2";
    let values = params![tab.user.as_str(), millis(tab.opened_at), published];
    tx.run(sql, values).map(drop)
}

/// Removes home tabs that were last opened at or before an instant, and that of `gone`.
pub fn clear_homes(tx: &mut WriteTx, until: Timestamp, gone: Option<&UserId>) -> Result<()> {
    let sql = "DELETE FROM slack_home WHERE opened_at <= ?1 OR user_id = ?2";
    let values = params![millis(until), gone.map(UserId::as_str)];
    tx.run(sql, values).map(drop)
}

/// The home tabs that were opened after an instant, those that were never published first.
pub fn list_homes(tx: &ReadTx, after: Timestamp) -> Result<Vec<HomeTab>> {
    let sql = "SELECT user_id, opened_at, published FROM slack_home WHERE opened_at > ?1
               ORDER BY published IS NOT NULL, opened_at DESC, user_id";
    tx.list(sql, [millis(after)], |row| {
        Ok(HomeTab {
            user: row.get::<_, String>(0)?.into(),
            opened_at: instant(row.get(1)?)?,
            published: row.get(2)?,
        })
    })
}
