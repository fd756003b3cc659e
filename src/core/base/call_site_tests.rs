use super::*;

#[inline(never)]
fn a_function_of_the_program() -> Stack {
    std::hint::black_box(Stack::here())
}

#[test]
fn a_stack_has_names_and_lines() {
    let frames = a_function_of_the_program().frames();
    let found = frames.iter().find(|frame| frame.function.contains("a_function_of_the_program"));
    let (file, line) = found.expect("the function is on the stack").place.clone().unwrap();
    assert!(file.ends_with("call_site_tests.rs") && line != 0, "{file}:{line}");
}

#[test]
fn a_stack_is_kept_once() {
    // Hidden from the compiler, which would merge the two calls of a loop.
    let twice = std::hint::black_box(2);
    let same: Vec<_> = (0..twice).map(|_| a_function_of_the_program()).collect();
    assert!(std::ptr::eq(same[0].trace(), same[1].trace()));
    assert!(!std::ptr::eq(same[0].trace(), a_function_of_the_program().trace()));
}

/// Walks a stack that differs for each path: each bit of `path` selects the call at one level.
#[inline(never)]
fn along(path: usize, calls: u32) -> Stack {
    let stack = match (calls, path & 1) {
        (0, _) => Stack::here(),
        (_, 0) => along(path >> 1, calls - 1),
        _ => along(path >> 1, calls - 1),
    };
    std::hint::black_box(stack)
}

#[test]
fn unused_stacks_are_removed() {
    const CALLS: u32 = 14;
    let mut held: Vec<Vec<Stack>> = Vec::new();
    // Hidden from the compiler, which would write the body twice.
    for _ in 0..std::hint::black_box(2) {
        held.push((0..MOST_KEPT * 2).map(|path| along(path, CALLS)).collect());
        (0..1 << CALLS).for_each(|path| drop(along(path, CALLS)));
    }
    // The latest walks of this thread are held as well.
    let most = 4 * (held[0].len() + LISTS * MOST_OF_A_LIST);
    assert!(most < 1 << CALLS);
    let count = MET.lock().as_ref().map_or(0, HashSet::len);
    assert!((held[0].len()..most).contains(&count), "{count} stacks");
    assert!(held[0].iter().zip(&held[1]).all(|(a, b)| std::ptr::eq(a.trace(), b.trace())), "those that are held stay");
    let is_kept = |stack: &&Stack| matches!(stack, Stack::Kept(_));
    assert_eq!(MET.lock().as_ref().map_or(0, |met| met.iter().filter(is_kept).count()), MOST_KEPT);
}

#[test]
fn all_stacks_have_ends() {
    let frames = a_function_of_the_program().frames();
    let names: Vec<_> = frames.iter().map(|frame| frame.function.as_str()).collect();
    assert!(names.iter().all(|name| !name.is_empty() && !name.contains(" - ")), "{names:?}");
    assert!(names.iter().any(|name| name.contains("call_site::tests")), "{names:?}");
}

#[test]
fn texts_of_the_standard_library() {
    let text = "   0:     0x55d0aa - portacl::f::h0123456789abcdef\n\
                \x20                        at /a b/f.rs:12:5\n\
                \x20  1:     0x55d0aa - <[u8]>::main[c1f1a4ba060b9bfa]::<[u8; 4]>\n\
                \x20                        at c:d/m.c:7\n\
                \x20  2:     0x7f00ff - <unknown>\n\
                \x20  3:     0x7f0100 - operator - (int)\n";
    let frame = |function: &str, place: Option<(&str, u32)>| Frame {
        function: function.to_owned(),
        place: place.map(|(file, line)| (file.to_owned(), line)),
    };
    assert_eq!(
        frames_of(text),
        [
            frame("portacl::f", Some(("/a b/f.rs", 12))),
            frame("<[u8]>::main::<[u8; 4]>", Some(("c:d/m.c", 7))),
            frame("0x7f00ff", None),
            frame("operator - (int)", None),
        ]
    );
}

#[test]
fn what_calls_main_or_begins_a_thread_is_not_the_programs() {
    let frames = |names: &[&str]| -> Vec<Frame> {
        names.iter().map(|name| Frame { function: (*name).to_owned(), place: None }).collect()
    };
    let part = |names: &[&str]| program_part(&frames(names));
    assert_eq!(part(&["work", "main", "__libc_start_call_main", "_start"]), 2);
    assert_eq!(part(&["main", "0x7f00", "__libc_start_main@@GLIBC_2.34"]), 1);
    assert_eq!(part(&["work", "start_thread", "__clone3"]), 1);
    assert_eq!(part(&["work", "0x55", "_start"]), 2);
    assert_eq!(part(&["work", "start_thread", "clone3", "0x0"]), 1);
    assert_eq!(part(&["work", "start_thread", "__GI___clone3", "0x0"]), 1);
    let of_cpp = [
        "Work(int)",
        "void std::__invoke_impl<void, Work>(std::__invoke_other, Work&&)",
        "std::__invoke_result<Work>::type std::__invoke<Work>(Work&&)",
        "void std::thread::_Invoker<std::tuple<Work> >::_M_invoke<0ul>(std::_Index_tuple<0ul>)",
        "std::thread::_State_impl<std::thread::_Invoker<std::tuple<Work> > >::_M_run()",
        "execute_native_thread_routine",
        "0x7f00",
        "clone3",
        "0x0",
    ];
    assert_eq!(part(&of_cpp), 1);
    assert_eq!(part(&["work", "0x7f00", "clone3", "0x0"]), 2, "an unknown function may be the program's");
    let mut with_places = frames(&["Work", "operator()", "_M_run", "0x7f00", "start_thread"]);
    with_places[0].place = Some(("/home/work.cpp".to_owned(), 3));
    (1..3).for_each(|index| with_places[index].place = Some(("/usr/include/c++/12/bits/std_thread.h".to_owned(), 9)));
    assert_eq!(program_part(&with_places), 1);
    let of_rust = [
        "app::work",
        "std::sys::backtrace::__rust_begin_short_backtrace",
        "<alloc::boxed::Box<F> as core::ops::function::FnOnce<A>>::call_once",
    ];
    assert_eq!(
        part(&[&of_rust[..], &["std::sys::thread::unix::Thread::new::thread_start", "start_thread"]].concat()),
        1
    );
    assert_eq!(part(&["f(std::thread::id)", "clone3"]), 1, "an argument");
    assert_eq!(part(&["clone_tensor", "clone3"]), 1);
    assert_eq!(part(&["_start"]), 0);
    assert_eq!(part(&[]), 0);
}

#[test]
fn functions_of_the_api_are_known_by_name() {
    let is_api = |name: &str| Frame { function: name.to_owned(), place: None }.is_api();
    assert!(is_api("aclrtMalloc") && is_api("portaclMallocAsync") && is_api("aclInit"));
    assert!(is_api("HcclAllReduce") && !is_api("hccl::Enqueue"));
    assert!(!is_api("portacl::core::memory::malloc") && !is_api("main") && !is_api("acl_user"));
}

#[test]
fn the_functions_of_a_signal_handler_are_left_out() {
    let text = "   0:     0x55d0aa - portacl::on_fault\n\
                \x20  1:     0x7f0010 - __restore_rt\n\
                \x20  2:     0x7f00ff - inlined\n\
                \x20                        at m.c:3:1\n\
                \x20  3:     0x7f00ff - main\n";
    let names = |text: &str| -> Vec<String> { frames_of(text).into_iter().map(|frame| frame.function).collect() };
    assert_eq!(names(without_handler(text, Some(0x7f_00ff))), ["inlined", "main"]);
    let all = ["portacl::on_fault", "__restore_rt", "inlined", "main"];
    assert_eq!(names(without_handler(text, Some(1))), all);
    assert_eq!(names(without_handler(text, None)), all);
}

#[test]
fn an_operator_is_the_call_of_the_program() {
    let call = |names: &[&str]| {
        let frame = |name: &&str| Frame { function: (*name).to_owned(), place: None };
        api_call(&names.iter().map(frame).collect::<Vec<_>>())
    };
    assert_eq!(call(&["portacl::f", "aclrtLaunchKernelV2", "operators::Launch", "aclnnAdd", "main"]), Some(3));
    assert_eq!(call(&["portacl::f", "portaclLaunchTask", "hccl::Enqueue", "HcclBarrier", "main"]), Some(3));
    assert_eq!(call(&["portacl::f", "aclrtMemset", "hook", "aclrtMalloc", "main"]), Some(1));
    assert_eq!(call(&["portacl::f", "main"]), None);
}
