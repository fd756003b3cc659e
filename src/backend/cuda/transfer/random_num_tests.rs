use super::*;

#[test]
fn every_kernel_is_in_the_ptx() {
    for name in names() {
        assert!(PTX.text().contains(&format!(".entry {name}(")), "{name} is not in the PTX");
    }
    let task = format!("_param_0[{}]", size_of::<Task>());
    assert_eq!(PTX.text().matches(&task).count(), names().len(), "a task is as large as the kernels'");
}
