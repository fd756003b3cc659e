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
