use super::*;

#[test]
fn files_without_a_namesake() {
    let sources = Sources::of(&[
        ("b/cpu/mod.rs", ""),
        ("b/cpu/transfer/mod.rs", ""),
        ("b/cpu/transfer/memcpy.rs", ""),
        ("b/cpu/stream/queue/run.rs", ""),
        ("b/cpu/tests/memory.rs", ""),
        ("b/cuda/transfer/mod.rs", ""),
        ("b/cuda/transfer/copy.rs", ""),
    ]);
    let (cpu, cuda) = (nouns(&sources, "b/cpu"), nouns(&sources, "b/cuda"));
    let some = exceptions("# cpu/transfer/memcpy\tno row\ncpu/stream/queue\tthe driver has queues\n");
    assert_eq!(violations(&cpu, &cuda, &some).len(), 2);
    let both = exceptions("cpu/stream/queue, cpu/transfer/memcpy\twhy\ncuda/transfer/copy\twhy\n");
    assert_eq!(violations(&cpu, &cuda, &both), [""; 0]);
    let without_reason = exceptions("cuda/transfer/copy\t \n");
    assert_eq!(without_reason, BTreeSet::new());
    let stale = exceptions("cpu/stream/queue, cpu/transfer/memcpy, cpu/gone/file\twhy\ncuda/transfer/copy\twhy\n");
    assert_eq!(violations(&cpu, &cuda, &stale).len(), 1);
}
