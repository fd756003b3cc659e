use std::fmt::Display;

use super::*;

#[test]
fn it_is_a_share_among_others() {
    // The alignment is larger than that of the counts.
    #[repr(align(64))]
    struct Far(u8);
    impl Display for Far {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{}", self.0)
        }
    }
    let first: Arc<dyn Display> = Arc::new(Far(7));
    let share = Share::from(Arc::clone(&first));
    assert_eq!((share.to_string(), Arc::strong_count(&first)), ("7".to_owned(), 2));
    let other = share.to_arc();
    assert!(Arc::ptr_eq(&first, &other));
    assert_eq!(Arc::strong_count(&first), 3);
    drop(share);
    assert_eq!((other.to_string(), Arc::strong_count(&first)), ("7".to_owned(), 2));
}
