use super::*;

#[test]
fn every_kernel_has_its_place_and_name() {
    let ops = [(ReduceOp::Sum, "sum"), (ReduceOp::Max, "max"), (ReduceOp::Min, "min")];
    let elements = [
        (Element::Int8, "i8"),
        (Element::Int16, "i16"),
        (Element::Int32, "i32"),
        (Element::Float16, "f16"),
        (Element::BFloat16, "bf16"),
        (Element::Float32, "f32"),
    ];
    // An enumerator that is added fails to compile here: it needs a kernel, and a row above.
    let has_a_row = |op: ReduceOp, element: Element| match (op, element) {
        (
            ReduceOp::Sum | ReduceOp::Max | ReduceOp::Min,
            Element::Int8 | Element::Int16 | Element::Int32 | Element::Float16 | Element::BFloat16 | Element::Float32,
        ) => true,
    };
    let names = names();
    let mut seen = vec![false; names.len()];
    for (op, op_name) in ops {
        for (element, element_name) in elements {
            assert!(has_a_row(op, element));
            let index = index(op, element);
            assert!(!std::mem::replace(&mut seen[index], true));
            let name = &names[index];
            assert_eq!(*name, format!("portacl_reduce_{op_name}_{element_name}"));
            assert!(KERNELS.text().contains(&format!(".entry {name}(")), "{name} is not in the PTX");
        }
    }
    assert!(seen.iter().all(|seen| *seen));
}
