//! Boards. Of the secret in an address only the SHA-256 is here.

use super::rows::{column, instant, json, millis, zone};
use super::{ReadTx, Result, WriteTx};
use crate::domain::board::Board;
use crate::domain::ids::BoardId;
use rusqlite::{Row, params};

const COLUMNS: &str = "id, title, rotations, time_zone, created_at";

/// The board of a secret. It is found by the hash, so how long that takes tells nothing about the secret.
pub fn load_board_of(tx: &ReadTx, secret_hash: &[u8; 32]) -> Result<Option<Board>> {
    let sql = format!("SELECT {COLUMNS} FROM board WHERE secret_hash = ?1");
    tx.one(&sql, [secret_hash], board)
}

/// A board by id.
pub fn load_board(tx: &ReadTx, id: &BoardId) -> Result<Option<Board>> {
    let sql = format!("SELECT {COLUMNS} FROM board WHERE id = ?1");
    tx.one(&sql, [id.as_str()], board)
}

/// Every board, the oldest first.
pub fn list_boards(tx: &ReadTx) -> Result<Vec<Board>> {
    let sql = format!(
        "SELECT {COLUMNS} FROM board ORDER BY created_at, id LIMIT {}",
        crate::domain::board::MOST_BOARDS
    );
    tx.list(&sql, [], board)
}

fn board(row: &Row) -> Result<Board> {
    Ok(Board {
        id: row.get::<_, String>(0)?.into(),
        title: row.get(1)?,
        rotations: column(row, 2)?,
        zone: zone(&row.get::<_, String>(3)?)?,
        created_at: instant(row.get(4)?)?,
    })
}

/// Adds a board with the hash of its secret.
pub fn insert_board(tx: &mut WriteTx, board: &Board, secret_hash: &[u8; 32]) -> Result<()> {
    let sql = "INSERT INTO board (id, secret_hash, title, rotations, time_zone, created_at)
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    tx.conn.prepare_cached(sql)?.execute(params![
        board.id.as_str(),
        secret_hash,
        board.title,
        json(&board.rotations)?,
        board.zone.as_str(),
        millis(board.created_at),
    ])?;
    Ok(())
}

/// Removes a board: its address shows nothing any more.
pub fn remove_board(tx: &mut WriteTx, id: &BoardId) -> Result<()> {
    let sql = "DELETE FROM board WHERE id = ?1";
    tx.run(sql, [id.as_str()]).map(drop)
}
