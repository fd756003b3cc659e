use super::*;

/// Reads rows of the table.
fn listed(rows: &str) -> BTreeSet<String> {
    exceptions(&format!("| `cpu/other` | no row |\n{TABLE}{rows}\n| `cpu/other` | no row |\n"))
}

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
    let some = listed("| `cpu/stream/queue` | the driver has queues |\n| no | row |\n");
    assert_eq!(violations(&cpu, &cuda, &some).len(), 2);
    let both = listed("| `cpu/stream/queue`, `cpu/transfer/memcpy` | why |\n| `cuda/transfer/copy` | why |\n");
    assert_eq!(violations(&cpu, &cuda, &both), [""; 0]);
    let without_reason = listed("| `cuda/transfer/copy` | |\n");
    assert_eq!(without_reason, BTreeSet::new());
    let stale = listed(
        "| `cpu/stream/queue`, `cpu/transfer/memcpy`, `cpu/gone/file` | why |\n| `cuda/transfer/copy` | why |\n",
    );
    assert_eq!(violations(&cpu, &cuda, &stale).len(), 1);
}
