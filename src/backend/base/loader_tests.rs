use super::*;

#[test]
fn the_loaders_words_are_kept() {
    // SAFETY: there is no such library.
    let error = unsafe { libloading::Library::new("libnowhere.so") }.unwrap_err();
    let reason = reason(&error);
    assert!(reason.starts_with("libnowhere.so: cannot open shared object file"), "{reason}");
    assert!(remedy(&reason).contains("LD_LIBRARY_PATH"));
}

#[test]
fn what_helps_depends_on_the_reason() {
    for (reason, wanted) in [
        ("undefined symbol: launch", "link the library"),
        ("cannot dynamically load position-independent executable", "-shared"),
        ("/lib/libc.so.6: version `GLIBC_2.99' not found (required by x)", "newer version"),
        ("cannot allocate memory in static TLS block", "initial-exec"),
        ("cannot enable executable stack as shared object requires", "noexecstack"),
        ("file too short", "damaged"),
        ("invalid ELF header", "damaged"),
        ("object file has no loadable segments", "damaged"),
        ("something new", "LD_DEBUG"),
    ] {
        assert!(remedy(reason).contains(wanted), "{reason}: {}", remedy(reason));
    }
}
