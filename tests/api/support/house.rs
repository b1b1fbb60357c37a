//! House bots beside a listening service.

use std::net::{SocketAddr, TcpListener};
use std::path::Path;

use actix_web::dev::ServerHandle;
use broadside::serve::start_server;
use broadside_bots::Level;
use broadside_house_bots::{Limits, Settings};
use serde_json::Value;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use super::{Player, TestApp};

/// A service on a real socket.
pub struct Served {
    pub address: SocketAddr,
    handle: ServerHandle,
}

impl Served {
    /// Port 0 selects a free one.
    pub fn start(app: &TestApp, address: &str) -> Self {
        let listener = TcpListener::bind(address).unwrap();
        let address = listener.local_addr().unwrap();
        let server = start_server(app.app.clone(), listener, Some(1), 1).unwrap();
        let handle = server.handle();
        actix_web::rt::spawn(server);
        Self { address, handle }
    }

    pub async fn stop(self) {
        self.handle.stop(false).await;
    }
}

pub struct House {
    stop: watch::Sender<bool>,
    playing: JoinHandle<Result<(), String>>,
}

/// Default limits for these tests.
pub fn generous() -> Limits {
    Limits { matches: 10, min_move_s: 5, rated: false, custom_rules: true }
}

impl House {
    /// Starts bots of the lowest level.
    pub fn start(address: SocketAddr, folder: &Path, limits: Limits) -> Self {
        let settings = Settings {
            url: format!("http://{address}"),
            folder: folder.to_owned(),
            families: Vec::new(),
            levels: vec![Level::Easy],
            name_prefix: String::new(),
            limits,
            random: rand::random::<[u8; 32]>,
        };
        let (stop, stopped) = watch::channel(false);
        Self { stop, playing: tokio::spawn(broadside_house_bots::run(settings, stopped)) }
    }

    /// Stops them, and waits for their end.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        self.playing.await.unwrap().unwrap();
    }
}

/// The names of the waiting bots, once there are `count` of them.
pub async fn bots(app: &TestApp, query: &str, count: usize) -> Vec<String> {
    loop {
        let page = app.get(&format!("/v1/bots?{query}")).await.expect(200);
        let items = page["items"].as_array().unwrap();
        if items.len() == count {
            return items.iter().map(|bot| bot["player"]["username"].as_str().unwrap().to_owned()).collect();
        }
        tokio::task::yield_now().await;
    }
}

/// Waits for an event of this type, and returns it.
pub async fn hears_of(player: &Player, kind: &str) -> Value {
    let mut after = "0".to_owned();
    loop {
        let page = player.get(&format!("/v1/events?after={after}&wait_s=20")).await.expect(200);
        if let Some(event) = page["items"].as_array().unwrap().iter().rev().find(|event| event["type"] == kind) {
            return event.clone();
        }
        assert!(page["items"].as_array().is_some_and(|items| !items.is_empty()), "no {kind} comes");
        after = page["next_cursor"].as_str().unwrap().to_owned();
    }
}

/// Plays examples against bots for this number of actions, or until the match is over.
pub async fn plays_against_bots(player: &Player, id: &str, actions: usize) -> Value {
    let mut acted = 0;
    loop {
        let view = player.sees(id).await;
        if !view["result"].is_null() || acted == actions {
            return view;
        }
        let decisions = view["decisions"].as_array().unwrap();
        match decisions.iter().find(|decision| decision["required"] == true) {
            Some(decision) => {
                player.acts(id, decision["example"].clone()).await.expect(200);
                acted += 1;
            }
            None => {
                let version = &view["version"];
                let news = player.get(&format!("/v1/matches/{id}?wait_s=20&after_version={version}")).await.expect(200);
                assert_ne!(&news["version"], version, "the bot does not act: {}", news["to_act"]);
            }
        }
    }
}
