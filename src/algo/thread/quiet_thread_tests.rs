use super::*;

fn is_blocked(signal: libc::c_int) -> bool {
    let mut now = MaybeUninit::uninit();
    // SAFETY: asks for the mask of this thread, which fills the set.
    unsafe {
        libc::pthread_sigmask(libc::SIG_BLOCK, ptr::null(), now.as_mut_ptr());
        libc::sigismember(now.as_ptr(), signal) == 1
    }
}

#[test]
fn it_leaves_signals_of_the_process_to_others_and_hears_its_own() {
    let passed = Arc::new(AtomicBool::new(false));
    let thread = spawn("portacl-test", {
        let passed = Arc::clone(&passed);
        move || {
            for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGALRM, libc::SIGCHLD, libc::SIGUSR1] {
                assert!(is_blocked(signal), "{signal}");
            }
            for signal in HEARD {
                assert!(!is_blocked(signal), "{signal}");
            }
            assert!(is_current());
            passed.store(true, Ordering::Relaxed);
        }
    });
    thread.unwrap().join();
    assert!(passed.load(Ordering::Relaxed));
    assert!(!is_current());
}

#[test]
fn its_creator_is_as_before() {
    let own = std::thread::spawn(|| {
        let mut one = MaybeUninit::uninit();
        // SAFETY: fills a set, and blocks what is in it for this thread.
        unsafe {
            libc::sigemptyset(one.as_mut_ptr());
            libc::sigaddset(one.as_mut_ptr(), libc::SIGUSR2);
            libc::pthread_sigmask(libc::SIG_SETMASK, one.as_ptr(), ptr::null_mut());
        }
        spawn("portacl-test", || {}).unwrap().join();
        assert!(is_blocked(libc::SIGUSR2));
        assert!(!is_blocked(libc::SIGTERM) && !is_blocked(libc::SIGUSR1));
    });
    own.join().unwrap();
}

#[test]
fn a_panic_ends_only_its_thread() {
    let thread = spawn("portacl-test", || panic!("on purpose")).unwrap();
    while !thread.is_finished() {
        std::thread::yield_now();
    }
    thread.join();
}

#[test]
fn one_that_is_awaited_may_borrow() {
    let mut name = [0_u8; 16];
    run("portacl-a-name-", 1 << 20, || {
        // SAFETY: room for the longest name.
        unsafe { libc::pthread_getname_np(libc::pthread_self(), name.as_mut_ptr().cast(), name.len()) };
    })
    .unwrap();
    assert_eq!(&name, b"portacl-a-name-\0");
}

#[test]
fn one_without_a_stack_is_refused_in_words() {
    let refused = start("portacl-test", 1 << 60, Box::new(|| {})).err().unwrap();
    assert!(refused.to_string().contains("PORTACL_THREAD_STACK"), "{refused}");
}
