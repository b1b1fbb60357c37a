//! Verification of the database's TLS certificate, for each mode of `sslmode`.

use std::path::Path;
use std::sync::Arc;

use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{
    CertificateError, ClientConfig, ConfigBuilder, DigitallySignedStruct, Error, RootCertStore, SignatureScheme,
    WantsVerifier,
};
use rustls_platform_verifier::BuilderVerifierExt;

use super::address::Refusal;

type Made = Result<ClientConfig, Refusal>;

/// Accepts any certificate: protects against eavesdroppers, but not against interception.
pub fn unverified() -> Made {
    let verifier = Arc::new(Unverified(provider()));
    Ok(builder()?.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth())
}

/// Accepts a certificate for any host signed by a root of this file.
pub fn signed_by(file: &Path) -> Made {
    let verifier = WebPkiServerVerifier::builder_with_provider(Arc::new(roots(file)?), provider());
    let verifier = verifier.build().map_err(|error| format!("sslrootcert={}: {error}", file.display()))?;
    Ok(builder()?.dangerous().with_custom_certificate_verifier(Arc::new(AnyHost(verifier))).with_no_client_auth())
}

/// Accepts a certificate for the host signed by a root of this file.
pub fn of_the_host_signed_by(file: &Path) -> Made {
    Ok(builder()?.with_root_certificates(roots(file)?).with_no_client_auth())
}

/// Accepts a certificate for the host signed by a system root.
pub fn of_the_host() -> Made {
    let verified = builder()?.with_platform_verifier();
    Ok(verified.map_err(|error| format!("the system's root certificates: {error}"))?.with_no_client_auth())
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

fn builder() -> Result<ConfigBuilder<ClientConfig, WantsVerifier>, Refusal> {
    let builder = ClientConfig::builder_with_provider(provider());
    builder.with_safe_default_protocol_versions().map_err(|error| error.to_string())
}

fn roots(file: &Path) -> Result<RootCertStore, Refusal> {
    let refused = |error: &dyn std::fmt::Display| format!("sslrootcert={}: {error}", file.display());
    let mut store = RootCertStore::empty();
    for root in CertificateDer::pem_file_iter(file).map_err(|error| refused(&error))? {
        store.add(root.map_err(|error| refused(&error))?).map_err(|error| refused(&error))?;
    }
    if store.is_empty() {
        return Err(refused(&"it has no certificate in PEM form"));
    }
    Ok(store)
}

/// Verifies that the server has the key of its certificate, but not the certificate.
#[derive(Debug)]
struct Unverified(Arc<CryptoProvider>);

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

/// Verifies all but the name.
#[derive(Debug)]
struct AnyHost(Arc<WebPkiServerVerifier>);

impl ServerCertVerifier for AnyHost {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        host: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        // The name is checked last.
        match self.0.verify_server_cert(certificate, between, host, ocsp, now) {
            Err(Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            )) => Ok(ServerCertVerified::assertion()),
            verified => verified,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.0.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.supported_verify_schemes()
    }
}
