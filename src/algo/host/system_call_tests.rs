use super::*;

#[test]
fn a_refusal_keeps_its_kind_and_names_the_call() {
    let error = |number| named("mlock", io::Error::from_raw_os_error(number));
    assert_eq!(error(libc::EPERM).to_string(), "mlock: Operation not permitted (os error 1)");
    for number in [libc::EPERM, libc::EACCES, libc::ENOSYS] {
        assert!(is_forbidden(&error(number)), "{number}");
    }
    for number in [libc::ENOMEM, libc::EAGAIN, libc::EMFILE, libc::EINVAL] {
        assert!(!is_forbidden(&error(number)), "{number}");
    }
}
