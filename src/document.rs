//! Bodies built once and sent often: plain and compressed, with an `ETag`.
//!
//! Building one takes processor time: do it in the pool, or when the service starts.

use std::borrow::Cow;
use std::io::Write;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};

/// Shorter bodies, in bytes, are not compressed: they fit into one packet anyway.
pub const COMPRESSED_FROM: usize = 1024;

/// A body that doesn't change.
pub struct Document {
    pub media_type: Cow<'static, str>,
    pub plain: Bytes,
    /// The body in gzip (RFC 1952), if that is shorter.
    pub gzip: Option<Bytes>,
    /// The strong `ETag` (RFC 9110, section 8.8.3) of the plain bytes; it depends on nothing else.
    pub etag: String,
}

impl Document {
    /// Hashes these bytes, and compresses them well.
    pub fn new(media_type: impl Into<Cow<'static, str>>, plain: Vec<u8>) -> Self {
        let gzip = compressed(&plain, Compression::best()).filter(|gzip| gzip.len() < plain.len());
        Self {
            media_type: media_type.into(),
            etag: etag_of(&plain),
            gzip: gzip.map(Bytes::from),
            plain: Bytes::from(plain),
        }
    }

    /// An uncompressed document of these bytes, with hardly any work.
    pub fn plain(media_type: impl Into<Cow<'static, str>>, plain: impl Into<Bytes>) -> Self {
        let plain = plain.into();
        Self { media_type: media_type.into(), etag: etag_of(&plain), gzip: None, plain }
    }

    /// Memory used by its bytes.
    pub fn size(&self) -> usize {
        self.plain.len() + self.gzip.as_ref().map_or(0, Bytes::len)
    }
}

/// The strong `ETag` of these bytes.
pub fn etag_of(bytes: &[u8]) -> String {
    let hash = Sha256::digest(bytes);
    let name: String = hash.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("\"{name}\"")
}

/// The bytes in gzip; `None` if they are too short.
pub fn compressed(bytes: &[u8], level: Compression) -> Option<Vec<u8>> {
    if bytes.len() < COMPRESSED_FROM {
        return None;
    }
    let mut encoder = GzEncoder::new(Vec::with_capacity(bytes.len() / 4), level);
    // Writing to memory doesn't fail; if it did, the plain bytes would be sent.
    encoder.write_all(bytes).ok()?;
    encoder.finish().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::GzDecoder;
    use std::io::Read;

    #[test]
    fn a_document_is_the_same_in_both_forms() {
        let text = "Broadside ".repeat(500);
        let document = Document::new("text/plain", text.clone().into_bytes());
        let mut read = String::new();
        let gzip = document.gzip.as_ref().unwrap();
        GzDecoder::new(&gzip[..]).read_to_string(&mut read).unwrap();
        assert_eq!(read, text);
        assert_eq!(document.size(), text.len() + gzip.len());
        assert_eq!(document.etag, etag_of(text.as_bytes()));
        assert_ne!(document.etag, etag_of(b"other"));
    }

    #[test]
    fn what_is_short_or_does_not_shrink_stays_plain() {
        assert!(Document::new("text/plain", vec![b'a'; COMPRESSED_FROM - 1]).gzip.is_none());
        let mut state = 1_u32;
        let noise = (0..4096).map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state.to_be_bytes()[0]
        });
        assert!(Document::new("image/png", noise.collect()).gzip.is_none());
    }
}
