//! The address of a socket.

use super::methods::Answer;
use super::state::Team;
use serde_json::json;

pub(super) fn open(team: &mut Team) -> Answer {
    let url = team.socket_url.clone();
    Ok(json!({ "url": url.ok_or("too_many_websockets")? }))
}
