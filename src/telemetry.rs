//! The log and the metrics. Log lines go to standard error, so that standard output has only the command's own output.

use std::io::IsTerminal;

use metrics_exporter_prometheus::{PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::prelude::*;
use tracing_subscriber::{EnvFilter, fmt};

use crate::config::LogFormat;

/// Starts the log. An unreadable filter is refused with its fault.
pub fn start_log(filter: &str, format: LogFormat) -> Result<(), String> {
    let filter = &with_clients_faults_left_out(filter);
    let filter =
        EnvFilter::try_new(filter).map_err(|error| format!("the log filter {filter:?} can't be read: {error}"))?;
    let registry = tracing_subscriber::registry().with(filter);
    let started = match format {
        LogFormat::Text => registry
            .with(fmt::layer().with_ansi(std::io::stderr().is_terminal()).with_writer(std::io::stderr))
            .try_init(),
        LogFormat::Json => {
            registry.with(fmt::layer().json().flatten_event(true).with_writer(std::io::stderr)).try_init()
        }
    };
    started.map_err(|error| format!("the log can't be started: {error}"))
}

/// The filter without actix-http's errors about malformed HTTP, with which any client could fill the log. A filter that
/// names actix-http is unchanged.
fn with_clients_faults_left_out(filter: &str) -> String {
    if filter.contains("actix_http") { filter.to_owned() } else { format!("{filter},actix_http=off") }
}

/// Starts the metrics, and returns their renderer for Prometheus.
pub fn start_metrics() -> Result<PrometheusHandle, String> {
    PrometheusBuilder::new().install_recorder().map_err(|error| format!("the metrics can't be started: {error}"))
}
