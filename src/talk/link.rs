//! A link that signs in to the pages.

use super::visit::Visit;
use crate::actions::Result;
use crate::actions::sessions;
use std::time::Duration;

/// How long a link can be used.
const LIFETIME: Duration = Duration::from_secs(5 * 60);

/// Makes a link that works once. Opening it shows a button; only that uses it up, so that a preview does not.
pub fn make(visit: &Visit) -> Result<String> {
    let (author, me) = (visit.author("login-link"), visit.me().clone());
    let (secret, expires_at) = sessions::create_link(visit.app.store(), &author, me, LIFETIME)?;
    let url = format!("{}/login?link={secret}", visit.app.base_url());
    Ok(format!(
        "{} to the web pages. It works once, until {}, and for you alone: do not pass it on.",
        visit.markup.link(&url, "Sign in"),
        visit.time(expires_at)
    ))
}
