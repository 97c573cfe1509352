//! What people say and click in Matrix.
//!
//! [`listening`] waits for what happens in the rooms of the account, and stores what concerns rota together with where it goes on.
//! [`answering`] takes what is stored, one after the other, and posts the answer. An answer that was posted and not recorded is posted
//! again under the same transaction id, which homeservers take once; its writes are known by their `operationId`.
//!
//! | File | Part |
//! |---|---|
//! | `listening` | the loop that syncs |
//! | `event` | events as values |
//! | `text` | what was written, and to whom it was said |
//! | `line` | commands that take the place of forms |
//! | `answering` | the loop that answers |
//! | `visitor` | who says something where, and what is said back |
//! | `commands` | what a command does |
//! | `choices` | reactions, and the words that stand for them |
//! | `draft` `drafts` | what has to be confirmed before it is sent |
//! | `calling` | calls for whoever is on call |
//! | `html` | how answers are written |

mod answering;
mod calling;
mod choices;
mod commands;
mod draft;
mod drafts;
mod event;
mod html;
mod line;
mod listening;
mod text;
mod visitor;

use crate::actions::App;
use crate::chat::matrix::Matrix;
use crate::runtime::background::LoopThread;
use crate::runtime::wakeup::Wakeup;
use std::io;
use std::sync::Arc;

/// Starts both loops.
///
/// # Errors
/// If no thread can be started.
pub fn start(app: &App, matrix: &Arc<Matrix>) -> io::Result<Vec<LoopThread>> {
    let arrived = Wakeup::default();
    Ok(vec![
        answering::start(app, matrix, arrived.clone())?,
        listening::start(app, matrix, arrived)?,
    ])
}
