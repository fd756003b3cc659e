//! What this machine, and the group of processes that we are in, has to give.

use std::fs;
use std::path::{Path, PathBuf};

/// Processors that this process may use: affinity and the group's quota count.
pub(super) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Bytes of memory: the machine's, the limit of a control group that we are in, or half of the
/// addresses that the process may have, whichever is smallest. The other half is for the program.
pub(super) fn memory() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo")
        .ok()
        .and_then(|text| parse_kibibytes(&text, "MemTotal:"))
        .unwrap_or(1 << 30);
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    limit_files(Path::new("/sys/fs/cgroup"), &groups)
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok())
        .fold(machine, u64::min)
        .min(most_addresses().unwrap_or(u64::MAX) / 2)
}

/// Bytes of address space that this process may have (`ulimit -v`); `None`: as many as it likes.
pub(super) fn most_addresses() -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: room for the answer.
    let known = unsafe { libc::getrlimit(libc::RLIMIT_AS, &raw mut limit) } == 0;
    (known && limit.rlim_cur != libc::RLIM_INFINITY).then_some(limit.rlim_cur)
}

/// Bytes of the level-2 cache of a core; 0 where nobody tells.
pub(super) fn l2_cache() -> u64 {
    let from_kernel = l2_cache_in(Path::new("/sys/devices/system/cpu/cpu0/cache"));
    from_kernel.unwrap_or_else(|| {
        // SAFETY: a question with a constant.
        let size = unsafe { libc::sysconf(libc::_SC_LEVEL2_CACHE_SIZE) };
        u64::try_from(size).unwrap_or(0)
    })
}

fn l2_cache_in(folder: &Path) -> Option<u64> {
    // By their numbers: listing the folder panics where it cannot be closed again.
    let caches = (0..16).map(|number| folder.join(format!("index{number}")));
    let word = |cache: &Path, file: &str| fs::read_to_string(cache.join(file)).unwrap_or_default();
    let level_2 = caches
        .filter(|cache| word(cache, "level").trim() == "2")
        .find(|cache| word(cache, "type").trim() != "Instruction")?;
    parse_cache_size(word(&level_2, "size").trim())
}

/// As the kernel writes it: kibibytes with a K.
fn parse_cache_size(text: &str) -> Option<u64> {
    let kib: u64 = text.strip_suffix('K')?.parse().ok()?;
    kib.checked_mul(1024)
}

/// What tells this machine, or container, from others, as far as it has such a name.
pub(super) fn identity() -> String {
    ["/etc/machine-id", "/proc/sys/kernel/hostname"]
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok())
        .map(|text| text.trim().to_owned())
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

/// Whether less than an eighth of the machine's memory could be had by programs now. Unknown counts
/// as enough.
pub(super) fn memory_is_scarce() -> bool {
    fs::read_to_string("/proc/meminfo").is_ok_and(|text| is_scarce(&text))
}

fn is_scarce(text: &str) -> bool {
    match (parse_kibibytes(text, "MemTotal:"), parse_kibibytes(text, "MemAvailable:")) {
        (Some(total), Some(available)) => available < total / 8,
        _ => false,
    }
}

fn parse_kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
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
        let total = |text| parse_kibibytes(text, "MemTotal:");
        assert_eq!(total("MemFree: 1 kB\nMemTotal:  24 kB\n"), Some(24 << 10));
        assert_eq!(total("MemFree: 1 kB\n"), None);
        assert!(is_scarce("MemTotal: 80 kB\nMemAvailable: 9 kB\n"));
        assert!(!is_scarce("MemTotal: 80 kB\nMemAvailable: 10 kB\n"));
        assert!(!is_scarce("MemTotal: 80 kB\n"));
        assert!(memory() > 0 && cores() > 0);
    }

    #[test]
    fn cache_sizes_are_as_the_kernel_writes_them() {
        assert_eq!(parse_cache_size("2048K"), Some(2 << 20));
        for bad in ["", "K", "2048", "2M", "-1K"] {
            assert_eq!(parse_cache_size(bad), None, "{bad:?}");
        }
        assert_eq!(l2_cache_in(Path::new("/nonexistent")), None);
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
