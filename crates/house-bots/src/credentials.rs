//! The name, the password and the token of a bot, in a private file that is written at the first start. A bot whose
//! file is lost takes the next free name.

use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::House;
use crate::api::{Answer, Problem};
use crate::roster::{Post, numbered};

/// The scopes of a bot's token.
const SCOPES: [&str; 4] = ["lobby:read", "lobby:write", "matches:read", "matches:play"];
/// The number of names tried for a bot.
const NAMES: u32 = 20;

#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Credentials {
    pub username: String,
    password: String,
    /// A personal access token, initially empty.
    pub token: String,
    /// The source of the seeds of its decisions: it predicts all of the bot's actions.
    secret: String,
}

impl Credentials {
    fn new(username: String, random: fn() -> [u8; 32]) -> Self {
        Self { username, password: hexadecimal(&random()), token: String::new(), secret: hexadecimal(&random()) }
    }

    /// The seed of its decisions in a match: the same after a restart, and different in every match.
    pub(crate) fn seed(&self, match_id: &str) -> u64 {
        let digest = Sha256::new().chain_update(&self.secret).chain_update(match_id).finalize();
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&digest[..8]);
        u64::from_be_bytes(bytes)
    }
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Creates the folder, accessible to the owner only.
pub(crate) fn prepare(folder: &Path) -> Result<(), String> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .map_err(|error| format!("the folder {} of the bots can't be made: {error}", folder.display()))
}

fn read(file: &Path) -> Option<Credentials> {
    serde_json::from_slice(&std::fs::read(file).ok()?).ok()
}

/// Replaces the file as a whole, so that a crash leaves the old one or the new one.
fn write(file: &Path, credentials: &Credentials) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{} can't be written: {error}", file.display());
    let text = serde_json::to_vec_pretty(credentials).map_err(|error| error.to_string())?;
    let next = file.with_extension("new");
    // A remainder of a crash may have other permissions.
    let _ = std::fs::remove_file(&next);
    let opened = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&next);
    let mut opened = opened.map_err(failed)?;
    opened.write_all(&text).and_then(|()| opened.sync_all()).map_err(failed)?;
    std::fs::rename(&next, file).map_err(failed)
}

/// Signs in, after registering if necessary.
pub(crate) async fn admit(house: &House, post: &Post, token_is_good: bool) -> Result<Credentials, String> {
    let file = house.settings.folder.join(format!("{}.json", post.name));
    let known = read(&file);
    if let Some(known) = known.as_ref().filter(|known| token_is_good && !known.token.is_empty()) {
        return Ok(known.clone());
    }
    let first = known.unwrap_or_else(|| Credentials::new(post.name.clone(), house.settings.random));
    let others = (2..=NAMES).map(|n| Credentials::new(numbered(&post.name, n), house.settings.random));
    for mut credentials in std::iter::once(first).chain(others) {
        // Before the account is created, so that its password is never lost.
        write(&file, &credentials)?;
        match token(house, &credentials).await {
            Ok(token) => {
                credentials.token = token;
                write(&file, &credentials)?;
                return Ok(credentials);
            }
            Err(problem) if problem.code == "username-taken" => {
                tracing::warn!(
                    bot = credentials.username,
                    "the name of a bot belongs to somebody else; trying another"
                );
            }
            Err(problem) => return Err(format!("{} can't sign in: {problem}", credentials.username)),
        }
    }
    Err(format!("every name for {} belongs to somebody else: choose another prefix", post.name))
}

/// A new token of the account, which is created if nobody has the name and the password.
async fn token(house: &House, credentials: &Credentials) -> Answer<String> {
    let Credentials { username, password, .. } = credentials;
    let api = house.api("");
    let key = || hexadecimal(&(house.settings.random)()[..16]);
    let signed_in = api.post("/v1/sessions", &json!({ "username": username, "password": password }), &key()).await;
    let session = match signed_in {
        Err(problem) if problem.is_about_the_token() => {
            let account = json!({ "username": username, "password": password, "bot": true });
            api.post("/v1/accounts", &account, &key()).await?
        }
        answer => answer?,
    };
    let access = session["access_token"].as_str().ok_or_else(|| Problem::unreadable("there is no access token"))?;
    let wanted = json!({ "name": "bot of the house", "scopes": SCOPES });
    let made = house.api(access).post("/v1/account/tokens", &wanted, &key()).await?;
    made["token"].as_str().map(str::to_owned).ok_or_else(|| Problem::unreadable("there is no token"))
}
