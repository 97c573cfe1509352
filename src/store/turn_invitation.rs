//! Turns as invitations by mail: who wants them, what each turn is, and what the last letter said of it.

use super::rows::{column, first_instant, instant, instant_or_none, json, millis};
use super::{ReadTx, Result, WriteTx};
use crate::domain::ids::{RotationId, UserId};
use crate::domain::turn_invitation::{Method, Pace, Turn, TurnKey, TurnLetter};
use jiff::Timestamp;
use rusqlite::params;

/// Whether a person wants invitations.
pub fn is_invitee(tx: &ReadTx, user: &UserId) -> Result<bool> {
    let sql = "SELECT 1 FROM invitee WHERE user_id = ?1 AND wanted";
    Ok(tx.one(sql, [user.as_str()], |_| Ok(()))?.is_some())
}

/// Everybody who wants invitations and is active.
pub fn list_invitees(tx: &ReadTx) -> Result<Vec<UserId>> {
    let sql = "SELECT i.user_id FROM invitee i JOIN person p ON p.id = i.user_id
               WHERE i.user_id > '' AND i.wanted AND NOT p.is_deleted";
    tx.list(sql, [], |row| Ok(row.get::<_, String>(0)?.into()))
}

/// Whether anybody wants invitations, or did.
pub fn any_invitees(tx: &ReadTx) -> Result<bool> {
    let first: Option<String> = tx.value("SELECT min(user_id) FROM invitee", [])?;
    Ok(first.is_some())
}

/// Stores whether a person wants invitations. Where they do no longer, all that were sent are called off.
pub fn save_invitee(tx: &mut WriteTx, user: &UserId, wanted: bool) -> Result<()> {
    let sql = "INSERT INTO invitee (user_id, wanted, recent) VALUES (?1, ?2, '[]')
               ON CONFLICT (user_id) DO UPDATE SET wanted = excluded.wanted";
    tx.run(sql, params![user.as_str(), wanted])?;
    match wanted {
        true => Ok(()),
        false => call_off(tx, "user_id = ?2", user.as_str()),
    }
}

/// Calls off all invitations to turns in a rotation.
pub fn call_off_turns_in(tx: &mut WriteTx, rotation: &RotationId) -> Result<()> {
    call_off(tx, "rotation_id = ?2", rotation.as_str())
}

/// Calls off one invitation.
pub fn call_off_turn(tx: &mut WriteTx, key: &TurnKey) -> Result<()> {
    let sql = called_off("user_id = ?2 AND start_at = ?3 AND cell_id = ?4");
    let now = millis(tx.now());
    let values = params![now, key.user.as_str(), millis(key.start), key.cell.as_str()];
    tx.run(&sql, values)?;
    tx.note_relays();
    Ok(())
}

fn call_off(tx: &mut WriteTx, which: &str, id: &str) -> Result<()> {
    let now = millis(tx.now());
    tx.run(&called_off(which), params![now, id])?;
    tx.note_relays();
    Ok(())
}

/// What nobody was told needs no letter, and what has begun gets none.
fn called_off(which: &str) -> String {
    format!(
        "UPDATE turn_invitation SET end_at = NULL, tries = 0, waits_since = ?1,
             due_at = iif(told_end_at IS NULL AND NOT is_unsure, NULL, ?1)
         WHERE {which} AND start_at > ?1 AND end_at IS NOT NULL"
    )
}

/// The invitations to turns in a rotation that begin after an instant and are not called off, each with its end, and whether that was
/// told or is about to be.
pub fn list_invited(
    tx: &ReadTx,
    rotation: &RotationId,
    after: Timestamp,
) -> Result<Vec<(TurnKey, Timestamp, bool)>> {
    let sql = "SELECT user_id, cell_id, start_at, end_at, due_at IS NOT NULL OR (told_end_at IS end_at AND NOT is_unsure)
               FROM turn_invitation
               WHERE rotation_id = ?1 AND start_at > ?2 AND end_at IS NOT NULL";
    tx.list(sql, params![rotation.as_str(), millis(after)], |row| {
        let key = TurnKey {
            user: row.get::<_, String>(0)?.into(),
            cell: row.get::<_, String>(1)?.into(),
            start: instant(row.get(2)?)?,
        };
        Ok((key, instant(row.get(3)?)?, row.get(4)?))
    })
}

/// Stores that a person is to be invited to a turn. There is a letter if its end is not the one that they were told.
pub fn save_turn(tx: &mut WriteTx, turn: &Turn) -> Result<()> {
    let sql = "INSERT INTO turn_invitation
                   (user_id, cell_id, start_at, rotation_id, summary, end_at, is_unsure, letters, waits_since, due_at, tries)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, 0, ?7, ?7, 0)
               ON CONFLICT (user_id, start_at, cell_id) DO UPDATE SET
                   rotation_id = excluded.rotation_id, summary = excluded.summary, end_at = excluded.end_at,
                   tries = iif(end_at IS excluded.end_at, tries, 0),
                   waits_since = iif(end_at IS excluded.end_at, waits_since, ?7),
                   due_at = CASE WHEN told_end_at IS excluded.end_at AND NOT is_unsure THEN NULL
                                 WHEN end_at IS excluded.end_at THEN coalesce(due_at, ?7)
                                 ELSE ?7 END";
    let key = &turn.key;
    let values = params![
        key.user.as_str(),
        key.cell.as_str(),
        millis(key.start),
        turn.rotation.as_str(),
        turn.summary,
        millis(turn.until),
        millis(tx.now()),
    ];
    tx.run(sql, values)?;
    tx.note_relays();
    Ok(())
}

/// Before the mail address of a person is stored: another one gets everything anew, and the old one nothing more.
pub(super) fn address_may_move(tx: &mut WriteTx, user: &str, email: Option<&str>) -> Result<()> {
    let sql =
        "UPDATE turn_invitation SET told_end_at = NULL, is_unsure = 0, tries = 0, waits_since = ?2,
                   due_at = iif(end_at IS NULL, NULL, ?2)
               WHERE user_id = ?1 AND start_at > ?2
                 AND EXISTS (SELECT 1 FROM person p WHERE p.id = ?1 AND p.email IS NOT ?3)";
    let changed = tx.run(sql, params![user, millis(tx.now()), email])?;
    if changed > 0 {
        tx.note_relays();
    }
    Ok(())
}

/// When the next letter is due.
pub fn next_turn_letter(tx: &ReadTx) -> Result<Option<Timestamp>> {
    first_instant(
        tx.conn,
        "SELECT min(due_at) FROM turn_invitation WHERE due_at IS NOT NULL",
    )
}

/// The turns whose letters are due, the soonest turns first.
pub fn list_due_turns(tx: &ReadTx, now: Timestamp, most: usize) -> Result<Vec<TurnKey>> {
    let sql = "SELECT user_id, cell_id, start_at FROM turn_invitation WHERE due_at <= ?1 ORDER BY start_at LIMIT ?2";
    tx.list(sql, params![millis(now), most as i64], |row| {
        Ok(TurnKey {
            user: row.get::<_, String>(0)?.into(),
            cell: row.get::<_, String>(1)?.into(),
            start: instant(row.get(2)?)?,
        })
    })
}

/// A turn as it is stored: its next letter, and what a failure of that letter undoes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WaitingTurn {
    pub letter: TurnLetter,
    pub waits_since: Timestamp,
    /// Failed tries.
    pub tries: u32,
    before: Told,
}

/// What the letters so far have said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Told {
    end: Option<Timestamp>,
    last_end: Option<Timestamp>,
    is_unsure: bool,
}

/// The letter that waits for a turn at an instant; `None` where none does any more.
pub fn load_waiting_turn(
    tx: &ReadTx,
    key: &TurnKey,
    now: Timestamp,
) -> Result<Option<WaitingTurn>> {
    let sql = "SELECT rotation_id, summary, end_at, told_end_at, last_end_at, is_unsure, letters, waits_since, tries
               FROM turn_invitation WHERE user_id = ?1 AND start_at = ?2 AND cell_id = ?3 AND due_at <= ?4";
    let values = params![
        key.user.as_str(),
        millis(key.start),
        key.cell.as_str(),
        millis(now)
    ];
    tx.one(sql, values, |row| {
        let end = instant_or_none(row.get(2)?)?;
        let before = Told {
            end: instant_or_none(row.get(3)?)?,
            last_end: instant_or_none(row.get(4)?)?,
            is_unsure: row.get(5)?,
        };
        let turn = Turn {
            key: key.clone(),
            rotation: row.get::<_, String>(0)?.into(),
            until: end.or(before.last_end).unwrap_or(key.start),
            summary: row.get(1)?,
        };
        Ok(WaitingTurn {
            letter: TurnLetter {
                method: match end {
                    Some(_) => Method::Request,
                    None => Method::Cancel,
                },
                turn,
                sequence: row.get(6)?,
            },
            waits_since: instant_or_none(row.get(7)?)?.unwrap_or(now),
            tries: row.get(8)?,
            before,
        })
    })
}

/// Records that a letter is about to be sent, so that its number is never given to another one. Until the outcome is known it is
/// still waiting.
pub fn begin_turn_letter(tx: &mut WriteTx, letter: &TurnLetter) -> Result<()> {
    let sql = "UPDATE turn_invitation SET letters = ?4, told_end_at = ?5, is_unsure = 1,
                   last_end_at = coalesce(?5, last_end_at)
               WHERE user_id = ?1 AND start_at = ?2 AND cell_id = ?3";
    let key = &letter.turn.key;
    let end = (letter.method == Method::Request).then(|| millis(letter.turn.until));
    let values = params![
        key.user.as_str(),
        millis(key.start),
        key.cell.as_str(),
        letter.sequence + 1,
        end
    ];
    tx.run(sql, values).map(drop)
}

/// Records that a letter was sent, or given up. There is another one if the turn has changed meanwhile.
pub fn end_turn_letter(tx: &mut WriteTx, letter: &TurnLetter) -> Result<()> {
    let sql = "UPDATE turn_invitation SET is_unsure = 0, tries = 0, due_at = iif(end_at IS told_end_at, NULL, ?5)
               WHERE user_id = ?1 AND start_at = ?2 AND cell_id = ?3 AND letters = ?4";
    let key = &letter.turn.key;
    let values = params![
        key.user.as_str(),
        millis(key.start),
        key.cell.as_str(),
        letter.sequence + 1,
        millis(tx.now())
    ];
    tx.run(sql, values).map(drop)
}

/// Schedules the next try. Of a letter that the server has surely not taken everything is as if it had not been sent, its number too.
pub fn retry_turn_letter(
    tx: &mut WriteTx,
    waiting: &WaitingTurn,
    at: Timestamp,
    is_refused: bool,
) -> Result<()> {
    let key = &waiting.letter.turn.key;
    let sequence = waiting.letter.sequence;
    if is_refused {
        let sql = "UPDATE turn_invitation SET letters = ?4, told_end_at = ?5, last_end_at = ?6, is_unsure = ?7
                   WHERE user_id = ?1 AND start_at = ?2 AND cell_id = ?3 AND letters = ?4 + 1 AND is_unsure";
        let Told {
            end,
            last_end,
            is_unsure,
        } = waiting.before;
        let values = params![
            key.user.as_str(),
            millis(key.start),
            key.cell.as_str(),
            sequence,
            end.map(millis),
            last_end.map(millis),
            is_unsure
        ];
        tx.run(sql, values)?;
    }
    let sql = "UPDATE turn_invitation SET tries = tries + 1,
                   due_at = iif(end_at IS told_end_at AND NOT is_unsure, NULL, ?4)
               WHERE user_id = ?1 AND start_at = ?2 AND cell_id = ?3";
    let values = params![
        key.user.as_str(),
        millis(key.start),
        key.cell.as_str(),
        millis(at)
    ];
    tx.run(sql, values)?;
    tx.note_relays();
    Ok(())
}

/// Has the letter of a turn wait until something changes.
pub fn park_turn(tx: &mut WriteTx, key: &TurnKey) -> Result<()> {
    let sql = "UPDATE turn_invitation SET due_at = NULL WHERE user_id = ?1 AND start_at = ?2 AND cell_id = ?3";
    let values = params![key.user.as_str(), millis(key.start), key.cell.as_str()];
    tx.run(sql, values).map(drop)
}

/// How fast a person has been sent letters.
pub fn load_pace(tx: &ReadTx, user: &UserId) -> Result<Pace> {
    let sql = "SELECT recent FROM invitee WHERE user_id = ?1";
    let found = tx.one(sql, [user.as_str()], |row| column(row, 0))?;
    Ok(found.unwrap_or_default())
}

/// Stores how fast a person has been sent letters.
pub fn save_pace(tx: &mut WriteTx, user: &UserId, pace: &Pace) -> Result<()> {
    let sql = "UPDATE invitee SET recent = ?2 WHERE user_id = ?1";
    tx.run(sql, params![user.as_str(), json(pace)?]).map(drop)
}

/// Has the letters of a person that are due wait until an instant.
pub fn postpone_turn_letters(tx: &mut WriteTx, user: &UserId, until: Timestamp) -> Result<()> {
    let sql = "UPDATE turn_invitation SET due_at = ?2 WHERE user_id = ?1 AND due_at < ?2";
    tx.run(sql, params![user.as_str(), millis(until)]).map(drop)
}

/// Whether there are invitations to turns that began before an instant.
pub fn any_old_turn(tx: &ReadTx, before: Timestamp) -> Result<bool> {
    let first = first_instant(tx.conn, "SELECT min(start_at) FROM turn_invitation")?;
    Ok(first.is_some_and(|first| first < before))
}

/// Deletes invitations to turns that began before an instant: nothing more is said of them.
pub fn clear_turns(tx: &mut WriteTx, before: Timestamp) -> Result<()> {
    let sql = "DELETE FROM turn_invitation WHERE start_at < ?1";
    tx.run(sql, [millis(before)]).map(drop)
}
