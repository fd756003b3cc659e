//! What this machine, and the group of processes that we are in, has to give.

use std::fs;
use std::path::{Path, PathBuf};

/// Processors that this process may use: affinity and the group's quota count.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Bytes of memory: the machine's, or the limit of a control group that we are in, whichever is
/// smaller.
pub(super) fn memory() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| parse_mem_total(&text))
        .unwrap_or(1 << 30);
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    limit_files(Path::new("/sys/fs/cgroup"), &groups)
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok())
        .fold(machine, u64::min)
}

fn parse_mem_total(text: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    kib.checked_mul(1024)
}

/// The files that may hold a limit on our memory: those of our group and of all groups around it,
/// for both versions of control groups. Inside a container the path that the kernel names is often
/// not visible, but its last parts, or the root, are.
fn limit_files(root: &Path, groups: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) =
            (fields.next(), fields.next(), fields.next())
        else {
            continue;
        };
        let (tops, name): (&[&str], _) = if controllers.is_empty() {
            (&["", "unified"], "memory.max")
        } else if controllers.split(',').any(|c| c == "memory") {
            (&["memory"], "memory.limit_in_bytes")
        } else {
            continue;
        };
        for top in tops {
            let path = Path::new(path.trim_start_matches('/'));
            files.extend(path.ancestors().map(|group| root.join(top).join(group).join(name)));
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn total_memory_is_read_in_kibibytes() {
        assert_eq!(parse_mem_total("MemFree: 1 kB\nMemTotal:  24 kB\n"), Some(24 << 10));
        assert_eq!(parse_mem_total("MemFree: 1 kB\n"), None);
        assert!(memory() > 0 && cores() > 0);
    }

    #[test]
    fn both_versions_of_control_groups_are_asked_up_to_the_root() {
        let files = limit_files(Path::new("/r"), "4:cpu,memory:/a/b\n3:cpu:/c\n0::/d\n");
        let expected = [
            "/r/memory/a/b/memory.limit_in_bytes",
            "/r/memory/a/memory.limit_in_bytes",
            "/r/memory/memory.limit_in_bytes",
            "/r/d/memory.max",
            "/r/memory.max",
            "/r/unified/d/memory.max",
            "/r/unified/memory.max",
        ];
        assert_eq!(files, expected.map(PathBuf::from));
    }
}
