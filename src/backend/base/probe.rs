//! Whether this process may read an address. Checked before an access, so that a dangling pointer becomes an error
//! instead of a signal.

use std::ptr;

/// False if nothing is mapped at `addr`, or it is not readable. Costs a system call.
pub(in crate::backend) fn is_readable(addr: usize) -> bool {
    const NO_SUCH_HOW: libc::c_int = -1;
    const SET_LEN: usize = 8;
    // The kernel reads the set before it rejects the operation. The set begins at a multiple of its length: it lies in
    // the page of `addr`, and not at null.
    let set: *const libc::c_void = ptr::with_exposed_provenance((addr & !(SET_LEN - 1)).max(SET_LEN));
    let old: *mut libc::c_void = ptr::null_mut();
    // SAFETY: the kernel checks the address, and changes nothing with this first argument.
    let answer = unsafe { libc::syscall(libc::SYS_rt_sigprocmask, NO_SUCH_HOW, set, old, SET_LEN) };
    answer == 0 || std::io::Error::last_os_error().raw_os_error() != Some(libc::EFAULT)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_be_read_is_readable() {
        let local = [7_u8; 100];
        assert!(local.iter().all(|byte| is_readable(ptr::from_ref(byte).addr())));
        assert!(is_readable(only_what_may_be_read_is_readable as *const () as usize));
        for addr in [0, 1, 4096, usize::MAX, usize::MAX / 2 + 1] {
            assert!(!is_readable(addr), "{addr:#x}");
        }
        let len = 8192;
        // SAFETY: a new mapping that is not shared, changed and unmapped below.
        unsafe {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let page = libc::mmap(ptr::null_mut(), len, libc::PROT_READ, flags, -1, 0);
            assert_ne!(page, libc::MAP_FAILED);
            let last = page.addr() + len - 1;
            assert!(is_readable(page.addr()) && is_readable(last));
            assert_eq!(libc::mprotect(page, len, libc::PROT_NONE), 0);
            assert!(!is_readable(page.addr()) && !is_readable(last));
            libc::munmap(page, len);
        }
    }
}
