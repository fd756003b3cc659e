//! A chosen order of everything that a program does through the library (`PORTACL_SCHEDULE`).
//!
//! The actors are streams and threads of the program. One of them goes on at a time: a stream by one operation, a
//! thread from one call of the library to the next. An actor that has reached the next such place waits for its turn.
//! The next turn begins when every thread of the process is at such a place or waits for something else. So the order
//! depends on the plan alone, as far as the program itself is deterministic between its calls.
//!
//! A thread that waits inside a call can go on when its condition is true. Its timeout counts only when nothing else
//! can go on. A thread inside a host function is like any other thread. When the function returns, its stream waits for
//! a turn again.

mod policy;
mod threads;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::algo::host::notice::notice_once;
use crate::algo::host::output_file::OutputFile;
use crate::backend::{Fault, Result, Wait, thread_number};
pub use policy::{ALLOWED, Settings};
use policy::{Actor, Policy};
use threads::{Threads, Tid};

/// The time between two checks of threads that run.
const LOOK: Duration = Duration::from_micros(50);
/// The time between two checks while nothing can go on.
const STUCK: Duration = Duration::from_millis(1);

/// A schedule. The module's text describes it.
pub struct Schedule {
    state: Mutex<State>,
    /// The number of threads that are about to lock the state: they do not wait for something else.
    entering: AtomicUsize,
    changed: Condvar,
}

struct State {
    policy: Policy,
    log: Option<OutputFile>,
    threads: Threads,
    /// The numbers of threads, in the order of their first calls.
    numbers: HashMap<Tid, u32>,
    /// The streams with an operation to run, and its name.
    ready: Vec<(u64, &'static str)>,
    parked: BTreeMap<Tid, Parked>,
    /// The threads of the library that wait for a stream to run.
    idle: BTreeSet<Tid>,
    /// The thread of the library that runs an operation.
    in_hand: Option<Tid>,
    /// The actor whose turn it is, until it goes on.
    turn: Option<Turn>,
    /// A number that changes when what threads wait for may have become true.
    generation: u64,
    stopping: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Turn {
    Thread(Tid),
    Stream(u64),
}

/// A thread that waits for its turn.
struct Parked {
    /// The stream whose host function has returned on this thread, if it is a thread of the library.
    stream: Option<u64>,
    doing: &'static str,
    condition: Option<Condition>,
}

/// The condition that a thread inside a call waits for.
struct Condition {
    holds: bool,
    /// The generation in which it was checked.
    seen: u64,
    deadline: Option<Instant>,
}

/// An actor that can go on, and its operation or call.
type Candidate = (Actor, Turn, &'static str);

impl Schedule {
    /// Begins the schedule, and its log.
    pub fn new(mut settings: Settings) -> Result<Self> {
        // Without this file the system does not show what threads do.
        if fs::read_to_string("/proc/thread-self/syscall").is_err() {
            let text = "PORTACL_SCHEDULE needs /proc/thread-self/syscall, which cannot be read here";
            return Err(Fault::unsupported(text));
        }
        let log = settings.log.take().map(|path| {
            let text = |why| format!("PORTACL_SCHEDULE_LOG: {} cannot be written: {why}", path.display());
            OutputFile::create(&path).map_err(|why| Fault::unsupported(text(why)))
        });
        Ok(Self {
            state: Mutex::new(State {
                policy: Policy::new(settings),
                log: log.transpose()?,
                threads: Threads::default(),
                numbers: HashMap::new(),
                ready: Vec::new(),
                parked: BTreeMap::new(),
                idle: BTreeSet::new(),
                in_hand: None,
                turn: None,
                generation: 1,
                stopping: false,
            }),
            entering: AtomicUsize::new(0),
            changed: Condvar::new(),
        })
    }

    /// Waits for the turn of a thread that begins a call.
    pub fn call(&self, name: &'static str) {
        self.park(Parked { stream: None, doing: name, condition: None }, &|| true);
    }

    /// Waits inside a call until `done`, or until the deadline has passed and nothing else can go on. Returns `None` if
    /// the schedule has ended.
    pub fn wait(&self, done: &dyn Fn() -> bool, deadline: Option<Instant>) -> Option<Wait> {
        let condition = Some(Condition { holds: false, seen: 0, deadline });
        let holds = self.park(Parked { stream: None, doing: "waits", condition }, done)?;
        Some(if holds { Wait::Done } else { Wait::TimedOut })
    }

    /// Adds a stream that has an operation to run. The stream is not listed already.
    pub fn add(&self, stream: u64, operation: &'static str) {
        let mut state = self.lock();
        state.ready.push((stream, operation));
        state.policy.note_work();
        state.generation += 1;
        self.changed.notify_all();
    }

    /// Waits, on a thread of the library, for a turn of a stream. The caller must run the stream and then call
    /// [`Self::end_turn`]. Returns `None` if the schedule has ended.
    pub fn next(&self) -> Option<u64> {
        let me = thread_number();
        let mut state = self.lock();
        state.idle.insert(me);
        let stream = loop {
            if state.stopping {
                break None;
            }
            if let Some(Turn::Stream(stream)) = state.turn {
                state.turn = None;
                state.in_hand = Some(me);
                break Some(stream);
            }
            self.pause(&mut state);
        };
        state.idle.remove(&me);
        stream
    }

    /// Ends the turn of an operation that is complete, or that calls user code now: then its thread is like one of the
    /// program.
    pub fn end_turn(&self) {
        let mut state = self.lock();
        state.in_hand = None;
        state.generation += 1;
        self.changed.notify_all();
    }

    /// Waits for the turn of an operation whose user code has returned.
    pub fn end_user_code(&self, stream: u64) {
        self.park(Parked { stream: Some(stream), doing: "returns", condition: None }, &|| true);
        self.lock().in_hand = Some(thread_number());
    }

    /// Ends the schedule: nothing waits for turns any more.
    pub fn stop(&self) {
        self.lock().stopping = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.entering.fetch_add(1, Ordering::SeqCst);
        let state = self.state.lock();
        self.entering.fetch_sub(1, Ordering::SeqCst);
        state
    }

    /// Waits for a turn of this thread. Returns whether its condition, which `done` checks, held then, or `None` if the
    /// schedule has ended.
    fn park(&self, parked: Parked, done: &dyn Fn() -> bool) -> Option<bool> {
        let me = thread_number();
        let mut state = self.lock();
        state.generation += 1;
        state.parked.insert(me, parked);
        self.changed.notify_all();
        loop {
            let generation = state.generation;
            if state.condition(me).is_some_and(|condition| condition.seen != generation) {
                let holds = MutexGuard::unlocked(&mut state, done);
                if let Some(condition) = state.condition(me) {
                    (condition.holds, condition.seen) = (holds, generation);
                }
                continue;
            }
            if state.turn == Some(Turn::Thread(me)) || state.stopping {
                break;
            }
            self.pause(&mut state);
        }
        let condition = state.parked.remove(&me).and_then(|parked| parked.condition);
        let turn = state.turn.take_if(|turn| *turn == Turn::Thread(me));
        turn.map(|_| condition.is_some_and(|condition| condition.holds))
    }

    /// Begins the next turn if it is time for it, or waits until it may be.
    fn pause(&self, state: &mut MutexGuard<'_, State>) {
        if let Some(again) = state.grant_turn(&self.entering) {
            self.changed.wait_for(state, again);
        } else {
            self.changed.notify_all();
        }
    }
}

impl State {
    fn condition(&mut self, tid: Tid) -> Option<&mut Condition> {
        self.parked.get_mut(&tid)?.condition.as_mut()
    }

    /// Begins the next turn. If it cannot, returns the time after which to try again.
    fn grant_turn(&mut self, entering: &AtomicUsize) -> Option<Duration> {
        let generation = self.generation;
        let was_checked = |parked: &Parked| parked.condition.as_ref().is_none_or(|it| it.seen == generation);
        let is_busy = self.turn.is_some() || self.in_hand.is_some() || self.stopping;
        if is_busy || !self.parked.values().all(was_checked) {
            return Some(STUCK);
        }
        let (parked, idle) = (&self.parked, &self.idle);
        let is_known = |tid| parked.contains_key(&tid) || idle.contains(&tid);
        // The order of the checks matters: a thread that enters between them was running.
        if !self.threads.are_quiet(is_known) || entering.load(Ordering::SeqCst) > 0 {
            return Some(LOOK);
        }
        let mut candidates = self.candidates(false);
        if candidates.is_empty() {
            candidates = self.candidates(true);
        }
        if candidates.is_empty() {
            // A timer, another process or a thread outside of the library must do something.
            self.generation += 1;
            return Some(STUCK);
        }
        let actors: Vec<Actor> = candidates.iter().map(|one| one.0).collect();
        let (chosen, step) = self.policy.choose(&actors);
        let turn = candidates[chosen].1;
        self.ready.retain(|(stream, _)| turn != Turn::Stream(*stream));
        candidates[..=chosen].rotate_right(1);
        self.write_log(step, &candidates);
        self.threads.note_turn();
        self.turn = Some(turn);
        None
    }

    /// Returns the actors that can go on. If `late`, returns those whose timeout has passed.
    fn candidates(&mut self, late: bool) -> Vec<Candidate> {
        let now = Instant::now();
        let mut candidates = Vec::new();
        for (&tid, parked) in &self.parked {
            let can_go_on = match &parked.condition {
                None => true,
                Some(it) if late => it.deadline.is_some_and(|deadline| deadline <= now),
                Some(it) => it.holds,
            };
            if can_go_on {
                let next = self.numbers.len() as u32;
                let actor = match parked.stream {
                    Some(stream) => Actor::Stream(stream),
                    None => Actor::Thread(*self.numbers.entry(tid).or_insert(next)),
                };
                candidates.push((actor, Turn::Thread(tid), parked.doing));
            }
        }
        let ready = self.ready.iter();
        candidates.extend(ready.map(|&(stream, doing)| (Actor::Stream(stream), Turn::Stream(stream), doing)));
        candidates.sort_by_key(|one| one.0);
        candidates
    }

    /// Writes the actor that goes on, and then those that could have gone on.
    fn write_log(&mut self, step: Option<u32>, candidates: &[Candidate]) {
        let Some(log) = &mut self.log else { return };
        let number = step.map_or_else(|| "-".to_owned(), |step| step.to_string());
        let texts: Vec<_> = candidates.iter().map(|(actor, _, doing)| format!("{actor} {doing}")).collect();
        if let Err(why) = log.write_all(format!("{number} {}\n", texts.join(" | ")).as_bytes()) {
            notice_once(&format!("PORTACL_SCHEDULE_LOG: {why}"));
            self.log = None;
        }
    }
}
