use super::*;
use std::sync::Barrier;
use std::sync::mpsc::channel;
use std::time::Duration;

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(20)
}

#[test]
fn jobs_that_wait_for_each_other_all_run() {
    let workers = Workers::new("portacl-host-fn", None);
    for _ in 0..3 {
        let barrier = Arc::new(Barrier::new(4));
        for _ in 0..3 {
            let barrier = Arc::clone(&barrier);
            let started = workers.start(Box::new(move || {
                barrier.wait();
            }));
            assert!(started.is_ok());
        }
        barrier.wait();
    }
    assert!(workers.stop(soon()));
}

#[test]
fn stopping_runs_started_jobs_and_leaves_jobs_that_do_not_end() {
    let workers = Workers::new("portacl-host-fn", None);
    let (release, held) = channel::<()>();
    let job = move || {
        let _ = held.recv();
    };
    assert!(workers.start(Box::new(job)).is_ok());
    assert!(!workers.stop(Instant::now() + Duration::from_millis(20)));
    drop(release);
    assert!(workers.stop(soon()));
}

/// Makes the kernel refuse threads to the calling thread. Returns false if this system allows no such filter.
fn refuse_threads() -> bool {
    let step = |code: u32, jt, jf, k| libc::sock_filter { code: code as u16, jt, jf, k };
    let is = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    let mut filter = [
        step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0, 0),
        step(is, 1, 0, libc::SYS_clone3 as u32),
        step(is, 0, 1, libc::SYS_clone as u32),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ERRNO | libc::EAGAIN as u32),
        step(libc::BPF_RET | libc::BPF_K, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the kernel copies the filter, which only makes calls of this thread fail.
    unsafe {
        libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
            && libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) == 0
    }
}

/// Checks what happens in a callback of the driver if the system refuses a thread.
#[test]
fn without_a_new_thread_a_job_waits_for_a_thread_or_is_returned() {
    let workers = Arc::new(Workers::new("portacl-host-fn", None));
    workers.ensure_thread().unwrap();
    let (release, held) = channel::<()>();
    let (send, ran) = channel();
    let on = Arc::clone(&workers);
    let refused = std::thread::spawn(move || {
        if !refuse_threads() {
            return false;
        }
        // The only thread takes one of these jobs, and ends both.
        on.start_or_queue(Box::new(move || _ = held.recv()));
        on.start_or_queue(Box::new(move || send.send(quiet_thread::is_current()).unwrap()));
        assert!(on.start(Box::new(|| ())).is_err());
        assert!(Workers::new("portacl-host-fn", None).ensure_thread().is_err());
        true
    });
    if !refused.join().unwrap() {
        return eprintln!("skipped: this system allows no seccomp filters");
    }
    assert!(ran.try_recv().is_err());
    drop(release);
    assert!(ran.recv_timeout(Duration::from_secs(20)).unwrap());
    assert!(workers.stop(soon()));
}

/// Returns the number of threads that have not ended.
fn threads(workers: &Workers) -> usize {
    workers.queue.lock().handles.iter().filter(|handle| !handle.is_finished()).count()
}

#[test]
fn idle_threads_end_except_one() {
    let workers = Workers::new("portacl-host-fn", Some(Duration::from_millis(20)));
    let barrier = Arc::new(Barrier::new(4));
    for _ in 0..3 {
        let barrier = Arc::clone(&barrier);
        workers.start_or_queue(Box::new(move || _ = barrier.wait()));
    }
    assert_eq!(threads(&workers), 3);
    barrier.wait();
    let late = soon();
    while threads(&workers) > 1 {
        assert!(Instant::now() < late, "idle threads stay");
        std::thread::sleep(Duration::from_millis(5));
    }
    // The last one stays, and works.
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(threads(&workers), 1);
    let (done, is_done) = channel();
    workers.start_or_queue(Box::new(move || done.send(()).expect("awaited")));
    is_done.recv().expect("the job runs");
    assert_eq!(threads(&workers), 1);
    assert!(workers.stop(soon()));
}

#[test]
fn threads_that_end_while_jobs_arrive_lose_none() {
    let workers = Workers::new("portacl-host-fn", Some(Duration::from_micros(50)));
    let (done, is_done) = channel();
    for round in 0..2000 {
        for _ in 0..2 {
            let done = done.clone();
            workers.start_or_queue(Box::new(move || done.send(()).expect("awaited")));
        }
        if round % 3 == 0 {
            std::thread::sleep(Duration::from_micros(60));
        }
    }
    for _ in 0..4000 {
        is_done.recv_timeout(Duration::from_secs(20)).expect("no job is lost");
    }
    assert!(workers.stop(soon()));
}
