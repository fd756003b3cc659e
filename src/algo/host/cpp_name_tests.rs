use super::*;

#[test]
fn names_are_read_on_any_stack() {
    // This is f(int********...).
    let symbol = format!("_Z1f{}i", "P".repeat(64));
    let thread = std::thread::Builder::new().stack_size(64 << 10);
    let name = thread.spawn(move || cpp_name(&symbol)).unwrap().join().unwrap();
    assert_eq!(name, Some(format!("f(int{})", "*".repeat(64))));
}

#[test]
fn names_of_cpp() {
    let name = |symbol| cpp_name(symbol);
    assert_eq!(name("_ZN3foo3barEi").as_deref(), Some("foo::bar(int)"));
    assert_eq!(name("_ZN5model4loadERKSs").as_deref(), Some("model::load(std::string const&)"));
    assert_eq!(name("_Z3addIfEvPT_S1_i").as_deref(), Some("void add<float>(float*, float*, int)"));
    assert_eq!(name("_ZZ4mainENKUlvE_clEv").as_deref(), Some("main::{lambda()#1}::operator()() const"));
    for other in ["aclrtMalloc", "main", "_Z", "_Z\0", "_ZN3foo", ""] {
        assert_eq!(name(other), None, "{other:?}");
        assert_eq!(shown_name(other), other);
    }
}
