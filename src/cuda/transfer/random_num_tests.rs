use super::*;

/// Checks that the kernels number them in the same order.
#[test]
fn distributions_and_elements_have_the_numbers_of_the_kernels() {
    use Distribution::*;
    use RandomElement::*;
    fn check<T: std::fmt::Debug + Copy>(name: &str, each: &[T], number: fn(T) -> u32) {
        let names: Vec<String> = each.iter().map(|one| format!("k{one:?}")).collect();
        let declared = format!("enum {name} : Word {{ {} }};", names.join(", "));
        assert!(include_str!("../kernels/random_num.cu").contains(&declared), "no {declared}");
        assert!(each.iter().zip(0..).all(|(one, index)| number(*one) == index));
    }
    check("Distribution", &[Dropout, Uniform, Normal, TruncatedNormal], |one| one as u32);
    check("Element", &[Int32, UInt32, Int64, UInt64, Float16, BFloat16, Float32], |one| one as u32);
}

#[test]
fn every_kernel_is_in_the_ptx() {
    for name in names() {
        assert!(KERNELS.text().contains(&format!(".entry {name}(")), "{name} is not in the PTX");
    }
    let task = format!("_param_0[{}]", size_of::<Task>());
    assert_eq!(KERNELS.text().matches(&task).count(), names().len(), "a task is as large as the kernels'");
}
