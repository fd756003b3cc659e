//! Shows what any Rust library costs in a C++ program: one function that uses a thread, memory and the catching of
//! panics, as portacl's entries do. `./dev bench` compares its size with portacl's.

/// Sums the numbers below `n` on another thread. Returns -1 if that panics.
#[unsafe(no_mangle)]
pub extern "C" fn rust_floor(n: i32) -> i32 {
    let sum = || std::thread::spawn(move || (0..n).collect::<Vec<_>>().iter().sum()).join();
    std::panic::catch_unwind(sum).ok().and_then(Result::ok).unwrap_or(-1)
}
