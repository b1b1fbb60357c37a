//! Runs a cluster until Ctrl-C, and prints how to connect to it:
//!
//! `cargo run -p private-postgres --example serve -- [FOLDER]`
#![allow(clippy::disallowed_methods, reason = "an example measures time and starts programs")]
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use private_postgres::{Cluster, Options, default_folder};
use tokio_postgres::NoTls;

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map_or_else(|| default_folder("private-postgres-example"), Into::into);
    let cluster = Cluster::start(Options { note: "the example".to_owned(), ..Options::new(folder) }).await?;
    let address = cluster.connection_string("app");

    let (client, connection) = tokio_postgres::connect(&address, NoTls).await?;
    tokio::spawn(connection);
    let row = client.query_one("SELECT version()", &[]).await?;
    println!("{}\nprograms: {}\nconnect:  psql \"{address}\"", row.get::<_, &str>(0), cluster.programs().display());

    tokio::signal::ctrl_c().await?;
    cluster.stop().await?;
    println!("stopped");
    Ok(())
}
