//! A browser's keys for messages (RFC 8291, section 2): its public key and its authentication secret; and the
//! encryption with them.

use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use web_push_native::Auth;
use web_push_native::p256::PublicKey;

use crate::error::{Error, Result};

/// An uncompressed point of the curve P-256, in base64url without padding: `p256dh`.
#[derive(Clone, PartialEq, Eq)]
pub struct BrowserKey([u8; 65]);

impl FromStr for BrowserKey {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok().and_then(|bytes| <[u8; 65]>::try_from(bytes).ok());
        let is_point = |bytes: &[u8; 65]| PublicKey::from_sec1_bytes(bytes).is_ok();
        bytes.filter(is_point).map(Self).ok_or_else(|| {
            "must be the key that the browser gives as `p256dh`: a point of P-256, 65 bytes in base64url".to_owned()
        })
    }
}

impl BrowserKey {
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// A secret of 16 bytes, in base64url without padding: `auth`. (No `Debug`, so that it can't be printed by accident.)
#[derive(Clone, PartialEq, Eq)]
pub struct BrowserSecret([u8; 16]);

impl FromStr for BrowserSecret {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok().and_then(|bytes| <[u8; 16]>::try_from(bytes).ok());
        bytes
            .map(Self)
            .ok_or_else(|| "must be the secret that the browser gives as `auth`: 16 bytes in base64url".to_owned())
    }
}

impl BrowserSecret {
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Encrypts a message for a browser (`aes128gcm`) with its stored keys.
pub fn encrypt(plain: Vec<u8>, key: &[u8], secret: &[u8]) -> Result<Vec<u8>> {
    let key = PublicKey::from_sec1_bytes(key).map_err(Error::internal)?;
    let secret = <[u8; 16]>::try_from(secret).map_err(Error::internal)?;
    web_push_native::encrypt(plain, &key, &Auth::from(secret)).map_err(Error::internal)
}

#[cfg(test)]
mod tests {
    use super::*;
    use web_push_native::p256::SecretKey;

    /// The browser of RFC 8291, appendix A.
    const KEY: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const SECRET: &str = "BTBZMqHH6r4Tts7J_aSIgg";
    const PRIVATE: &str = "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94";

    #[test]
    fn a_key_is_a_point_of_the_curve() {
        assert_eq!(KEY.parse::<BrowserKey>().unwrap().as_bytes().len(), 65);
        let off = format!("{}A", &KEY[..KEY.len() - 1]);
        let compressed = URL_SAFE_NO_PAD.encode([3; 33]);
        for bad in ["", "x", &KEY[1..], &off, &compressed, &format!("{KEY}="), &"A".repeat(87)] {
            assert!(bad.parse::<BrowserKey>().is_err(), "{bad}");
        }
        assert!(SECRET.parse::<BrowserSecret>().is_ok());
        for bad in ["", "BTBZMqHH6r4Tts7J_aSIg", "BTBZMqHH6r4Tts7J_aSIggAA", "BTBZMqHH6r4Tts7J/aSIgg", "ä"] {
            assert!(bad.parse::<BrowserSecret>().is_err(), "{bad}");
        }
    }

    #[test]
    fn only_the_browser_reads_a_message() {
        let (key, secret): (BrowserKey, BrowserSecret) = (KEY.parse().unwrap(), SECRET.parse().unwrap());
        let sealed = encrypt(b"your turn".to_vec(), key.as_bytes(), secret.as_bytes()).unwrap();
        assert!(!sealed.windows(4).any(|bytes| bytes == b"turn"));
        let private = SecretKey::from_slice(&URL_SAFE_NO_PAD.decode(PRIVATE).unwrap()).unwrap();
        let auth = Auth::from(secret.0);
        assert_eq!(web_push_native::decrypt(sealed.clone(), &private, &auth).unwrap(), b"your turn");
        assert!(web_push_native::decrypt(sealed.clone(), &private, &Auth::from([0; 16])).is_err());
        let mut torn = sealed;
        *torn.last_mut().unwrap() ^= 1;
        assert!(web_push_native::decrypt(torn, &private, &auth).is_err());
    }

    #[test]
    fn the_example_of_the_specification_is_read() {
        // RFC 8291, section 5 and appendix A.
        let sent = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        let private = SecretKey::from_slice(&URL_SAFE_NO_PAD.decode(PRIVATE).unwrap()).unwrap();
        let auth = Auth::from(SECRET.parse::<BrowserSecret>().unwrap().0);
        let read = web_push_native::decrypt(URL_SAFE_NO_PAD.decode(sent).unwrap(), &private, &auth).unwrap();
        assert_eq!(read, b"When I grow up, I want to be a watermelon");
    }
}
