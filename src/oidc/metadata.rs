//! The discovery document of a provider (OpenID Connect Discovery, 4).

use serde::Deserialize;

/// The members of the document that are used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Metadata {
    pub authorization_endpoint: String,
    pub token_endpoint: String,
    pub userinfo_endpoint: Option<String>,
    pub keys_uri: String,
    pub authentication: Authentication,
    /// Whether it takes a code challenge with SHA-256; `None` where it does not say.
    pub takes_challenge: Option<bool>,
    /// Whether every callback names the issuer (RFC 9207).
    pub names_issuer: bool,
}

/// How the client authenticates at the token endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Authentication {
    /// `client_secret_basic`: in the header `Authorization`.
    Basic,
    /// `client_secret_post`: in the body.
    Post,
}

#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    userinfo_endpoint: Option<String>,
    jwks_uri: String,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    code_challenge_methods_supported: Option<Vec<String>>,
    authorization_response_iss_parameter_supported: Option<bool>,
}

/// The address of the discovery document of an issuer.
pub fn address(issuer: &str) -> String {
    let issuer = issuer.strip_suffix('/').unwrap_or(issuer);
    format!("{issuer}/.well-known/openid-configuration")
}

impl Metadata {
    /// Reads the document of an issuer. `is_address` says whether a URL can be requested.
    pub fn parse(
        document: &[u8],
        issuer: &str,
        is_address: impl Fn(&str) -> bool,
    ) -> Result<Metadata, String> {
        let document: Document = serde_json::from_slice(document)
            .map_err(|error| format!("the discovery document is not usable: {error}"))?;
        if document.issuer != issuer {
            return Err(format!(
                "the discovery document is of the issuer {:?}; write it in login.oidc.issuer exactly like that",
                super::error::printable(&document.issuer)
            ));
        }
        let endpoints = [
            Some(&document.authorization_endpoint),
            Some(&document.token_endpoint),
            Some(&document.jwks_uri),
            document.userinfo_endpoint.as_ref(),
        ];
        for endpoint in endpoints.into_iter().flatten() {
            if !is_address(endpoint) {
                return Err(format!(
                    "the discovery document has an address that cannot be used: {}",
                    super::error::printable(endpoint)
                ));
            }
        }
        let has = |list: &Option<Vec<String>>, name: &str| {
            let list = list.as_deref().unwrap_or_default();
            list.iter().any(|one| one == name)
        };
        let methods = &document.token_endpoint_auth_methods_supported;
        let authentication = match methods {
            None => Authentication::Basic,
            Some(_) if has(methods, "client_secret_basic") => Authentication::Basic,
            Some(_) if has(methods, "client_secret_post") => Authentication::Post,
            Some(_) => {
                return Err(
                    "the provider takes neither client_secret_basic nor client_secret_post".into(),
                );
            }
        };
        Ok(Metadata {
            takes_challenge: (document.code_challenge_methods_supported.as_ref())
                .map(|methods| methods.iter().any(|method| method == "S256")),
            names_issuer: document
                .authorization_response_iss_parameter_supported
                .unwrap_or(false),
            authorization_endpoint: document.authorization_endpoint,
            token_endpoint: document.token_endpoint,
            userinfo_endpoint: document.userinfo_endpoint,
            keys_uri: document.jwks_uri,
            authentication,
        })
    }
}
