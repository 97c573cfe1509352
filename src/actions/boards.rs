//! Boards: make, list, withdraw, and what one shows (rules.md 12).

use super::keys::hash;
use super::overview::{self, Overview};
use super::{App, Result, audit};
use crate::domain::audit::{AuditedChange, Author, quoted};
use crate::domain::board::{Board, MOST_BOARDS, NewBoard};
use crate::domain::ids::BoardId;
use crate::domain::refusal::{Refusal, invalid};
use crate::store;
use jiff::SignedDuration;

/// How far ahead it is looked until when somebody is on call, and who follows.
const AHEAD: SignedDuration = SignedDuration::from_hours(8 * 24);

/// Every board, the oldest first.
///
/// # Errors
/// [`Refusal::ResourceDenied`] for those who do not administer the workspace.
pub fn list(app: &App, author: &Author) -> Result<Vec<Board>> {
    author.principal.check_administer()?;
    Ok(app.store().read(store::list_boards)?)
}

/// Makes a board. Also returns the secret of its address, which is not stored.
///
/// # Errors
/// Those of [`NewBoard::check`]; [`Refusal::Invalid`] for rotations that do not exist and where there are too many boards;
/// [`Refusal::ResourceDenied`] for those who do not administer the workspace.
pub fn create(app: &App, author: &Author, new: NewBoard) -> Result<(Board, String)> {
    author.principal.check_administer()?;
    new.check()?;
    audit::write(app.store(), author, move |tx, _| {
        for (index, id) in new.rotations.iter().enumerate() {
            if store::load_stamps(&tx.as_read(), id)?.is_none() {
                return Ok(invalid(
                    format!("rotationIds[{index}]"),
                    format!("there is no rotation {id}"),
                )?);
            }
        }
        if store::list_boards(&tx.as_read())?.len() >= MOST_BOARDS {
            return Ok(invalid(
                "",
                format!("a workspace has at most {MOST_BOARDS} boards; withdraw one first"),
            )?);
        }
        let secret = tx.mint_secret();
        let board = Board {
            id: BoardId::from(tx.mint("brd_")),
            title: new.title,
            rotations: new.rotations,
            zone: new.zone,
            created_at: tx.now(),
        };
        store::insert_board(tx, &board, &hash(&secret))?;
        let count = board.rotations.len();
        let rotations = if count == 1 { "rotation" } else { "rotations" };
        let summary = format!(
            "board {} created: {count} {rotations}",
            quoted(&board.title)
        );
        let change = AuditedChange::of(board.id.as_str(), summary);
        Ok(((board, secret), Some(change)))
    })
}

/// Withdraws a board: its address leads nowhere from now on.
///
/// # Errors
/// [`Refusal::NotFound`], and [`Refusal::ResourceDenied`] for those who do not administer the workspace.
pub fn withdraw(app: &App, author: &Author, id: &BoardId) -> Result<Board> {
    author.principal.check_administer()?;
    let id = id.clone();
    audit::write(app.store(), author, move |tx, _| {
        let board = store::load_board(&tx.as_read(), &id)?.ok_or(Refusal::NotFound("board"))?;
        store::remove_board(tx, &id)?;
        let withdrawn = format!("board {} withdrawn", quoted(&board.title));
        Ok((board, Some(AuditedChange::of(id.as_str(), withdrawn))))
    })
}

/// The board of an address and what it shows; `None` where the secret is unknown or the board was withdrawn.
pub fn show(app: &App, secret: &str) -> Result<Option<(Board, Vec<Overview>)>> {
    let hash = hash(secret);
    app.store().read(|tx| {
        let Some(board) = store::load_board_of(tx, &hash)? else {
            return Ok(None);
        };
        let shown = overview::load(app, tx, &board.rotations, AHEAD)?;
        Ok(Some((board, shown)))
    })
}
