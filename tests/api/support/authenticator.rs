//! A software authenticator (WebAuthn Level 3) with a browser: it makes passkeys, signs with them, and lies where a
//! test wants it to.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use p256::ecdsa::signature::Signer;
use p256::ecdsa::{Signature, SigningKey};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// Flag: the user is present.
const PRESENT: u8 = 0x01;
/// Flag: the user was verified.
const VERIFIED: u8 = 0x04;
/// Flag: data of a new credential follow.
const ATTESTED: u8 = 0x40;

/// A passkey with its client data.
#[derive(Clone)]
pub struct Authenticator {
    key: SigningKey,
    id: Vec<u8>,
    /// The passkey's account, from the options.
    pub user: String,
    /// The browser's origin.
    pub origin: String,
    /// The key's relying party.
    pub rp_id: String,
    /// The signature counter.
    pub counter: u32,
    /// The authenticator has a counter.
    pub counts: bool,
    /// The authenticator verifies its user.
    pub verifies: bool,
    /// The ceremony type in the client data.
    pub kind: Option<&'static str>,
}

impl Authenticator {
    /// An authenticator whose key is derived from this number.
    pub fn new(number: u8) -> Self {
        Self {
            key: SigningKey::from_slice(&[number; 32]).unwrap(),
            id: vec![number; 16],
            user: String::new(),
            origin: "https://broadside.test".to_owned(),
            rp_id: "broadside.test".to_owned(),
            counter: 1,
            counts: true,
            verifies: true,
            kind: None,
        }
    }

    /// The credential's id, as in options.
    pub fn id(&self) -> String {
        URL_SAFE_NO_PAD.encode(&self.id)
    }

    /// The answer to the options for a new passkey: `RegistrationResponseJSON`.
    pub fn makes(&mut self, options: &Value) -> Value {
        assert_eq!(options["authenticatorSelection"]["userVerification"], "required", "{options}");
        assert_eq!(options["authenticatorSelection"]["residentKey"], "required", "{options}");
        self.user = options["user"]["id"].as_str().unwrap().to_owned();
        let client_data = self.client_data("webauthn.create", options);
        let mut data = self.data(ATTESTED);
        data.extend([0; 16]);
        data.extend(u16::try_from(self.id.len()).unwrap().to_be_bytes());
        data.extend(&self.id);
        data.extend(self.public_key());
        // CBOR: {"fmt": "none", "attStmt": {}, "authData": …}
        let mut object = b"\xa3\x63fmt\x64none\x67attStmt\xa0\x68authData\x59".to_vec();
        object.extend(u16::try_from(data.len()).unwrap().to_be_bytes());
        object.extend(&data);
        self.credential(json!({
            "clientDataJSON": URL_SAFE_NO_PAD.encode(&client_data),
            "attestationObject": URL_SAFE_NO_PAD.encode(&object),
            "transports": ["internal", "hybrid"],
        }))
    }

    /// The answer to the options of a sign-in: `AuthenticationResponseJSON`.
    pub fn answers(&mut self, options: &Value) -> Value {
        assert_eq!(options["userVerification"], "required", "{options}");
        self.counter += u32::from(self.counts);
        let client_data = self.client_data("webauthn.get", options);
        let data = self.data(0);
        let signed = [data.as_slice(), &Sha256::digest(&client_data)].concat();
        let signature: Signature = self.key.sign(&signed);
        self.credential(json!({
            "clientDataJSON": URL_SAFE_NO_PAD.encode(&client_data),
            "authenticatorData": URL_SAFE_NO_PAD.encode(&data),
            "signature": URL_SAFE_NO_PAD.encode(signature.to_der().as_bytes()),
            "userHandle": self.user,
        }))
    }

    fn credential(&self, response: Value) -> Value {
        json!({
            "id": self.id(),
            "rawId": self.id(),
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "response": response,
            "clientExtensionResults": {},
        })
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        let kind = self.kind.unwrap_or(kind);
        let data = json!({
            "type": kind, "challenge": options["challenge"], "origin": self.origin, "crossOrigin": false,
        });
        data.to_string().into_bytes()
    }

    fn data(&self, more: u8) -> Vec<u8> {
        let verified = if self.verifies { VERIFIED } else { 0 };
        let mut data = Sha256::digest(&self.rp_id).to_vec();
        data.push(PRESENT | verified | more);
        data.extend(self.counter.to_be_bytes());
        data
    }

    /// The key in COSE form: {1: 2, 3: -7, -1: 1, -2: x, -3: y}.
    fn public_key(&self) -> Vec<u8> {
        let point = self.key.verifying_key().to_sec1_point(false);
        let point = point.as_bytes();
        let mut key = b"\xa5\x01\x02\x03\x26\x20\x01\x21\x58\x20".to_vec();
        key.extend(&point[1..33]);
        key.extend(b"\x22\x58\x20");
        key.extend(&point[33..65]);
        key
    }
}
