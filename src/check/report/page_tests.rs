use super::*;
use crate::backend::OpKind;
use crate::core::order::accesses::{Access, Mode};
use crate::operation;

fn allocation(what: What, len: usize) -> Operation {
    Operation::new(what, None, None, &[Access { addr: 4096, end: 4096 + len, mode: Mode::Write }])
}

#[test]
fn memory_in_use_includes_operations_that_are_not_shown() {
    operation::record_details(true);
    let (mut timeline, began) = (Timeline::default(), Instant::now());
    timeline.add(&allocation(What::Allocates, 100), None, began);
    timeline.add(&allocation(What::Frees, 30), None, began);
    assert_eq!((timeline.forgotten, timeline.memory_before), (0, 0));
    (0..MOST).for_each(|_| timeline.add(&allocation(What::Allocates, 1), None, began));
    assert_eq!((timeline.forgotten, timeline.memory_before), (2, 70));
    assert_eq!(timeline.operations.len(), MOST);
    // All are in the lane of the host.
    assert_eq!(timeline.streams.len(), 1);
}

#[test]
fn an_operation_has_the_name_of_its_task() {
    let (mut timeline, began) = (Timeline::default(), Instant::now());
    timeline.add(&allocation(What::Accesses(OpKind::HostTask), 1), Some("sums"), began);
    timeline.add(&allocation(What::Accesses(OpKind::HostTask), 1), None, began);
    assert_eq!(timeline.operations.iter().map(|row| &*row.3).collect::<Vec<_>>(), ["sums", "a task"]);
}

#[test]
fn the_page_has_one_place_for_its_data() {
    assert_eq!(TEMPLATE.matches(DATA).count(), 1);
}
