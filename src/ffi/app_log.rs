//! The log for applications. Its body is in `app_log.c`, because a function in Rust cannot take
//! arguments like `printf`; `tests/headers` declares it for the same reason.

use std::arch::naked_asm;

unsafe extern "C" {
    fn portacl_app_log();
}

/// Goes on in `portacl_app_log` with registers and stack as they are, so that every argument
/// arrives there. Being Rust's, the name is exported from a shared library like all others.
#[unsafe(naked)]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn aclAppLog() {
    #[cfg(target_arch = "x86_64")]
    naked_asm!("jmp {body}", body = sym portacl_app_log);
    #[cfg(target_arch = "aarch64")]
    naked_asm!("b {body}", body = sym portacl_app_log);
}
