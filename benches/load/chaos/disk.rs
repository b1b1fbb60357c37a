//! A disk that can be full: a file with its own file system, mounted for one server. Requires root.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use super::processes::run;
use crate::Outcome;

/// Its size. The file is sparse: it takes only the written space.
const BYTES: u64 = 16 << 30;
/// Time limit for making or filling one.
const WITHIN: Duration = Duration::from_secs(60);
const FILLER: &str = "filler";
const FILLER_REST: &str = "filler-rest";

pub struct Disk {
    mount: PathBuf,
}

impl Disk {
    /// Makes a disk beside `mount`, which must not exist, and mounts it there.
    pub fn make(mount: &Path) -> Outcome<Self> {
        let image = mount.with_extension("image");
        let made = File::create(&image).and_then(|file| file.set_len(BYTES)).and_then(|()| fs::create_dir(mount));
        made.map_err(|error| format!("{}: {error}", image.display()))?;
        // No space is reserved for root, so that the disk is full for everybody at once.
        run(Command::new("mkfs.ext4").args(["-q", "-F", "-m", "0", "-O", "^has_journal"]).arg(&image), WITHIN)?;
        run(Command::new("mount").args(["-o", "loop"]).arg(&image).arg(mount), WITHIN)?;
        Ok(Self { mount: mount.to_owned() })
    }

    /// Fills all free space.
    pub fn fill(&self) -> Outcome {
        // Slightly less than free, because the file itself needs some space, and the server takes some meanwhile.
        let spared = [1 << 20, 16 << 20, 128 << 20];
        let taken = spared.into_iter().find(|spare| self.take_all_but(*spare).is_ok());
        let spare = taken.ok_or("no room could be taken")?;
        // The rest by writing, which fails midway. (Unless the server has freed some space.)
        let _ = fs::write(self.mount.join(FILLER_REST), vec![0; spare + (4 << 20)]);
        Ok(())
    }

    fn take_all_but(&self, spare: usize) -> Outcome {
        let free = run(Command::new("df").args(["--output=avail", "-B1"]).arg(&self.mount), WITHIN)?;
        let free =
            free.lines().last().and_then(|bytes| bytes.trim().parse::<usize>().ok()).ok_or("df says no number")?;
        let most = free.saturating_sub(spare).max(1).to_string();
        run(Command::new("fallocate").args(["-l", &most]).arg(self.mount.join(FILLER)), WITHIN).map(|_| ())
    }

    /// Frees the space.
    pub fn empty(&self) {
        for name in [FILLER, FILLER_REST] {
            let _ = fs::remove_file(self.mount.join(name));
        }
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = run(Command::new("umount").arg("-l").arg(&self.mount), WITHIN);
    }
}
