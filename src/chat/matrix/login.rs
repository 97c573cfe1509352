//! Makes an access token by the password of the account.

use super::error::{SERVER, read};
use super::settings::Homeserver;
use crate::chat::finding::why;
use crate::client::{Client, Request, Secret, Tls};
use serde_json::json;

/// The device of every token. Homeservers know transaction ids by device: a later token of the same one posts nothing twice.
const DEVICE: &str = "ROTA";

/// Signs an account in and returns its token.
///
/// # Errors
/// Why the homeserver gives none.
pub fn login(
    homeserver: &Homeserver,
    tls: &Tls,
    user: &str,
    password: &Secret,
) -> Result<Secret, String> {
    let client = Client::new(tls, homeserver.is_plain(), None);
    let url = format!("{homeserver}/_matrix/client/v3/login");
    let body = json!({
        "type": "m.login.password",
        "identifier": { "type": "m.id.user", "user": user },
        "password": password.reveal(),
        "device_id": DEVICE,
        "initial_device_display_name": "rota",
    });
    let answer = client.send(&Request::post(&url).json(&body));
    let answer = answer.map_err(|error| format!("no answer: {error}"))?;
    let answer = read(&answer).map_err(|class| why(class, SERVER))?;
    let token = answer["access_token"].as_str().map(Secret::new);
    token.ok_or_else(|| format!("{SERVER} gives no token"))
}
