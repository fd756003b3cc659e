//! Uses what can collide when two Rust libraries are linked: panics, unwinding, threads, allocation.

/// Adds one, by a panic on another thread that is caught.
#[no_mangle]
pub extern "C" fn neighbour_panics_and_recovers(input: i32) -> i32 {
    std::panic::set_hook(Box::new(|_| {}));
    let panic = std::thread::spawn(move || std::panic::panic_any(input)).join().unwrap_err();
    *panic.downcast::<i32>().unwrap() + 1
}
