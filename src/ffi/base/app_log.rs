//! The log for applications. Its body is in `app_log.c`, because a function in Rust cannot take
//! arguments like `printf`; `tests/headers` declares it for the same reason. It has no guard, and needs none: a
//! guard would have to know the arguments to hand them on, and the body calls nothing of Rust's that could panic. It
//! works in a forked child and beside a snapshot, because it asks neither a device nor anything of the library.

use std::arch::naked_asm;

unsafe extern "C" {
    fn portacl_app_log();
}

/// Jumps to `portacl_app_log` with registers and stack unchanged, so that every argument arrives there. Because it is a
/// Rust symbol, a shared library exports the name like all others.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclAppLog() {
    #[cfg(target_arch = "x86_64")]
    naked_asm!("jmp {body}", body = sym portacl_app_log);
    #[cfg(target_arch = "aarch64")]
    naked_asm!("b {body}", body = sym portacl_app_log);
}
