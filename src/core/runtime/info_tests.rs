use super::*;

#[test]
fn the_first_row_that_fits_a_name_is_its_profile() {
    for name in ["Ascend910A", "Ascend910PremiumA", "Ascend910ProA", "Ascend910ProB", "Ascend910B", "Ascend310P3"] {
        assert_eq!(profile_of(name), BEFORE_A2, "{name}");
    }
    for name in ["Ascend910B1", "Ascend910B2C", "Ascend910B4-1", "Ascend910_9391", "Ascend910_9362"] {
        assert_eq!(profile_of(name), A2_AND_A3, "{name}");
    }
    for name in ["", "*", "Something", "Ascend310B1", "Ascend910", "ascend910b1", "Ascend910AB"] {
        assert_eq!(profile_of(name), Profile { npu_arch: 0, ..A2_AND_A3 }, "{name}");
    }
}

#[test]
fn the_document_has_the_rows() {
    let rows = PROFILES.map(|(name, of)| {
        let bfloat16 = if of.bfloat16 { "yes" } else { "no" };
        format!("| `{name}` | {} | {} | {bfloat16} |\n", of.npu_arch, of.vector_cores_per_core)
    });
    let rows = format!("|---|---|---|---|\n{}\n", rows.concat());
    assert!(
        include_str!("../../../docs/processor_names.md").contains(&rows),
        "expected in docs/processor_names.md:\n{rows}"
    );
}
