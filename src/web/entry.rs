//! Who reads a page: whom a trusted proxy names, or whose session the browser has.

use super::{Proxy, ProxyMatch, Web, cookie};
use crate::actions::Error;
use crate::actions::sessions::{self, ProxyName, SignedIn};
use crate::domain::refusal::Refusal;
use crate::server::{Problem, Request};
use subtle::ConstantTimeEq;

/// The reader of a page; `None` where nobody is signed in.
///
/// # Errors
/// 403 where a trusted proxy names somebody whom the workspace does not have, 400 where it names two.
pub fn reader(web: &Web, request: &Request) -> Result<Option<SignedIn>, Problem> {
    if let Some(proxy) = &web.login.proxy
        && let Some(named) = named_by(proxy, request)?
    {
        let reader = sessions::by_proxy(&web.app, &named)?;
        let unknown = "the proxy names somebody whom the workspace does not have; import the directory, or correct \
                       [login.proxy] match";
        return match reader {
            Some(reader) => Ok(Some(reader)),
            None => Err(Problem::new(403, "resource_denied", unknown)),
        };
    }
    Ok(by_cookie(web, request)?)
}

/// Whoever's session the browser has.
pub fn by_cookie(web: &Web, request: &Request) -> Result<Option<SignedIn>, Error> {
    match cookie::secret(&web.site, request) {
        Some(secret) => sessions::find(&web.app, secret, &web.login.rules),
        None => Ok(None),
    }
}

/// Whom the header of a proxy names. It is believed from trusted addresses alone, whatever other headers say.
fn named_by(proxy: &Proxy, request: &Request) -> Result<Option<ProxyName>, Refusal> {
    let peer = request.peer_address().to_canonical();
    if !proxy.trusted.iter().any(|net| net.contains(peer)) {
        return Ok(None);
    }
    if let Some((name, expected)) = &proxy.secret {
        let sent = request.single(name)?.unwrap_or_default();
        if !bool::from(sent.as_bytes().ct_eq(expected.as_bytes())) {
            return Ok(None);
        }
    }
    // A second one may be the client's own, which the proxy has let through.
    let named = request.single(&proxy.header)?.map(str::trim);
    let named = named.filter(|named| !named.is_empty());
    Ok(named.map(|named| match proxy.by {
        ProxyMatch::Email => ProxyName::Email(named.to_owned()),
        ProxyMatch::Id => ProxyName::Id(named.into()),
    }))
}
