//! Host memory of a NUMA node.

use crate::{Block, Fault, Result};

/// The file with the kernel's list of nodes that have memory.
const WITH_MEMORY: &str = "/sys/devices/system/node/has_memory";

/// Returns the NUMA nodes of this machine that have memory. A kernel without NUMA support has node 0.
pub fn host_nodes() -> Vec<u32> {
    let nodes = std::fs::read_to_string(WITH_MEMORY).ok().and_then(|list| numbers(list.trim()));
    nodes.filter(|nodes| !nodes.is_empty()).unwrap_or_else(|| vec![0])
}

/// Returns the NUMA node of the processor that the calling thread runs on. If that has no memory, returns another one.
pub fn nearest_host_node() -> u32 {
    let (nodes, mut node) = (host_nodes(), 0_u32);
    let nothing = std::ptr::null_mut::<u32>();
    // SAFETY: the kernel writes a number into `node`; it is not asked for the processor.
    let asked = unsafe { libc::syscall(libc::SYS_getcpu, nothing, &raw mut node, nothing) };
    if asked == 0 && nodes.contains(&node) { node } else { nodes[0] }
}

/// Parses a list of numbers such as "0-2,5".
fn numbers(list: &str) -> Option<Vec<u32>> {
    let mut all = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        all.extend(first.parse().ok()?..=last.parse::<u32>().ok()?);
    }
    Some(all)
}

/// Binds host memory from the library to an existing node.
pub fn bind_to_node(block: Block, node: u32) -> Result<()> {
    const BITS: usize = 64;
    /// The flag MPOL_MF_MOVE: the kernel moves pages that are on other nodes.
    const MOVE: u32 = 1 << 1;
    if host_nodes().len() == 1 {
        return Ok(());
    }
    let Block { addr, len, .. } = block;
    let mut mask = vec![0_u64; node as usize / BITS + 1];
    mask[node as usize / BITS] = 1 << (node as usize % BITS);
    // The kernel ignores the last bit of the number that it gets.
    let bits = mask.len() * BITS + 1;
    // SAFETY: the range belongs to the library, and its users do not depend on its place; the kernel reads this many
    // bits of the mask, less the one.
    let bound = unsafe { libc::syscall(libc::SYS_mbind, addr, len, libc::MPOL_BIND, mask.as_ptr(), bits, MOVE) };
    if bound != 0 {
        let error = std::io::Error::last_os_error();
        let text = format!(
            "{len} bytes of host memory cannot be bound to NUMA node {node}: mbind: {error}; let this process use the \
             node (cpuset) and the system call (seccomp), or pass a memory location that is not a NUMA node of the \
             host"
        );
        return Err(Fault::out_of_host_memory(text));
    }
    Ok(())
}

#[cfg(test)]
#[path = "numa_tests.rs"]
mod tests;
