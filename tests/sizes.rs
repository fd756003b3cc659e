//! Each argument that is a size, a length or a count has a row in `cpp_tests/base/sizes`, whose test passes 0, the
//! largest size and larger ones, or it has a reason here.

mod source;

use std::collections::BTreeSet;

use source::{exported_functions, files, read};

/// The headers of the runtime.
const HEADERS: [&str; 6] = [
    "include/acl/acl_base.h",
    "include/acl/acl_base_rt.h",
    "include/acl/acl_rt.h",
    "include/acl/acl_rt_memory_soma.h",
    "include/acl/acl_prof.h",
    "include/portacl/portacl.h",
];

/// Arguments without a row: the beginning of the function's name, the argument (`*`: all), and the reason.
const WITHOUT_ROW: &[(&str, &str, &str)] = &[
    ("aclCreateDataBuffer", "size", "a note of the program, which no call of this library reads memory by"),
    ("aclUpdateDataBuffer", "size", "as in aclCreateDataBuffer"),
    ("aclprofGet", "*", "queries that return a value and no code; profiling_arguments_test passes them bad lengths"),
    ("aclprof", "*", "lengths of texts of the program; profiling_arguments_test passes too long ones"),
    (
        "aclrtLaunch",
        "numBlocks",
        "a number of blocks is work and no memory; kernel_launch_arguments_test has its bounds",
    ),
    ("aclrtLaunchSIMT", "dynUbufSize", "not supported but for 0"),
    ("aclrtLaunchKernelWithHostArgs", "*", "as argsSize of aclrtLaunchKernel; kernel_host_args_test"),
    ("aclrtLaunchSIMTKernelWithHostArgs", "*", "as argsSize of aclrtLaunchKernel; kernel_host_args_test"),
    ("aclrtLaunchKernelV2", "argsSize", "as in aclrtLaunchKernel; kernel_launch_arguments_test"),
    ("aclrtKernelArgs", "*", "lists of arguments; kernel_args_refused_test has the bounds of each call"),
    ("aclrtFunctionGetParamInfo", "paramIndex", "an index; kernel_info_test"),
    ("aclrtGetFunctionName", "maxLen", "32 bits; kernel_info_test"),
    ("aclmdlRIGetName", "maxLen", "32 bits; graph_inspect_test"),
    ("aclrtMemcpyToSymbol", "*", "symbol_arguments_test: ranges of symbols"),
    ("aclrtMemcpyFromSymbol", "*", "symbol_arguments_test: ranges of symbols"),
    ("aclrtMemcpyAsyncWithOffset", "*", "the stream reads addresses and offsets; memcpy_indirect_test"),
    ("aclrtSetMemcpyDesc", "count", "a note that a copy of the description reads; memcpy_indirect_test"),
    ("aclrtCmoSetDesc", "size", "a note that an operation with the description reads; cache_test"),
    ("aclrtMemSetAccess", "*", "ranges of mappings; virtual_memory_arguments_test"),
    ("aclrtMemMapNoAccess", "*", "as in aclrtMapMem"),
    ("aclrtMemP2PMap", "size", "the range of a mapping; peer_test"),
    (
        "aclrtCreateBinary",
        "dataLen",
        "the address of the data is kept; aclrtBinaryLoad reads as aclrtBinaryLoadFromData",
    ),
    ("aclrtIpcMemSetImportPid", "num", "an array of the program; ipc_test"),
    ("aclrtMemSetPidToShareableHandle", "pidNum", "an array of the program; virtual_memory_sharing_test"),
    ("aclrtNotifySetImportPid", "num", "an array of the program; notify_sharing_test"),
    ("aclrtNotifyGetExportKey", "len", "as in aclrtIpcMemGetExportKey"),
    ("aclrtDeviceGet", "count", "32 bits: an array of the program; atomics_test"),
    ("aclrtCheckMemType", "size", "32 bits: an array of the program; pointer_test"),
    ("aclrtSetStreamConfigOpt", "valueSize", "the size of one of four attributes; stream_config_test"),
    ("aclrtGetFloatOverflowStatus", "outputSize", "as in aclrtGetOverflowStatus"),
    ("aclrtNpuGetFloatOverFlowStatus", "outputSize", "as in aclrtGetOverflowStatus"),
    ("portaclMemPoolSetAccess", "count", "an array of the program; mem_pool_access_test"),
    ("portaclMemoryEventToJson", "size", "room for a text; memory_hook_ready_test"),
    ("portaclMemoryHookReport", "size", "room for a text; memory_hook_ready_test"),
    ("portaclMemoryHookProfile", "capacity", "room for numbers; memory_profile_test"),
];

/// Whether an argument of this name is a size.
fn is_size(name: &str) -> bool {
    const WORDS: [&str; 11] =
        ["size", "len", "count", "num", "capacity", "bytes", "width", "height", "pitch", "depth", "offset"];
    let name = name.to_lowercase();
    name == "n"
        || ["destmax", "dstmax", "paramindex", "most"].contains(&&*name)
        || WORDS.iter().any(|word| name.contains(word))
}

/// Returns the text without block comments.
fn code(text: &str) -> String {
    let mut pieces = text.split("/*");
    let first = pieces.next().unwrap_or_default().to_owned();
    first + &pieces.filter_map(|piece| Some(piece.split_once("*/")?.1)).collect::<String>()
}

/// Returns the size arguments of the functions in a header.
fn sizes(header: &str) -> BTreeSet<(String, String)> {
    let mut found = BTreeSet::new();
    for declaration in code(header).split(';') {
        let Some((head, arguments)) = declaration.split_once('(') else { continue };
        let name = head.split_whitespace().last().unwrap_or_default().trim_start_matches('*');
        if !name.starts_with("acl") && !name.starts_with("portacl") {
            continue;
        }
        for argument in arguments.trim_end().trim_end_matches(')').split(',') {
            let words: Vec<_> = argument.split_whitespace().collect();
            if let [kind, argument] = words[..]
                && ["size_t", "uint64_t", "uint32_t"].contains(&kind)
                && !argument.starts_with('*')
                && is_size(argument)
            {
                found.insert((name.to_owned(), argument.to_owned()));
            }
        }
    }
    found
}

/// Returns call and argument of each row.
fn rows() -> BTreeSet<(String, String)> {
    let texts = files("cpp_tests/base/sizes", &["h"]).iter().map(|path| read(path)).collect::<String>();
    let row = |line: &str| {
        let (call, rest) = line.trim().strip_prefix("{\"")?.split_once("\", \"")?;
        Some((call.to_owned(), rest.split_once('"')?.0.to_owned()))
    };
    texts.lines().filter_map(row).collect()
}

#[test]
fn each_size_has_a_row_or_a_reason() {
    let sources: Vec<_> = files("src/ffi", &["rs"]).iter().map(|path| read(path)).collect();
    let unsupported: BTreeSet<_> = sources
        .iter()
        .flat_map(|text| exported_functions(text))
        .filter(|function| function.is_unsupported())
        .map(|function| function.name)
        .collect();
    let all: BTreeSet<_> = HEADERS.iter().flat_map(|path| sizes(&read(path))).collect();
    let rows = rows();
    assert!(all.len() > 120 && rows.len() > 60, "{} arguments, {} rows", all.len(), rows.len());
    let excused = |(call, argument): &(String, String)| {
        let is_it = |row: &&(&str, &str, &str)| call.starts_with(row.0) && (row.1 == "*" || row.1 == argument);
        WITHOUT_ROW.iter().position(|row| is_it(&row))
    };
    let missing =
        |size: &&(String, String)| !rows.contains(*size) && !unsupported.contains(&size.0) && excused(size).is_none();
    let missing: Vec<_> = all.iter().filter(missing).collect();
    assert!(missing.is_empty(), "sizes without a row in cpp_tests/base/sizes: {missing:#?}");
    let unknown: Vec<_> = rows.difference(&all).collect();
    assert!(unknown.is_empty(), "rows of arguments that no header has: {unknown:#?}");
    let used: BTreeSet<_> = all.iter().filter(|size| !rows.contains(*size)).filter_map(excused).collect();
    let stale: Vec<_> = (0..WITHOUT_ROW.len()).filter(|row| !used.contains(row)).map(|row| WITHOUT_ROW[row]).collect();
    assert!(stale.is_empty(), "reasons that nothing needs: {stale:#?}");
}

#[test]
fn arguments_are_found() {
    let header = "/* (size_t no); */ int aclA(size_t size, uint64_t *len,\n uint32_t num); void other(size_t size);";
    let wanted = [("aclA", "num"), ("aclA", "size")].map(|(call, argument)| (call.to_owned(), argument.to_owned()));
    assert_eq!(sizes(header), BTreeSet::from(wanted));
}
