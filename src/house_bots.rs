//! The built-in bots, started according to the settings. They are API clients: this program gives them only an address,
//! a folder, and random bytes.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};

use broadside_house_bots::Settings;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::config::{Bots, PlayBots};
use crate::signals::Signals;
use crate::{context, telemetry};

fn settings(bots: &Bots, url: String, folder: PathBuf) -> Settings {
    Settings {
        url,
        folder,
        families: bots.families.clone(),
        levels: bots.levels.iter().copied().map(Into::into).collect(),
        name_prefix: bots.name_prefix.clone(),
        limits: bots.limits(),
        random: context::random,
    }
}

/// Bots that play beside a service in the same process.
pub struct HouseBots {
    stop: watch::Sender<bool>,
    playing: JoinHandle<()>,
}

impl HouseBots {
    /// Starts the bots for the service at this address, with their own folder in the data folder. They play once the
    /// service runs.
    pub fn start(bots: &Bots, address: SocketAddr, data: &Path) -> Self {
        let settings = settings(bots, format!("http://{}", reachable(address)), data.join("bots"));
        let (stop, stopped) = watch::channel(false);
        let playing = tokio::spawn(async move {
            if let Err(reason) = broadside_house_bots::run(settings, stopped).await {
                tracing::error!(reason, "the bots of this server do not play");
            }
        });
        Self { stop, playing }
    }

    /// Stops the bots, before the service.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        let _ = self.playing.await;
    }
}

/// An address at which this machine reaches a listening socket.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
    }
    address
}

/// Runs bots against some service until told to stop.
pub async fn run(command: PlayBots) -> Result<(), String> {
    telemetry::start_log(&command.log, command.log_format)?;
    let mut signals = Signals::install()?;
    let (stop, stopped) = watch::channel(false);
    tokio::spawn(async move {
        signals.received().await;
        stop.send_replace(true);
        // The sender has to live until the receivers have seen the value.
        stop.closed().await;
    });
    broadside_house_bots::run(settings(&command.bots, command.url, command.folder), stopped).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bots_reach_a_service_that_listens_everywhere() {
        for (listen, reach) in
            [("0.0.0.0:80", "127.0.0.1:80"), ("[::]:80", "[::1]:80"), ("192.168.7.9:80", "192.168.7.9:80")]
        {
            assert_eq!(reachable(listen.parse().unwrap()).to_string(), reach);
        }
    }
}
