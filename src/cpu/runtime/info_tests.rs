use std::collections::HashSet;

use super::uuid;

#[test]
fn uuids_stay_the_same_and_differ_between_devices_and_machines() {
    let all: HashSet<_> =
        ["", "a", "b"].iter().flat_map(|machine| (0..64).map(move |number| uuid(machine, number))).collect();
    assert_eq!(all.len(), 3 * 64);
    assert_eq!(uuid("a", 1), uuid("a", 1));
    assert!(all.iter().all(|uuid| uuid[6] >> 4 == 8 && uuid[8] >> 6 == 2));
}
