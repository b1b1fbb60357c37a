//! The web pages: the files of `web/`, built into this program, or a replacement.
//!
//! The pages are API clients like any other. The service only delivers their files, and knows their URLs.

use std::borrow::Cow;
use std::collections::HashSet;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;
use std::sync::LazyLock;

use rust_embed::{Embed, EmbeddedFile};
use sha2::{Digest, Sha256};

use crate::web_url::web_url;

#[derive(Embed)]
#[folder = "web"]
struct BuiltIn;

/// The source of the pages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum FrontEnd {
    #[default]
    BuiltIn,
    /// No pages.
    Off,
    /// A folder, read again for each request.
    Folder(PathBuf),
    /// Another server, at this URL without a trailing slash.
    Elsewhere(String),
}

pub struct File {
    pub media_type: String,
    pub bytes: Cow<'static, [u8]>,
}

impl FromStr for FrontEnd {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "built-in" => Ok(Self::BuiltIn),
            "off" => Ok(Self::Off),
            _ if ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme)) => {
                let plain = text.bytes().all(|byte| byte.is_ascii_graphic()) && text.len() <= 500;
                if plain && web_url(text).is_some() {
                    Ok(Self::Elsewhere(text.trim_end_matches('/').to_owned()))
                } else {
                    Err("must be an address with a host, such as https://club.example".to_owned())
                }
            }
            _ if Path::new(text).join("index.html").is_file() => Ok(Self::Folder(PathBuf::from(text))),
            _ => Err("must be built-in, off, a folder with an index.html, or an address that begins with http:// or \
                      https://"
                .to_owned()),
        }
    }
}

impl FrontEnd {
    /// The base URL of the pages, for a service at `public_url`; `None` without pages.
    pub fn base<'a>(&'a self, public_url: &'a str) -> Option<&'a str> {
        match self {
            Self::BuiltIn | Self::Folder(_) => Some(public_url),
            Self::Off => None,
            Self::Elsewhere(url) => Some(url),
        }
    }

    /// The file with this name, such as `app/main.js`, if it exists. Reads from a folder block on the disk.
    pub fn file(&self, name: &str) -> Option<File> {
        let guess = mime_guess::from_path(name).first_or_octet_stream();
        let charset = if guess.type_() == mime_guess::mime::TEXT { "; charset=utf-8" } else { "" };
        let media_type = format!("{guess}{charset}");
        let bytes = match self {
            Self::BuiltIn => BuiltIn::get(name)?.data,
            Self::Folder(folder) => {
                let inside = Path::new(name).components().all(|part| matches!(part, Component::Normal(_)));
                std::fs::read(inside.then(|| folder.join(name))?).ok()?.into()
            }
            Self::Off | Self::Elsewhere(_) => return None,
        };
        Some(File { media_type, bytes })
    }

    /// True if this file is built in; doesn't read it.
    pub fn has_built_in(name: &str) -> bool {
        static NAMES: LazyLock<HashSet<Cow<'static, str>>> = LazyLock::new(|| BuiltIn::iter().collect());
        NAMES.contains(name)
    }

    /// The names of the built-in files, if the pages come from this program.
    pub fn built_in(&self) -> impl Iterator<Item = String> {
        let names = (*self == Self::BuiltIn).then(BuiltIn::iter);
        names.into_iter().flatten().map(Cow::into_owned)
    }

    /// An identifier of the content of all files, if they can't change while the program runs.
    pub fn version(&self) -> Option<&'static str> {
        static VERSION: LazyLock<String> = LazyLock::new(version_of_built_in);
        (*self == Self::BuiltIn).then(|| VERSION.as_str())
    }
}

fn version_of_built_in() -> String {
    let mut hasher = Sha256::new();
    for name in BuiltIn::iter() {
        let hash = BuiltIn::get(&name).map(|EmbeddedFile { metadata, .. }| metadata.sha256_hash());
        hasher.update(name.as_bytes());
        hasher.update(hash.unwrap_or_default());
    }
    hasher.finalize().iter().take(6).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_says_where_the_pages_are() {
        let read = |text: &str| text.parse::<FrontEnd>();
        assert_eq!(read("built-in"), Ok(FrontEnd::BuiltIn));
        assert_eq!(read("off").unwrap().base("http://here"), None);
        assert_eq!(read("web").unwrap().base("http://here"), Some("http://here"));
        assert_eq!(read("https://club.example/").unwrap().base("http://here"), Some("https://club.example"));
        for wrong in
            ["", "on", "src", "no-such-folder", "https://", "https:///x", "https://club.example/\r\nx", "ftp://x"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn nothing_outside_of_the_folder_is_a_file() {
        let folder = FrontEnd::Folder(PathBuf::from("web"));
        for front_end in [FrontEnd::BuiltIn, folder] {
            let shell = front_end.file("index.html").unwrap();
            assert_eq!(shell.media_type, "text/html; charset=utf-8");
            assert!(shell.bytes.starts_with(b"<!doctype html>"));
            assert_eq!(front_end.file("app/main.js").unwrap().media_type, "text/javascript; charset=utf-8");
            for wrong in ["", "app", "../Cargo.toml", "app/../../Cargo.toml", "/etc/passwd", "./index.html/x"] {
                assert!(front_end.file(wrong).is_none(), "{wrong}");
            }
        }
        assert!(FrontEnd::Off.file("index.html").is_none());
    }

    #[test]
    fn only_what_cannot_change_has_a_version() {
        let version = FrontEnd::BuiltIn.version().unwrap();
        assert!(version.len() == 12 && version.bytes().all(|byte| byte.is_ascii_hexdigit()), "{version}");
        assert_eq!(FrontEnd::Folder(PathBuf::from("web")).version(), None);
    }
}
