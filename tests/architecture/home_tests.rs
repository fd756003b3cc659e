use super::*;

fn some() -> BTreeMap<String, (String, bool)> {
    let row = |name: &str, file: &str| (name.to_owned(), (file.to_owned(), false));
    BTreeMap::from([
        row("aclrtMemcpyAsync", "transfer/memcpy"),
        row("aclrtMemcpyBatch", "transfer/memcpy_batch"),
        row("aclrtStreamQuery", "stream/stream"),
        row("aclrtCreateNotify", "stream/notify"),
        row("aclmdlRICaptureEnd", "graph/capture"),
        row("aclmdlRIExecute", "graph/graph"),
        row("portaclGraphPrintDot", "graph/picture"),
    ])
}

fn rule() -> Rule {
    let files = some().values().map(|(file, _)| file.clone()).collect();
    Rule::new(&files, &[("graph/picture".to_owned(), vec!["GraphPrint*".to_owned()])])
}

#[test]
fn functions_in_wrong_files() {
    assert_eq!(misplaced(&some(), &rule()), BTreeMap::new());
    for (name, file) in [
        ("aclrtMemcpyBatch", "transfer/memcpy"),
        ("aclrtCreateNotify", "stream/stream"),
        ("aclmdlRICaptureEnd", "graph/graph"),
        ("aclmdlRIExecute", "transfer/memcpy"),
        ("portaclGraphPrintDot", "graph/graph"),
    ] {
        let mut functions = some();
        functions.get_mut(name).unwrap().0 = file.to_owned();
        assert_eq!(misplaced(&functions, &rule()).into_keys().collect::<Vec<_>>(), [name]);
    }
    let mut functions = some();
    functions.insert("aclrtFrobnicate".to_owned(), ("stream/stream".to_owned(), false));
    assert_eq!(misplaced(&functions, &rule()).into_keys().collect::<Vec<_>>(), ["aclrtFrobnicate"]);
}

#[test]
fn names_become_words() {
    assert_eq!(words("MemPoolGetAttr"), ["memory", "pool", "get", "attr"]);
    assert_eq!(words("Memcpy2dAsync"), ["memcpy", "2d", "async"]);
    assert_eq!(words("DeviceGetPCIBusId"), ["device", "get", "pci", "bus", "id"]);
    assert_eq!(words("KernelArgs"), ["kernel", "arg"]);
}

#[test]
fn nouns_without_core_or_test() {
    let functions = BTreeMap::from([("aclrtFrob".to_owned(), ("stream/frob".to_owned(), false))]);
    let core = |path: &str| without_core(&functions, &[path.to_owned()]).len();
    assert_eq!([core("stream/frob.rs"), core("stream/frob/parts.rs")], [0, 0]);
    assert_eq!([core("memory/frob.rs"), core("stream/frobs.rs")], [1, 1]);
    let test = |path: &str, text: &str| without_test(&functions, &[(path.to_owned(), text.to_owned())]).len();
    assert_eq!([test("stream/a_test.cpp", "ACL_OK(aclrtFrob(1));"), test("a/frob_test.cpp", "aclrtFrob()")], [0, 0]);
    assert_eq!([test("memory/a_test.cpp", "aclrtFrob(1);"), test("stream/a_test.cpp", "aclrtFrobs(1);")], [1, 1]);
    let unsupported = BTreeMap::from([("aclrtFrob".to_owned(), ("stream/frob".to_owned(), true))]);
    assert_eq!(without_core(&unsupported, &[]).len() + without_test(&unsupported, &[]).len(), 0);
}

#[test]
fn backends_with_other_regions() {
    let backend = |path: &str| in_other_regions(&some(), &[path.to_owned()]).len();
    assert_eq!([backend("cpu/transfer/memcpy.rs"), backend("cpu/transfer/other.rs")], [0, 0]);
    assert_eq!(backend("cuda/memory/memcpy.rs"), 1);
}
