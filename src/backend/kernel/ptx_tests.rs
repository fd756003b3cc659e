use super::*;

fn places(text: &str, kernel: &str) -> Option<Vec<(usize, usize)>> {
    parameters(text, kernel).map(|found| found.each.iter().map(|one| (one.offset, one.size)).collect())
}

#[test]
fn parameters_have_the_offsets_of_c() {
    let text = "// .entry five(.param .u8 no)\n\
                .visible .entry five /* a / b */ (\n .param .u32 a,\n .param .u64 .ptr .global .align 256 b,\n\
                .param .u8 c, .param .align 16 .b8 d[20], .param .f16 e\n)\n.maxntid 256, 1, 1\n{ div.u32 a, 1/2; }\n\
                .entry none { ret; } .entry none_with_bound() .maxntid 4 { }\n.entry bound .maxntid 4 { }\n";
    assert_eq!(places(text, "five"), Some(vec![(0, 4), (8, 8), (16, 1), (32, 20), (52, 2)]));
    assert_eq!(parameters(text, "five").unwrap().size, 54);
    for name in ["none", "none_with_bound", "bound"] {
        assert_eq!(places(text, name), Some(vec![]), "{name}");
    }
    assert_eq!(places(text, "fiv"), None, "the beginning of a name");
    assert_eq!(places(text, "six"), None);
}

#[test]
fn unknown_declarations_are_not_guessed() {
    for declaration in [".param .texref t", ".u32 a", ".param a", ".param .b8 a[]", ".param .align 3 .b8 a[3]"] {
        assert_eq!(places(&format!(".entry k({declaration}) {{ }}"), "k"), None, "{declaration}");
    }
    assert_eq!(places("/* .entry k() {", "k"), None, "a comment without an end");
    assert_eq!(places(".entry k(.param .u32 a", "k"), Some(vec![(0, 4)]), "text that is cut off");
}

#[test]
fn the_kernels_of_the_tests_are_known() {
    let text = include_str!("../../../cpp_tests/kernels/kernels.ptx");
    assert_eq!(places(text, "mark"), Some(vec![(0, 8), (8, 4)]));
    assert_eq!(places(text, "nothing"), Some(vec![]));
}
