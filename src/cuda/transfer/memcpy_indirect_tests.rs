use super::*;

#[test]
fn the_kernel_is_in_the_ptx() {
    for name in names() {
        assert!(KERNELS.text().contains(&format!(".entry {name}(")), "{name} is not in the PTX");
    }
}
