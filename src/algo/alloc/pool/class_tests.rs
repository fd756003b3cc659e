use super::*;

#[test]
fn a_class_serves_what_is_rounded_up_to_it() {
    let mut last = 0;
    for len in (1..10_000).chain([1 << 20, (1 << 20) + 1, u32::MAX / 2, u32::MAX]) {
        let (class, rounded) = (class_of(len), round_up(len));
        assert!(class == last || class == last + 1 || len > 10_000, "{len}");
        assert_eq!(class_for(len), class + usize::from(len != rounded));
        if len < u32::MAX {
            assert_eq!((class_for(len), round_up(rounded)), (class_of(rounded), rounded));
            assert!(rounded - len <= len / 4 && class_of(rounded - 1) < class_of(rounded));
        }
        last = class;
    }
}

#[test]
fn what_suits_a_request_is_not_much_longer() {
    for wanted in (1..5000).chain([1 << 17, (1 << 17) + 1, 1 << 25, (1 << 25) + 1]) {
        let longest = (wanted..=2 * wanted).take_while(|&len| suits(len, wanted)).last().unwrap();
        assert!(longest >= round_up(wanted) && longest - wanted <= (wanted / 4 * 3).max(1));
        assert!(wanted < 1 << 10 || longest - wanted <= wanted / 8 * 3);
    }
}
