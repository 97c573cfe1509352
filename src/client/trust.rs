//! The certificate authorities that TLS trusts.

use std::sync::Arc;

use rustls::client::Resumption;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::Verifier;

/// The source of the certificate authorities.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Mozilla's, compiled in.
    #[default]
    Bundled,
    /// The system's, read once.
    System,
}

/// The TLS configuration of every client. Loaded once; clones share it.
#[derive(Clone)]
pub struct Tls(Arc<ClientConfig>);

impl Tls {
    /// Loads the certificate authorities of `trust` and those of `extra_ca` in PEM. A server that presents an authority as its
    /// own certificate is refused, trusted or not. A self-signed certificate that is not an authority is trusted if `extra_ca`
    /// contains it.
    ///
    /// # Errors
    /// A sentence for the operator, if the extra authorities cannot be read or used, or if the system has none and there are
    /// no extra ones.
    pub fn load(trust: Trust, extra_ca: Option<&[u8]>) -> Result<Tls, String> {
        Ok(Tls(Arc::new(client_config(trust, extra_ca)?)))
    }

    pub(super) fn config(&self) -> Arc<ClientConfig> {
        Arc::clone(&self.0)
    }
}

/// TLS 1.2 and 1.3 with the authorities of `trust` and those of `extra_ca` in PEM.
fn client_config(trust: Trust, extra_ca: Option<&[u8]>) -> Result<ClientConfig, String> {
    let extra = extra_ca.map(authorities).transpose()?.unwrap_or_default();
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider));
    let builder = builder.with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| format!("TLS cannot be set up: {error}"))?;
    let builder = match trust {
        Trust::Bundled => builder.with_root_certificates(bundled(extra)),
        Trust::System => {
            let verifier = Arc::new(system(provider, extra)?);
            // rustls calls every verifier but its own "dangerous". This one delegates to rustls's own.
            builder
                .dangerous()
                .with_custom_certificate_verifier(verifier)
        }
    };
    let mut config = builder.with_no_client_auth();
    // Each connection verifies the certificate again, so an expired one is noticed.
    config.resumption = Resumption::disabled();
    Ok(config)
}

/// The certificates in a PEM text. Each must be a usable authority, and there must be at least one.
fn authorities(pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, String> {
    let mut found = Vec::new();
    for certificate in CertificateDer::pem_slice_iter(pem) {
        let certificate = certificate.map_err(|error| format!("not PEM: {error}"))?;
        let tried = RootCertStore::empty().add(certificate.clone());
        tried.map_err(|error| {
            let number = found.len() + 1;
            format!("certificate {number} is not a usable certificate authority: {error}")
        })?;
        found.push(certificate);
    }
    if found.is_empty() {
        return Err(
            "contains no certificate: each must be between BEGIN CERTIFICATE and END CERTIFICATE"
                .to_string(),
        );
    }
    Ok(found)
}

fn bundled(extra: Vec<CertificateDer<'static>>) -> RootCertStore {
    let mut roots = RootCertStore {
        roots: webpki_roots::TLS_SERVER_ROOTS.to_vec(),
    };
    // All of them were parsed before.
    roots.add_parsable_certificates(extra);
    roots
}

/// A system without authorities is accepted if there are extra ones.
fn system(
    provider: Arc<CryptoProvider>,
    extra: Vec<CertificateDer<'static>>,
) -> Result<Verifier, String> {
    Verifier::new_with_extra_roots(extra, provider)
        .map_err(|error| format!("the system's certificate authorities cannot be used: {error}"))
}
