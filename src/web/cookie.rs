//! Cookies: that of a session, and the one that binds a sign-in at the identity provider to its browser.

use super::gate::Site;
use crate::domain::refusal::{Refusal, invalid};
use crate::server::{Request, Response};
use jiff::SignedDuration;

/// A cookie, by its two names.
struct Cookie {
    /// The prefix has browsers hold to `Secure`, this host and the path `/`.
    secure: &'static str,
    /// Over plain HTTP on other hosts than this machine, where browsers refuse the prefix.
    plain: &'static str,
}

const SESSION: Cookie = Cookie {
    secure: "__Host-rota",
    plain: "rota",
};

const SIGN_IN: Cookie = Cookie {
    secure: "__Host-rota-oidc",
    plain: "rota-oidc",
};

/// How long a browser keeps the secret of a sign-in.
const SIGN_IN_KEPT: SignedDuration = SignedDuration::from_mins(10);

/// Refuses a request whose cookies could be read as those of two sessions, or of two sign-ins.
///
/// # Errors
/// [`Refusal::Invalid`] for two headers, and for two cookies of one name: over plain HTTP another server of the domain can add one.
pub fn check(site: &Site, request: &Request) -> Result<(), Refusal> {
    request.single("Cookie")?;
    for name in [&SESSION, &SIGN_IN].map(|cookie| cookie.name(site)) {
        let mut named = request.cookies().filter(|(known, _)| *known == name);
        if named.nth(1).is_some() {
            return invalid(
                "Cookie",
                format!(
                    "{name}: sent twice; delete the cookies of this site and of the domain that it is part of"
                ),
            );
        }
    }
    Ok(())
}

/// The secret of the session that the browser has.
pub fn secret<'a>(site: &Site, request: &'a Request) -> Option<&'a str> {
    SESSION.read(site, request)
}

/// Gives the browser the secret of a session, which it keeps for a while.
pub fn give(site: &Site, response: Response, secret: &str, keep: SignedDuration) -> Response {
    SESSION.set(site, response, secret, keep)
}

/// Has the browser forget the session.
pub fn take_back(site: &Site, response: Response) -> Response {
    SESSION.set(site, response, "", SignedDuration::ZERO)
}

/// The secret of the sign-in that the browser has started.
pub fn sign_in_secret<'a>(site: &Site, request: &'a Request) -> Option<&'a str> {
    SIGN_IN.read(site, request)
}

/// Gives the browser the secret of a sign-in that starts.
pub fn give_sign_in(site: &Site, response: Response, secret: &str) -> Response {
    SIGN_IN.set(site, response, secret, SIGN_IN_KEPT)
}

/// Has the browser forget the sign-in.
pub fn take_back_sign_in(site: &Site, response: Response) -> Response {
    SIGN_IN.set(site, response, "", SignedDuration::ZERO)
}

impl Cookie {
    fn name(&self, site: &Site) -> &'static str {
        match site.has_secure_cookies {
            true => self.secure,
            false => self.plain,
        }
    }

    fn read<'a>(&self, site: &Site, request: &'a Request) -> Option<&'a str> {
        let mut cookies = request.cookies();
        let (_, value) = cookies.find(|(known, _)| *known == self.name(site))?;
        Some(value).filter(|value| !value.is_empty() && value.len() <= 100)
    }

    fn set(&self, site: &Site, response: Response, value: &str, kept: SignedDuration) -> Response {
        let (name, seconds) = (self.name(site), kept.as_secs());
        let secure = if site.has_secure_cookies {
            "Secure; "
        } else {
            ""
        };
        let cookie =
            format!("{name}={value}; {secure}HttpOnly; SameSite=Lax; Path=/; Max-Age={seconds}");
        response.with("Set-Cookie", cookie)
    }
}
