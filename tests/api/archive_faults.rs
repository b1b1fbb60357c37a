//! Faults of the archive: a node that dies half-way, damaged objects, an unreachable archive, two nodes at once.

use std::fs;
use std::path::{Path, PathBuf};

use broadside::matches::archive::{check, pack};
use broadside::matches::audit;
use futures_util::future::join;
use serde_json::json;
use tempfile::TempDir;

use crate::archive::{LONG_S, archive_in, counts, id_of, node, packs, with};
use crate::proof::finished;
use crate::support::{Player, Setup, TestApp};

/// The reads that need the log of a match.
const LOGS: [&str; 5] = ["", "/reports", "/record", "/record?format=text", "/board"];

/// Two players and their matches, which ended long ago.
async fn played(archive: &Path, count: usize) -> (TestApp, Player, Player, Vec<String>) {
    let app = with(archive_in(archive)).await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let mut ids = Vec::new();
    for _ in 0..count {
        ids.push(finished(&anna, &ben, json!({})).await);
    }
    app.passes_unseen_s(LONG_S);
    (app, anna, ben, ids)
}

fn files(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect()
}

/// Reads everything of a match from a node with an empty cache.
async fn reads_all(app: &TestApp, folder: &Path, id: &str) {
    let fresh = node(app, archive_in(folder)).await;
    for page in LOGS {
        assert_eq!(fresh.get(&format!("/v1/matches/{id}{page}")).await.status, 200, "{page}");
    }
}

#[actix_web::test]
async fn a_node_that_dies_between_object_and_transaction_leaves_an_orphan() {
    let folder = TempDir::new().unwrap();
    let (app, _, _, ids) = played(folder.path(), 2).await;
    let due: Vec<_> = ids.iter().map(|id| id_of(id)).collect();
    let (written, _) = pack::write(&app.app.matches, &due).await.unwrap().unwrap();
    // The node dies here. All logs are still in the tables.
    assert_eq!(files(folder.path()).len(), 1);
    counts(&app, "archived_matches", 0).await;
    reads_all(&app, folder.path(), &ids[0]).await;
    let other = node(&app, archive_in(folder.path())).await;
    pack::round(&other.app.matches).await.unwrap();
    assert_eq!(files(folder.path()).len(), 2, "another node packs them into an object of its own");
    counts(&app, "match_log", 0).await;
    // The orphan is deleted after an hour.
    app.passes_unseen_s(3601);
    assert_eq!(packs(&other).await, 0);
    let left = files(folder.path());
    assert_eq!(left.len(), 1);
    assert!(!left[0].to_string_lossy().contains(&written.id().to_string()));
    counts(&app, "archive_objects", 1).await;
    reads_all(&app, folder.path(), &ids[1]).await;
    assert_eq!(check::verify(&other.app.matches).await.unwrap().faults, Vec::<String>::new());
}

#[actix_web::test]
async fn a_node_that_was_only_slow_can_t_use_what_was_given_up() {
    let folder = TempDir::new().unwrap();
    let (app, _, _, ids) = played(folder.path(), 1).await;
    let (written, _) = pack::write(&app.app.matches, &[id_of(&ids[0])]).await.unwrap().unwrap();
    app.passes_unseen_s(3601);
    let other = node(&app, archive_in(folder.path())).await;
    assert_eq!(packs(&other).await, 1, "it gives the object up, and packs the match itself");
    assert_eq!(pack::keep(&app.app.matches, written).await.unwrap(), pack::Packed::default());
    counts(&app, "archived_matches", 1).await;
    reads_all(&app, folder.path(), &ids[0]).await;

    // The same while the log is still in the tables: it isn't deleted if its object is gone.
    let late = finished(&app.lasting_player("carl").await, &app.lasting_player("dora").await, json!({})).await;
    app.passes_unseen_s(LONG_S);
    let (written, _) = pack::write(&app.app.matches, &[id_of(&late)]).await.unwrap().unwrap();
    app.passes_unseen_s(3601);
    let archive = broadside::archive::Archive::open(&archive_in(folder.path())).unwrap();
    assert_eq!(pack::remove_orphans(&other.app.matches, &archive).await.unwrap(), 1);
    assert_eq!(pack::keep(&app.app.matches, written).await.unwrap(), pack::Packed::default());
    counts(&app, &format!("match_log WHERE match_id = '{late}'"), 5).await;
    assert_eq!(packs(&other).await, 1);
    reads_all(&app, folder.path(), &late).await;
}

#[actix_web::test]
async fn two_nodes_pack_at_once_and_each_match_has_one_location() {
    let folder = TempDir::new().unwrap();
    let (app, _, _, ids) = played(folder.path(), 3).await;
    let other = node(&app, archive_in(folder.path())).await;
    let due: Vec<_> = ids.iter().map(|id| id_of(id)).collect();
    let (mine, theirs) = join(pack::write(&app.app.matches, &due), pack::write(&other.app.matches, &due[..2])).await;
    let ((mine, _), (theirs, _)) = (mine.unwrap().unwrap(), theirs.unwrap().unwrap());
    let (mine, theirs) = join(pack::keep(&app.app.matches, mine), pack::keep(&other.app.matches, theirs)).await;
    assert_eq!(mine.unwrap().matches + theirs.unwrap().matches, 3);
    counts(&app, "match_log", 0).await;
    counts(&app, "archived_matches", 3).await;
    for id in &ids {
        reads_all(&app, folder.path(), id).await;
    }
    let found = check::verify(&app.app.matches).await.unwrap();
    assert_eq!((found.matches, found.faults), (3, Vec::new()));
}

#[actix_web::test]
async fn a_damaged_object_is_found_and_harms_nothing_else() {
    let folder = TempDir::new().unwrap();
    let (app, anna, ben, ids) = played(folder.path(), 1).await;
    assert_eq!(packs(&app).await, 1);
    let sound = finished(&anna, &ben, json!({})).await;
    app.passes_unseen_s(LONG_S);
    assert_eq!(packs(&app).await, 1);
    let mut objects = files(folder.path());
    objects.sort();
    let whole = fs::read(&objects[0]).unwrap();
    let mut damaged = whole.clone();
    damaged[whole.len() / 3] ^= 1;
    fs::write(&objects[0], &damaged).unwrap();

    let fresh = node(&app, archive_in(folder.path())).await;
    fresh.get(&format!("/v1/matches/{}", ids[0])).await.problem(500, "match-damaged");
    fresh.get(&format!("/v1/matches/{sound}")).await.expect(200);
    assert_eq!(fresh.get("/v1/matches").await.expect(200)["items"].as_array().unwrap().len(), 2);
    let found = check::verify(&fresh.app.matches).await.unwrap();
    assert!(found.faults[0].contains("its bytes are not those that were written"), "{:?}", found.faults);
    assert_eq!((found.objects, found.matches), (1, 1));
    let found = audit::audit(&fresh.app.matches, None).await.unwrap();
    assert!(found.faults.len() == 1 && found.faults[0].contains(&ids[0]), "{:?}", found.faults);
    // An object with a wrong last line, or none, is invalid.
    let parsed = |bytes: &[u8]| broadside::archive::object::check(uuid::Uuid::nil(), bytes);
    assert_eq!(parsed(&whole).unwrap().matches.len(), 1);
    let other = fs::read(&objects[1]).unwrap();
    let parts = |bytes: &[u8]| parsed(bytes).unwrap().matches[0].1.length as usize;
    let mixed = [&whole[..parts(&whole)], &other[parts(&other)..]].concat();
    assert_eq!(parsed(&mixed).err().unwrap(), "its lines are not those that were signed");
    assert!(parsed(&whole[..parts(&whole)]).is_err());

    // A copy repairs it.
    fs::write(&objects[0], &whole).unwrap();
    reads_all(&app, folder.path(), &ids[0]).await;
    assert_eq!(check::verify(&fresh.app.matches).await.unwrap().faults, Vec::<String>::new());
}

/// The answer doesn't ask clients to retry: the object won't come back by itself.
#[actix_web::test]
async fn an_object_that_is_gone_is_a_fault_and_no_outage() {
    let (folder, bucket) = (TempDir::new().unwrap(), bucket::Bucket::open().await);
    for archive in [archive_in(folder.path()), bucket.settings()] {
        bucket.refuses(false);
        let app = with(archive.clone()).await;
        let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
        let id = finished(&anna, &ben, json!({})).await;
        app.passes_unseen_s(LONG_S);
        assert_eq!(packs(&app).await, 1);
        fs::read_dir(folder.path())
            .into_iter()
            .flatten()
            .for_each(|file| fs::remove_file(file.unwrap().path()).unwrap());
        bucket.loses_all();
        let fresh = node(&app, archive.clone()).await;
        for page in LOGS {
            fresh.get(&format!("/v1/matches/{id}{page}")).await.problem(500, "match-damaged");
        }
        let found = check::verify(&fresh.app.matches).await.unwrap();
        assert!(found.faults[0].contains("no longer in the archive"), "{:?}", found.faults);
        // An archive that is unreachable as a whole is an outage.
        fs::remove_dir_all(folder.path()).unwrap_or_default();
        bucket.refuses(true);
        node(&app, archive).await.get(&format!("/v1/matches/{id}")).await.problem(503, "unavailable");
    }
}

#[actix_web::test]
async fn while_the_archive_is_out_of_reach_only_old_matches_are() {
    let home = TempDir::new().unwrap();
    let (folder, away) = (home.path().join("archive"), home.path().join("unmounted"));
    fs::create_dir(&folder).unwrap();
    let (app, anna, ben, ids) = played(&folder, 1).await;
    assert_eq!(packs(&app).await, 1);
    fs::rename(&folder, &away).unwrap();

    let fresh = node(&app, archive_in(&folder)).await;
    let (anna, ben) = (anna.at(&fresh), ben.at(&fresh));
    for page in LOGS {
        let answer = anna.get(&format!("/v1/matches/{}{page}", ids[0])).await;
        answer.problem(503, "unavailable");
        assert_eq!(answer.header("retry-after"), Some("10"), "{page}");
    }
    // A node without the setting can't find the archive.
    let answer = app.another_node().await.get(&format!("/v1/matches/{}", ids[0])).await;
    answer.problem(503, "unavailable");
    // Everything else works: lists, statistics, and play to the end.
    for page in ["/v1/matches", "/v1/players/anna", "/v1/players/anna/statistics", "/v1/turns"] {
        anna.get(page).await.expect(200);
    }
    let new = finished(&anna, &ben, json!({})).await;
    anna.get(&format!("/v1/matches/{new}/record")).await.expect(200);
    // Due logs stay in the tables, and nothing is written to the mount point of the missing disk.
    app.passes_unseen_s(LONG_S);
    assert!(pack::run(&fresh.app.matches).await.is_err() && !folder.exists());
    counts(&app, &format!("match_log WHERE match_id = '{new}'"), 5).await;

    fs::rename(&away, &folder).unwrap();
    reads_all(&app, &folder, &ids[0]).await;
    assert_eq!(packs(&fresh).await, 1);
    reads_all(&app, &folder, &new).await;
}

#[actix_web::test]
async fn a_bucket_serves_as_well_as_a_folder() {
    let bucket = bucket::Bucket::open().await;
    let app = Box::pin(TestApp::with(Setup { archive: Some(bucket.settings()), ..Setup::default() })).await;
    let (anna, ben) = (app.lasting_player("anna").await, app.lasting_player("ben").await);
    let id = finished(&anna, &ben, json!({})).await;
    let page = format!("/v1/matches/{id}/record");
    let before = app.get(&page).await.body;
    app.passes_unseen_s(LONG_S);
    assert_eq!(packs(&app).await, 1);
    assert_eq!(bucket.names(), 1);
    let fresh = node(&app, bucket.settings()).await;
    assert_eq!(fresh.get(&page).await.body, before);
    let found = check::verify(&fresh.app.matches).await.unwrap();
    assert_eq!((found.matches, found.faults, found.unknown), (1, Vec::new(), Vec::new()));
    bucket.refuses(true);
    let fresh = node(&app, bucket.settings()).await;
    fresh.get(&page).await.problem(503, "unavailable");
    bucket.refuses(false);
    assert_eq!(fresh.get(&page).await.body, before);
}

/// A server for the part of S3 that the archive needs.
mod bucket {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, Mutex};

    use actix_web::http::header;
    use actix_web::{App, HttpRequest, HttpResponse, HttpServer, web};
    use broadside::archive::ArchiveSettings;

    #[derive(Default)]
    struct Inside {
        objects: Mutex<BTreeMap<String, web::Bytes>>,
        refuses: AtomicBool,
    }

    pub struct Bucket {
        port: u16,
        inside: Arc<Inside>,
    }

    impl Bucket {
        pub async fn open() -> Self {
            let inside = Arc::new(Inside::default());
            let shared = web::Data::from(Arc::clone(&inside));
            let serve = move || App::new().app_data(shared.clone()).default_service(web::to(answer));
            let server = HttpServer::new(serve).workers(1).disable_signals().bind("127.0.0.1:0").unwrap();
            let port = server.addrs()[0].port();
            actix_web::rt::spawn(server.run());
            Self { port, inside }
        }

        pub fn settings(&self) -> ArchiveSettings {
            let endpoint = format!("http://127.0.0.1:{}", self.port);
            let aws = [
                ("aws_endpoint", endpoint.as_str()),
                ("aws_allow_http", "true"),
                ("aws_region", "eu-central-1"),
                ("aws_access_key_id", "anna"),
                ("aws_secret_access_key", "not very secret"),
            ];
            ArchiveSettings {
                url: "s3://club/old/matches".parse().unwrap(),
                aws: aws.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
                after_days: 90,
            }
        }

        pub fn names(&self) -> usize {
            let objects = self.inside.objects.lock().unwrap();
            assert!(objects.keys().all(|name| name.starts_with("/club/old/matches/")), "{:?}", objects.keys());
            objects.len()
        }

        pub fn loses_all(&self) {
            self.inside.objects.lock().unwrap().clear();
        }

        pub fn refuses(&self, refuses: bool) {
            self.inside.refuses.store(refuses, Ordering::SeqCst);
        }
    }

    async fn answer(request: HttpRequest, body: web::Bytes, inside: web::Data<Inside>) -> HttpResponse {
        let signed = request
            .headers()
            .get(header::AUTHORIZATION)
            .is_some_and(|value| value.to_str().unwrap().starts_with("AWS4-HMAC-SHA256 Credential=anna/"));
        if inside.refuses.load(Ordering::SeqCst) || !signed {
            return HttpResponse::Forbidden().finish();
        }
        let mut objects = inside.objects.lock().unwrap();
        let path = request.path().to_owned();
        match request.method().as_str() {
            "PUT" => {
                objects.insert(path, body);
                HttpResponse::Ok().insert_header((header::ETAG, "\"1\"")).finish()
            }
            "DELETE" => {
                objects.remove(&path);
                HttpResponse::NoContent().finish()
            }
            _ if request.query_string().contains("list-type=2") => listed(&objects),
            _ => match objects.get(&path) {
                None => HttpResponse::NotFound().finish(),
                Some(object) => part(object, request.headers().get(header::RANGE).map(|range| range.to_str().unwrap())),
            },
        }
    }

    fn part(object: &web::Bytes, range: Option<&str>) -> HttpResponse {
        let stamps = [(header::ETAG, "\"1\""), (header::LAST_MODIFIED, "Sat, 21 Nov 2026 07:30:00 GMT")];
        let mut reply = if range.is_some() { HttpResponse::PartialContent() } else { HttpResponse::Ok() };
        stamps.into_iter().for_each(|stamp| {
            reply.insert_header(stamp);
        });
        let Some(range) = range else { return reply.body(object.clone()) };
        let (from, to) = range.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
        let (from, to): (usize, usize) = (from.parse().unwrap(), to.parse().unwrap());
        reply.insert_header((header::CONTENT_RANGE, format!("bytes {from}-{to}/{}", object.len())));
        reply.body(object.slice(from..=to))
    }

    fn listed(objects: &BTreeMap<String, web::Bytes>) -> HttpResponse {
        let item = |(name, object): (&String, &web::Bytes)| {
            let (name, size) = (name.trim_start_matches("/club/"), object.len());
            format!(
                "<Contents><Key>{name}</Key><LastModified>2026-11-21T07:30:00.000Z</LastModified><ETag>1</ETag>\
                 <Size>{size}</Size></Contents>"
            )
        };
        let items: String = objects.iter().map(item).collect();
        let text = format!("<ListBucketResult><IsTruncated>false</IsTruncated>{items}</ListBucketResult>");
        HttpResponse::Ok().content_type("application/xml").body(text)
    }
}
