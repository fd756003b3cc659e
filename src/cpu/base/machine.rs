//! The resources of this machine, and of the process's control group.

use std::fs;
use std::path::{Path, PathBuf};

use crate::algo::host::system_call::process_limit;

/// Returns the number of processors that this process may use, by affinity and the group's quota.
pub(crate) fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Returns the number of bytes of memory that this process can have: the machine's without its hugetlb pages, or the
/// limit of a control group if that is smaller.
pub(crate) fn memory() -> u64 {
    let machine = fs::read_to_string("/proc/meminfo").ok().and_then(|text| ordinary_memory(&text));
    let machine = machine.unwrap_or(1 << 30);
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    limited(machine, Path::new("/sys/fs/cgroup"), &groups)
}

/// Returns `machine` bytes, or the limit of the control groups if that is less.
fn limited(machine: u64, root: &Path, groups: &str) -> u64 {
    // A group without a limit has the word "max", or a number greater than all memory.
    limit_files(root, groups)
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok()?.trim().parse::<u64>().ok())
        .fold(machine, u64::min)
}

fn ordinary_memory(text: &str) -> Option<u64> {
    let total = parse_kibibytes(text, "MemTotal:")?;
    Some(total.saturating_sub(parse_kibibytes(text, "Hugetlb:").unwrap_or(0)))
}

/// Returns the number of bytes of address space that this process may have (`ulimit -v`), or `None` without a limit.
pub(crate) fn most_addresses() -> Option<u64> {
    process_limit(libc::RLIMIT_AS).filter(|most| *most != libc::RLIM_INFINITY)
}

/// Returns the number of bytes of a core's level-2 cache, or 0 if unknown.
pub(crate) fn l2_cache() -> u64 {
    let from_kernel = l2_cache_in(Path::new("/sys/devices/system/cpu/cpu0/cache"));
    from_kernel.unwrap_or_else(|| {
        // SAFETY: a question with a constant.
        let size = unsafe { libc::sysconf(libc::_SC_LEVEL2_CACHE_SIZE) };
        u64::try_from(size).unwrap_or(0)
    })
}

fn l2_cache_in(folder: &Path) -> Option<u64> {
    // The folders are tried by their numbers, because listing a folder panics if it cannot be closed again.
    let caches = (0..16).map(|number| folder.join(format!("index{number}")));
    let word = |cache: &Path, file: &str| fs::read_to_string(cache.join(file)).unwrap_or_default();
    let level_2 = caches
        .filter(|cache| word(cache, "level").trim() == "2")
        .find(|cache| word(cache, "type").trim() != "Instruction")?;
    parse_cache_size(word(&level_2, "size").trim())
}

/// Parses a size as the kernel writes it: kibibytes with a K.
fn parse_cache_size(text: &str) -> Option<u64> {
    let kib: u64 = text.strip_suffix('K')?.parse().ok()?;
    kib.checked_mul(1024)
}

/// Returns an identity of this machine or container, as far as it has one.
pub(crate) fn identity() -> String {
    ["/etc/machine-id", "/proc/sys/kernel/hostname"]
        .iter()
        .filter_map(|file| fs::read_to_string(file).ok())
        .map(|text| text.trim().to_owned())
        .find(|text| !text.is_empty())
        .unwrap_or_default()
}

/// Whether less than an eighth of the machine's memory is available. False if that is unknown.
pub(crate) fn memory_is_scarce() -> bool {
    fs::read_to_string("/proc/meminfo").is_ok_and(|text| is_scarce(&text))
}

fn is_scarce(text: &str) -> bool {
    let memory = parse_kibibytes(text, "MemTotal:").zip(parse_kibibytes(text, "MemAvailable:"));
    memory.is_some_and(|(total, available)| available < total / 8)
}

fn parse_kibibytes(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
    kib.checked_mul(1024)
}

/// Returns the files that may limit the memory: of the process's group and of all groups around it, for both versions
/// of control groups. Above `memory.high` a group is throttled until it stops. Inside a container the path that the
/// kernel names is often not visible, but its last parts, or the root, are.
fn limit_files(root: &Path, groups: &str) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else {
            continue;
        };
        let (tops, names): (&[&str], &[&str]) = if controllers.is_empty() {
            (&["", "unified"], &["memory.max", "memory.high"])
        } else if controllers.split(',').any(|c| c == "memory") {
            (&["memory"], &["memory.limit_in_bytes"])
        } else {
            continue;
        };
        for top in tops {
            let path = Path::new(path.trim_start_matches('/'));
            for group in path.ancestors() {
                files.extend(names.iter().map(|name| root.join(top).join(group).join(name)));
            }
        }
    }
    files
}

#[cfg(test)]
#[path = "machine_tests.rs"]
mod tests;
