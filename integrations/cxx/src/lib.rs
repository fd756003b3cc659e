//! The Rust side of the component `portacl::cxx`: calls the C API, which the program provides, and
//! returns the results as vectors and strings. `include/portacl/cxx.hpp` is the interface for
//! programs; `tests/generated.rs` writes the C++ between both.
//!
//! The archive has undefined references to the C API and no copy of the core. `cmake/make_cxx.sh` makes all symbols
//! local but the functions between the two languages, which become weak.

#![allow(unreachable_pub, reason = "the bridge's macro declares what C++ calls")]

mod c_api;
mod report;

use std::fmt;

/// A failed call of the C API. An exception of cxx contains only a text: it begins with the code,
/// which cxx.hpp reads.
#[derive(Debug)]
struct Failure {
    code: i32,
    text: String,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.code, self.text)
    }
}

type Result<T> = std::result::Result<T, Failure>;

use report::{leaks, page_sizes, pools, profile, snapshot, stats};

#[cxx::bridge(namespace = "portacl::bridge")]
mod bridge {
    /// A live allocation: portaclMemoryAllocation.
    struct Allocation {
        address: usize,
        size: usize,
        rounded_size: usize,
        kind: i32,
        device: i32,
        pool: usize,
        stream: usize,
        thread: u64,
        age: u64,
        call_site: String,
    }

    /// How much memory there is: portaclMemoryStats.
    struct Stats {
        current_bytes: u64,
        current_count: u64,
        peak_bytes: u64,
        peak_count: u64,
        total_bytes: u64,
        total_count: u64,
        failures: u64,
        reserved_bytes: u64,
        peak_reserved_bytes: u64,
        kept_bytes: u64,
        huge_page_fallbacks: u64,
        unlocked_bytes: u64,
    }

    /// A pool: portaclMemoryPoolStats.
    struct PoolStats {
        pool: usize,
        is_destroyed: bool,
        is_imported: bool,
        stats: Stats,
    }

    /// Allocations on pages of one size: portaclMemoryPageStats.
    struct PageStats {
        page_size: u64,
        bytes: u64,
        count: u64,
    }

    /// A function in a profile: portaclMemoryProfileNode.
    struct ProfileNode {
        depth: u32,
        line: u32,
        malloc_bytes: u64,
        malloc_count: u64,
        alloc_bytes: u64,
        alloc_count: u64,
        file: String,
        function: String,
    }

    extern "Rust" {
        fn snapshot() -> Result<Vec<Allocation>>;
        fn stats(device: i32, kind: i32) -> Result<Stats>;
        fn pools(device: i32) -> Result<Vec<PoolStats>>;
        fn page_sizes(device: i32, kind: i32) -> Result<Vec<PageStats>>;
        fn profile(hook: u64) -> Result<Vec<ProfileNode>>;
        fn leaks() -> Result<Vec<String>>;
    }
}
