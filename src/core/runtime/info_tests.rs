use super::*;

const BEFORE_A2: Profile = Profile { npu_arch: 0, vector_cores_per_core: 1, bfloat16: false };
const A2_AND_A3: Profile = Profile { npu_arch: 2201, vector_cores_per_core: 2, bfloat16: true };

#[test]
fn a_name_has_the_profile_of_its_row() {
    for name in ["Ascend910A", "Ascend910PremiumA", "Ascend910ProA", "Ascend910ProB", "Ascend910B", "Ascend310P3"] {
        assert_eq!(profile_of(name), BEFORE_A2, "{name}");
    }
    for name in ["Ascend910B1", "Ascend910B2C", "Ascend910B4-1", "Ascend910_9391", "Ascend910_9362"] {
        assert_eq!(profile_of(name), A2_AND_A3, "{name}");
    }
    for name in ["", "*", "Something", "Ascend310B1", "Ascend910", "ascend910b1", "Ascend910AB", "Ascend950PR_9599"] {
        assert_eq!(profile_of(name), OTHER, "{name}");
    }
}

#[test]
fn a_name_without_a_row_is_reported_with_all_others_and_the_nearest() {
    let names: Vec<&str> = PROCESSORS.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
    for name in &names {
        assert_eq!(unknown(name), None, "{name}");
    }
    assert_eq!(unknown("Ascend950DT_9571"), None);
    for (name, nearest) in
        [("Ascend910b3", "Ascend910B3"), ("910B", "Ascend910B"), ("Ascend910_9399", "Ascend910_9391")]
    {
        let line = unknown(name).unwrap();
        assert!(line.starts_with(&format!("PORTACL_SOC_NAME is {name}, ")), "{line}");
        assert!(line.contains(&format!("known: {}; the nearest is {nearest}. ", names.join(", "))), "{line}");
    }
}

#[test]
fn the_document_has_the_rows() {
    let cells = |line: &str| line.split('\t').map(str::to_owned).collect::<Vec<_>>();
    let lines: Vec<Vec<String>> = PROCESSORS.lines().skip(1).map(cells).collect();
    assert_eq!(lines.len(), rows().count(), "a row of processors.tsv cannot be read");
    let line = |cells: &Vec<String>| format!("| `{}` | {} |\n", cells[0], cells[1..].join(" | "));
    let rows = format!("|---|---|---|---|---|\n{}\n", lines.iter().map(line).collect::<String>());
    assert!(
        include_str!("../../../docs/processor_names.md").contains(&rows),
        "expected in docs/processor_names.md:\n{rows}"
    );
}
