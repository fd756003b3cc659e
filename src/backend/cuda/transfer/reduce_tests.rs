use super::*;

#[test]
fn every_kernel_has_its_place_and_name() {
    let mut seen = [false; KERNELS];
    for (op, op_name) in OPS {
        for (element, element_name) in ELEMENTS {
            let index = index(op, element);
            assert!(!std::mem::replace(&mut seen[index], true));
            let name = &names()[index];
            assert_eq!(*name, format!("portacl_reduce_{op_name}_{element_name}"));
            assert!(PTX.text().contains(&format!(".entry {name}(")), "{name} is not in the PTX");
        }
    }
    assert_eq!(seen, [true; KERNELS]);
}
