use super::PciAddress;

#[test]
fn addresses_are_read_as_they_are_written() {
    for (text, written) in [
        ("0000:3b:00.0", "0000:3b:00.0"),
        ("0000:3B:1F.7", "0000:3b:1f.7"),
        ("00000001:02:03.4", "0001:02:03.4"),
        ("10000:e1:00.0", "10000:e1:00.0"),
        ("3b:00", "0000:3b:00.0"),
        ("1:2:3", "0001:02:03.0"),
    ] {
        let address = PciAddress::parse(text).unwrap();
        assert_eq!(address.to_string(), written, "{text}");
        assert_eq!(PciAddress::parse(&address.to_string()), Some(address));
    }
}

#[test]
fn what_is_no_address_is_refused() {
    for text in [
        "",
        ":",
        "0",
        "3b",
        "3b:",
        ":00",
        "0000:3b:00.",
        "0000:3b:00.8",
        "0000:3b:20.0",
        "0000:100:00.0",
        "0000:3b:00.0.0",
        "0:0000:3b:00.0",
        "000000001:3b:00.0",
        "+000:3b:00.0",
        " 000:3b:00.0",
        "0000:3b:00.0 ",
        "g000:3b:00.0",
    ] {
        assert_eq!(PciAddress::parse(text), None, "{text:?}");
    }
}
