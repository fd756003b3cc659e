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
    let thread = spawn("portacl-test", || {
        for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGALRM, libc::SIGCHLD, libc::SIGUSR1] {
            assert!(is_blocked(signal), "{signal}");
        }
        for signal in HEARD {
            assert!(!is_blocked(signal), "{signal}");
        }
        assert!(is_current());
    });
    thread.unwrap().join().unwrap();
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
        spawn("portacl-test", || {}).unwrap().join().unwrap();
        assert!(is_blocked(libc::SIGUSR2));
        assert!(!is_blocked(libc::SIGTERM) && !is_blocked(libc::SIGUSR1));
    });
    own.join().unwrap();
}
