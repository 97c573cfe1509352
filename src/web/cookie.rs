//! The cookie of a session.

use super::gate::Site;
use crate::server::{Request, Response};
use jiff::SignedDuration;

/// Its name: the prefix has browsers hold to `Secure`, this host and the path `/`.
const SECURE: &str = "__Host-rota";

/// Its name over plain HTTP on other hosts than this machine, where browsers refuse the prefix.
const PLAIN: &str = "rota";

fn name(site: &Site) -> &'static str {
    match site.has_secure_cookies {
        true => SECURE,
        false => PLAIN,
    }
}

/// The secret of the session that the browser has.
pub fn secret<'a>(site: &Site, request: &'a Request) -> Option<&'a str> {
    let mut cookies = request.cookies();
    let (_, value) = cookies.find(|(known, _)| *known == name(site))?;
    Some(value).filter(|value| !value.is_empty() && value.len() <= 100)
}

/// Gives the browser the secret of a session, which it keeps for a while.
pub fn give(site: &Site, response: Response, secret: &str, keep: SignedDuration) -> Response {
    set(site, response, secret, keep.as_secs())
}

/// Has the browser forget the session.
pub fn take_back(site: &Site, response: Response) -> Response {
    set(site, response, "", 0)
}

fn set(site: &Site, response: Response, value: &str, seconds: i64) -> Response {
    let name = name(site);
    let secure = if site.has_secure_cookies {
        "Secure; "
    } else {
        ""
    };
    let cookie =
        format!("{name}={value}; {secure}HttpOnly; SameSite=Lax; Path=/; Max-Age={seconds}");
    response.with("Set-Cookie", cookie)
}
