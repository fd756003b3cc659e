use super::*;

#[test]
fn classes_and_lengths_share_a_word() {
    for class in [Class::NONE, Class::of(PagePolicy::HugeFirst), Class::of(PagePolicy::NormalOnly)] {
        for len in [0, 512, 1 << 43, (1 << 48) - 1] {
            assert_eq!(Class::unpack(class.pack(len)), (class, len));
        }
    }
}
