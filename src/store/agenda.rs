//! The agenda: what is looked at when its time comes, beside what falls due in rotations.

use super::rows::{self, instant, millis};
use super::{Error, ReadTx, Result, WriteTx};
use crate::domain::words::words;
use jiff::Timestamp;
use rusqlite::{Row, params};

words! {
    /// What an entry of the agenda is about.
    pub enum Errand {
        /// People's own reminders of turns in a rotation.
        Reminders = "reminders",
        /// The summary of a person's next days.
        Summary = "summary",
        /// The summary of a rotation's coming week.
        WeekAhead = "weekAhead",
        /// Invitations to turns in a rotation.
        Invitations = "invitations",
    }
}

/// An entry of the agenda.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgendaEntry {
    pub errand: Errand,
    /// The id of the rotation or the person that it is about.
    pub subject: String,
    /// What fell due up to this instant has been dealt with.
    pub done_until: Timestamp,
    /// Counts changes of what it depends on.
    revision: i64,
}

/// The entries that are due at an instant, the earliest first.
pub fn list_agenda(tx: &ReadTx, now: Timestamp, most: usize) -> Result<Vec<AgendaEntry>> {
    let sql = "SELECT errand, subject_id, done_until, revision FROM agenda WHERE due_at <= ?1
               ORDER BY due_at, errand, subject_id LIMIT ?2";
    tx.list(sql, params![millis(now), most as i64], entry)
}

fn entry(row: &Row) -> Result<AgendaEntry> {
    let name: String = row.get(0)?;
    let errand = Errand::parse(&name);
    Ok(AgendaEntry {
        errand: errand.ok_or_else(|| Error::Corrupt(format!("errand {name}")))?,
        subject: row.get(1)?,
        done_until: instant(row.get(2)?)?,
        revision: row.get(3)?,
    })
}

/// When the first entry is due.
pub fn next_on_agenda(tx: &ReadTx) -> Result<Option<Timestamp>> {
    rows::first_instant(tx.conn, "SELECT min(due_at) FROM agenda")
}

/// Has an entry looked at now, because what it depends on has changed. What was not due yet counts from now on; what is overdue
/// stays so.
pub fn look_again(tx: &mut WriteTx, errand: Errand, subject: &str) -> Result<()> {
    let sql = "INSERT INTO agenda (errand, subject_id, done_until, due_at, revision) VALUES (?1, ?2, ?3, ?3, 0)
               ON CONFLICT (errand, subject_id) DO UPDATE SET revision = revision + 1,
                   done_until = iif(due_at > excluded.due_at, excluded.due_at, done_until),
                   due_at = min(due_at, excluded.due_at)";
    tx.note_due(Some(tx.now()));
    let now = millis(tx.now());
    tx.run(sql, params![errand.name(), subject, now]).map(drop)
}

/// Has a person's summary looked at, if they have one, because their zone may be another.
pub(super) fn summary_may_move(tx: &mut WriteTx, user: &str) -> Result<()> {
    let sql = "SELECT 1 FROM summary_preference WHERE user_id = ?1";
    match tx.conn.prepare_cached(sql)?.exists([user])? {
        true => look_again(tx, Errand::Summary, user),
        false => Ok(()),
    }
}

/// Records that an entry was dealt with up to an instant, and when it is due next; without a next time it goes. Returns whether it
/// was still as it was read: otherwise nothing is recorded, and it is looked at again.
pub fn save_agenda(
    tx: &mut WriteTx,
    entry: &AgendaEntry,
    done_until: Timestamp,
    next: Option<Timestamp>,
) -> Result<bool> {
    let sql = "UPDATE agenda SET done_until = ?4, due_at = ?5 WHERE errand = ?1 AND subject_id = ?2 AND revision = ?3";
    let (errand, subject) = (entry.errand.name(), &entry.subject);
    let changed = match next {
        Some(next) => {
            tx.note_due(Some(next));
            let values = params![
                errand,
                subject,
                entry.revision,
                millis(done_until),
                millis(next)
            ];
            tx.run(sql, values)?
        }
        None => {
            let sql = "DELETE FROM agenda WHERE errand = ?1 AND subject_id = ?2 AND revision = ?3";
            tx.run(sql, params![errand, subject, entry.revision])?
        }
    };
    Ok(changed > 0)
}
