use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use super::*;
use crate::{Fault, FaultKind};

/// Code that reports what it gets, and runs until it is released.
struct Code {
    events: Sender<String>,
    release: Mutex<Receiver<()>>,
}

impl TaskCode for Code {
    fn name(&self) -> &str {
        "code"
    }

    fn run(&self, _run: &Arc<TaskRun>, addresses: &[usize]) -> Result<()> {
        self.events.send(format!("runs {addresses:?}")).expect("read");
        let _ = self.release.lock().recv();
        self.events.send("returns".to_owned()).expect("read");
        Err(Fault::new(FaultKind::Program(7), "seven"))
    }

    fn stop(&self, stop: StopReason) {
        self.events.send(format!("{stop:?}")).expect("read");
    }
}

fn task() -> (Arc<HostTask>, Receiver<String>, Sender<()>) {
    let (events, read) = channel();
    let (free, release) = channel();
    let code = Box::new(Code { events, release: Mutex::new(release) });
    (Arc::new(HostTask { buffers: Box::default(), takes_device_addresses: false, code }), read, free)
}

fn all(events: &Receiver<String>) -> Vec<String> {
    events.try_iter().collect()
}

#[test]
fn a_running_task_is_notified_of_each_reason_once() {
    let (task, events, free) = task();
    let run = TaskRun::new(&task);
    let runs = Arc::clone(&run);
    let thread = thread::spawn(move || runs.run(&[3]));
    assert_eq!(events.recv().expect("runs"), "runs [3]");
    run.stop(StopReason::StreamEnds);
    run.stop(StopReason::StreamEnds);
    run.stop(StopReason::Dropped);
    run.stop(StopReason::StreamEnds);
    assert_eq!(run.stopped(), Some(StopReason::Dropped));
    free.send(()).expect("awaited");
    let fault = thread.join().expect("no panic").expect_err("it fails");
    assert_eq!((fault.kind(), fault.text()), (FaultKind::Program(7), "seven"));
    run.stop(StopReason::Dropped);
    assert_eq!(all(&events), ["StreamEnds", "Dropped", "returns"]);
}

#[test]
fn a_task_that_begins_late_is_notified_or_dropped() {
    let (task, events, free) = task();
    drop(free);
    let run = TaskRun::new(&task);
    run.stop(StopReason::StreamEnds);
    assert!(run.run(&[]).is_err());
    assert_eq!(all(&events), ["StreamEnds", "runs []", "returns"]);
    let run = TaskRun::new(&task);
    run.stop(StopReason::Dropped);
    assert!(run.run(&[]).is_ok());
    assert_eq!(all(&events), Vec::<String>::new());
}

#[test]
fn a_run_does_not_end_inside_a_notification() {
    struct Slow(Mutex<Option<Receiver<()>>>, Sender<()>);
    impl TaskCode for Slow {
        fn name(&self) -> &str {
            "slow"
        }
        fn run(&self, _: &Arc<TaskRun>, _: &[usize]) -> Result<()> {
            self.1.send(()).expect("read");
            Ok(())
        }
        fn stop(&self, _: StopReason) {
            let wait = self.0.lock().take().expect("once");
            let _ = wait.recv();
        }
    }
    let (begins, begun) = channel();
    let (free, wait) = channel();
    let code = Box::new(Slow(Mutex::new(Some(wait)), begins));
    let run = TaskRun::new(&Arc::new(HostTask { buffers: Box::default(), takes_device_addresses: false, code }));
    // The state is as if the code ran, so that the notification begins first.
    run.state.lock().phase = Phase::Running;
    let notifying = Arc::clone(&run);
    let notifier = thread::spawn(move || notifying.stop(StopReason::Dropped));
    while run.state.lock().notifiers == 0 {
        thread::yield_now();
    }
    run.state.lock().stop = None;
    let running = Arc::clone(&run);
    let (ends, ended) = channel();
    let runner = thread::spawn(move || {
        running.run(&[]).expect("it succeeds");
        ends.send(()).expect("read");
    });
    begun.recv().expect("it runs");
    assert!(ended.recv_timeout(Duration::from_millis(50)).is_err(), "the run ended inside the notification");
    free.send(()).expect("awaited");
    ended.recv_timeout(Duration::from_secs(20)).expect("it ends");
    runner.join().expect("no panic");
    notifier.join().expect("no panic");
}

#[test]
fn an_observed_task_calls_the_observer_around_the_code() {
    let (task, events, free) = task();
    drop(free);
    let (notes, noted) = channel();
    let observed = task.observed(move || {
        notes.send("begin").expect("read");
        move || notes.send("end").expect("read")
    });
    let run = TaskRun::new(&observed);
    assert!(run.run(&[1, 2]).is_err());
    assert_eq!(noted.try_iter().collect::<Vec<_>>(), ["begin", "end"]);
    observed.code.stop(StopReason::Dropped);
    assert_eq!(all(&events), ["runs [1, 2]", "returns", "Dropped"]);
    assert_eq!(observed.code.name(), "code");
}
