//! Ends the credentials, sessions and links of people who are deactivated. They do not come back with them.

use super::{Result, WriteTx};

/// Ends the credentials of everybody who is deactivated. A token stays, disabled, so that it is refused as such. Who a person is at
/// an identity provider also stays: it is no secret, and the provider says who comes.
const UNDONE: [&str; 6] = [
    "DELETE FROM session WHERE user_id",
    "DELETE FROM invitation WHERE user_id",
    "DELETE FROM login_link WHERE user_id",
    "DELETE FROM calendar_feed WHERE user_id",
    "DELETE FROM calendar_feed WHERE created_by",
    "UPDATE member_token SET disabled = 1 WHERE disabled = 0 AND user_id",
];

/// Ends the sessions, links, calendar feeds and member tokens of people who are deactivated.
pub(super) fn end_access_of_deactivated(tx: &mut WriteTx) -> Result<()> {
    tx.note_credentials();
    for undone in UNDONE {
        let sql = format!("{undone} IN (SELECT id FROM person WHERE is_deleted = 1)");
        tx.run(&sql, [])?;
    }
    Ok(())
}
