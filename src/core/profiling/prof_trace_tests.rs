use super::*;

#[test]
fn data_is_shown_as_what_it_is() {
    assert_eq!(in_words(b"loss 0.5"), "loss 0.5");
    assert_eq!(in_words(b"loss\0"), "loss");
    assert_eq!(in_words(&[1, 0, 255]), "data 01 00 ff");
    assert_eq!(in_words(b"a\nb"), "data 61 0a 62");
}
