//! Passkey options for browsers, as defined by WebAuthn Level 3 (`PublicKeyCredentialCreationOptionsJSON` and
//! `PublicKeyCredentialRequestOptionsJSON`). `PublicKeyCredential.parseCreationOptionsFromJSON` and
//! `parseRequestOptionsFromJSON` accept them unchanged.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Serialize;
use utoipa::ToSchema;

use crate::accounts::passkeys::registration::CreationChallenge;
use crate::accounts::passkeys::sign_in::RequestChallenge;

/// For whom a passkey is made.
#[derive(Serialize, ToSchema)]
#[schema(as = PasskeyRelyingParty)]
pub struct RelyingPartyBody {
    /// The host of this server.
    #[schema(max_length = 255, pattern = "^[\\x21-\\x7e]+$")]
    id: String,
    #[schema(max_length = 60, pattern = "^[\\x20-\\x7e]+$")]
    name: String,
}

/// Whose passkey it will be.
#[derive(Serialize, ToSchema)]
#[schema(as = PasskeyUser)]
#[serde(rename_all = "camelCase")]
pub struct UserBody {
    /// The account, in base64url.
    #[schema(max_length = 100, pattern = "^[A-Za-z0-9_-]+$")]
    id: String,
    #[schema(max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
    name: String,
    #[schema(max_length = 24, pattern = "^[A-Za-z][A-Za-z0-9_-]*$")]
    display_name: String,
}

/// A sort of signature (COSE).
#[derive(Serialize, ToSchema)]
#[schema(as = PasskeyAlgorithm)]
pub struct AlgorithmBody {
    #[schema(max_length = 10, pattern = "^public-key$")]
    r#type: &'static str,
    #[schema(minimum = -65535, maximum = -1, format = Int32)]
    alg: i64,
}

/// A passkey, by what its authenticator calls it.
#[derive(Serialize, ToSchema)]
#[schema(as = PasskeyDescriptor)]
pub struct DescriptorBody {
    #[schema(max_length = 10, pattern = "^public-key$")]
    r#type: &'static str,
    /// In base64url.
    #[schema(max_length = 1400, pattern = "^[A-Za-z0-9_-]+$")]
    id: String,
}

impl DescriptorBody {
    fn of(credential: &[u8]) -> Self {
        Self { r#type: "public-key", id: URL_SAFE_NO_PAD.encode(credential) }
    }
}

/// What is asked of the authenticator.
#[derive(Serialize, ToSchema)]
#[schema(as = PasskeySelection)]
#[serde(rename_all = "camelCase")]
pub struct SelectionBody {
    #[schema(max_length = 8, pattern = "^required$")]
    resident_key: &'static str,
    require_resident_key: bool,
    #[schema(max_length = 8, pattern = "^required$")]
    user_verification: &'static str,
}

/// The options for `navigator.credentials.create`.
#[derive(Serialize, ToSchema)]
#[schema(as = PasskeyCreationOptions)]
#[serde(rename_all = "camelCase")]
pub struct CreationOptionsBody {
    rp: RelyingPartyBody,
    user: UserBody,
    /// What is signed, in base64url.
    #[schema(max_length = 100, pattern = "^[A-Za-z0-9_-]+$")]
    challenge: String,
    #[schema(max_items = 10)]
    pub_key_cred_params: Vec<AlgorithmBody>,
    /// In milliseconds.
    #[schema(minimum = 0, maximum = 300_000, format = Int32)]
    timeout: u32,
    /// The passkeys that the account has.
    #[schema(max_items = 20)]
    exclude_credentials: Vec<DescriptorBody>,
    authenticator_selection: SelectionBody,
    #[schema(max_length = 4, pattern = "^none$")]
    attestation: &'static str,
}

/// The options for `navigator.credentials.get`.
#[derive(Serialize, ToSchema)]
#[schema(as = PasskeyRequestOptions)]
#[serde(rename_all = "camelCase")]
pub struct RequestOptionsBody {
    /// What is signed, in base64url.
    #[schema(max_length = 100, pattern = "^[A-Za-z0-9_-]+$")]
    challenge: String,
    /// In milliseconds.
    #[schema(minimum = 0, maximum = 300_000, format = Int32)]
    timeout: u32,
    /// The host of this server.
    #[schema(max_length = 255, pattern = "^[\\x21-\\x7e]+$")]
    rp_id: String,
    /// The passkeys that may answer; empty: any of this server.
    #[schema(max_items = 20)]
    allow_credentials: Vec<DescriptorBody>,
    #[schema(max_length = 8, pattern = "^required$")]
    user_verification: &'static str,
}

/// What an authenticator is asked for a new passkey.
#[derive(Serialize, ToSchema)]
#[schema(as = PasskeyCreationChallenge)]
pub struct CreationChallengeBody {
    /// Send it with the new passkey, within five minutes. It is good once.
    #[schema(max_length = 47, pattern = "^bwc_[A-Za-z0-9_-]{43}$")]
    challenge: String,
    options: CreationOptionsBody,
}

/// What an authenticator is asked.
#[derive(Serialize, ToSchema)]
#[schema(as = PasskeyRequestChallenge)]
pub struct RequestChallengeBody {
    /// Send it with the answer, within five minutes. It is good once.
    #[schema(max_length = 47, pattern = "^bwc_[A-Za-z0-9_-]{43}$")]
    challenge: String,
    options: RequestOptionsBody,
}

impl From<CreationChallenge> for CreationChallengeBody {
    fn from(asked: CreationChallenge) -> Self {
        let CreationChallenge { secret, options } = asked;
        let key = options.public_key;
        let excluded = key.exclude_credentials.unwrap_or_default();
        let options = CreationOptionsBody {
            rp: RelyingPartyBody { id: key.rp.id, name: key.rp.name },
            user: UserBody {
                id: URL_SAFE_NO_PAD.encode(key.user.id.as_slice()),
                name: key.user.name,
                display_name: key.user.display_name,
            },
            challenge: URL_SAFE_NO_PAD.encode(key.challenge.as_slice()),
            pub_key_cred_params: key
                .pub_key_cred_params
                .iter()
                .map(|sort| AlgorithmBody { r#type: "public-key", alg: sort.alg })
                .collect(),
            timeout: key.timeout.unwrap_or_default(),
            exclude_credentials: excluded.iter().map(|there| DescriptorBody::of(there.id.as_slice())).collect(),
            // A discoverable passkey signs in without a username.
            authenticator_selection: SelectionBody {
                resident_key: "required",
                require_resident_key: true,
                user_verification: "required",
            },
            attestation: "none",
        };
        Self { challenge: secret, options }
    }
}

impl From<RequestChallenge> for RequestChallengeBody {
    fn from(asked: RequestChallenge) -> Self {
        let RequestChallenge { secret, options, allowed } = asked;
        let key = options.public_key;
        let options = RequestOptionsBody {
            challenge: URL_SAFE_NO_PAD.encode(key.challenge.as_slice()),
            timeout: key.timeout.unwrap_or_default(),
            rp_id: key.rp_id,
            allow_credentials: allowed.iter().map(|credential| DescriptorBody::of(credential)).collect(),
            user_verification: "required",
        };
        Self { challenge: secret, options }
    }
}
