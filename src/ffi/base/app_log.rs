//! The log for applications. Its body is in `app_log.c`, because a Rust function cannot take arguments like `printf`;
//! `tests/headers` declares it for the same reason. It needs no guard: a guard would have to pass the arguments on, and
//! the body calls no Rust code that could panic. It works in a forked child and during a snapshot, because it uses
//! neither a device nor the state of the library.

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
