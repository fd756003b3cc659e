use super::*;

const GIB: u64 = 1 << 30;

fn machine(memory: u64, addresses: Option<u64>) -> Machine {
    Machine { memory, addresses }
}

#[test]
fn each_device_can_have_nearly_all_and_all_together_no_more() {
    let machine = machine(32 * GIB, None);
    let alone = machine.divide(1, 1);
    assert_eq!(alone, Capacity { each: 30 * GIB, all: u64::MAX });
    for devices in [2, 4, 8, 64] {
        for addresses in [1, 4, 8] {
            let capacity = machine.divide(devices, addresses);
            assert_eq!(capacity, Capacity { each: 30 * GIB, all: 30 * GIB });
            assert!(capacity.is_shared());
        }
    }
}

#[test]
fn addresses_are_divided_where_they_are_limited() {
    let limited = machine(32 * GIB, Some(16 * GIB)).divide(4, 1);
    // Eight for the program; the rest is divided among the devices.
    assert_eq!(limited, Capacity { each: 2 * GIB, all: u64::MAX });
    let wide = machine(32 * GIB, Some(160 * GIB)).divide(4, 1);
    assert_eq!(wide, Capacity { each: 20 * GIB, all: 30 * GIB });
    // A machine with more memory than 64 devices have addresses for.
    let huge = machine(2 << 40, None);
    assert_eq!(huge.divide(64, 1).each, 1 << 40);
    assert_eq!(huge.divide(64, 8).each, 1 << 37);
    assert_eq!(machine(1 << 50, None).divide(1, 1).each, MOST);
}

#[test]
fn a_device_has_something_at_least_and_whole_large_pages() {
    assert_eq!(machine(1, Some(1)).divide(8, 1).each, HUGE);
    assert_eq!(machine(0, None).divide(8, 8).each, HUGE);
    for memory in [GIB + 1, 23_456_789_012, 999_999_999_999] {
        for devices in [1, 3, 4, 8] {
            let capacity = machine(memory, None).divide(devices, 1);
            assert_eq!(capacity.each % HUGE, 0);
            assert!(capacity.each <= memory && capacity.each > memory / 10 * 9);
            assert!(devices == 1 || capacity.all == capacity.each);
        }
    }
}

#[test]
fn limits_of_their_own_are_rounded_up() {
    assert_eq!(Capacity::of_limit(1).unwrap(), Capacity { each: HUGE, all: u64::MAX });
    assert_eq!(Capacity::of_limit(MOST).unwrap().each, MOST);
    for bad in [0, MOST + 1, u64::MAX] {
        assert_eq!(Capacity::of_limit(bad), None);
    }
}
