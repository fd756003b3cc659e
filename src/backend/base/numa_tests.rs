use super::*;

#[test]
fn lists_of_nodes_are_read() {
    assert_eq!(numbers("0"), Some(vec![0]));
    assert_eq!(numbers("0-2,5"), Some(vec![0, 1, 2, 5]));
    assert_eq!(numbers("0-x"), None);
    assert_eq!(numbers(""), None);
}

#[test]
fn there_is_a_node_and_memory_can_be_there() {
    let node = host_nodes()[0];
    assert!(host_nodes().contains(&nearest_host_node()));
    let mut memory = vec![0_u8; 1 << 20];
    let addr = memory.as_mut_ptr().addr().next_multiple_of(4096);
    bind_to_node(Block { addr, len: 64 << 10, token: 0 }, node).unwrap();
}
