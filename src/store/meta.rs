//! Single values ("facts") of the workspace.

use super::rows::millis;
use super::{ReadTx, Result, WriteTx};
use crate::domain::directory::Team;
use jiff::Timestamp;
use rusqlite::OptionalExtension;

/// The fact that names the platform that the people come from; absent for the local one.
pub const CHAT_PLATFORM: &str = "chat_platform";

/// The fact with the hash of the secret of the set-up address, and when it expires. It goes with the first admin.
pub const SETUP_LINK: &str = "setup_link";

/// The fact that what a new workspace lacks is shown no more.
pub const GETTING_STARTED: &str = "getting_started";

/// A fact by name; `None` if it was never written.
pub fn load_fact(tx: &ReadTx, name: &str) -> Result<Option<String>> {
    let mut query = tx
        .conn
        .prepare_cached("SELECT value FROM meta WHERE name = ?1")?;
    Ok(query.query_row([name], |row| row.get(0)).optional()?)
}

/// Saves a fact.
pub fn save_fact(tx: &mut WriteTx, name: &str, value: &str) -> Result<()> {
    let sql = "INSERT INTO meta (name, value) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";
    tx.run(sql, [name, value]).map(drop)
}

/// Forgets a fact.
pub(super) fn remove_fact(tx: &mut WriteTx, name: &str) -> Result<()> {
    tx.run("DELETE FROM meta WHERE name = ?1", [name]).map(drop)
}

/// Saves until when the chat platform asked to wait, as the named fact.
pub(super) fn save_hold(tx: &mut WriteTx, fact: &str, until: Timestamp) -> Result<()> {
    save_fact(tx, fact, &millis(until).to_string())
}

/// Now, or the end of such a wait: the earliest instant for the next call.
pub(super) fn first_free(tx: &WriteTx, fact: &str) -> Result<i64> {
    let held = load_fact(&tx.as_read(), fact)?.and_then(|until| until.parse().ok());
    Ok(millis(tx.now()).max(held.unwrap_or(i64::MIN)))
}

/// The fact that counts directory imports.
const IMPORTS: &str = "directory_imports";

/// How often the directory was replaced.
pub fn count_imports(tx: &ReadTx) -> Result<u64> {
    let count = load_fact(tx, IMPORTS)?.and_then(|count| count.parse().ok());
    Ok(count.unwrap_or(0))
}

/// Counts an import.
pub(super) fn note_import(tx: &mut WriteTx) -> Result<()> {
    let count = count_imports(&tx.as_read())? + 1;
    save_fact(tx, IMPORTS, &count.to_string())
}

/// Writes a fact that nobody reads. The value is always another one: SQLite does not write a page that stays the same.
pub(super) fn save_probe(tx: &mut WriteTx) -> Result<()> {
    let value = tx.mint("");
    save_fact(tx, "write_probe", &value)
}

/// The workspace. Before the first import it is called `local`.
pub fn load_team(tx: &ReadTx) -> Result<Team> {
    Ok(Team {
        id: load_fact(tx, "team_id")?.unwrap_or_else(|| "local".into()),
        name: load_fact(tx, "team_name")?,
        domain: load_fact(tx, "team_domain")?,
    })
}

/// Saves the workspace.
pub fn save_team(tx: &mut WriteTx, team: &Team) -> Result<()> {
    save_fact(tx, "team_id", &team.id)?;
    tx.run(
        "DELETE FROM meta WHERE name IN ('team_name', 'team_domain')",
        [],
    )?;
    for (name, value) in [("team_name", &team.name), ("team_domain", &team.domain)] {
        if let Some(value) = value {
            save_fact(tx, name, value)?;
        }
    }
    Ok(())
}
