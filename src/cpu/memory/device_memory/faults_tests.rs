use super::*;

#[test]
fn a_limit_is_advised_only_where_addresses_lack() {
    let text = |library_view, error| {
        let error = io::Error::from_raw_os_error(error);
        no_addresses(0, 1 << 20, library_view, 1 << 20, &error).text().to_owned()
    };
    assert!(text(0, libc::ENOMEM).contains("set a smaller PORTACL_CPU_MEMORY"));
    assert!(text(1 << 20, libc::ENOMEM).contains("raise ulimit -v"));
    for library_view in [0, 1 << 20] {
        let forbidden = text(library_view, libc::EPERM);
        assert!(forbidden.contains("let the system allow the mapping"), "{forbidden}");
        assert!(!forbidden.contains("limit of addresses") && !forbidden.contains("smaller"), "{forbidden}");
    }
}
