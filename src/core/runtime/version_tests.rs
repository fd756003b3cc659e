use super::*;

#[test]
fn three_short_numbers_make_a_version() {
    let version = Version::parse("8.10.2").unwrap();
    assert_eq!(version.to_string(), "8.10.2");
    assert_eq!(version.number(), 81002);
    assert_eq!(Version::parse(&Version::DEFAULT.to_string()), Some(Version::DEFAULT));
    for bad in ["", "8", "8.3", "8.3.", "8.3.RC1", "8.3.0.1", "8.-3.0", "8.3.100", "8.3.+1", " 8.3.0"] {
        assert_eq!(Version::parse(bad), None, "{bad}");
    }
}
