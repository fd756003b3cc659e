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
//!
//! A turn costs about the same with two threads and with a hundred: the thread that begins it checks the conditions of
//! all, and wakes the one that goes on. Of the others one, the watcher, wakes up from time to time and checks whether
//! the threads that run have come to wait for something outside of the library. The last one to wait does not sleep at
//! once: to wake a thread takes longer than most operations, and it often goes on after the next one.

mod bell;
mod condition;
mod policy;
mod threads;

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::available_parallelism;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};

use crate::algo::host::notice::notice_once;
use crate::algo::host::output_file::OutputFile;
use crate::{Fault, Result, Wait, thread_number};
use bell::Bell;
use condition::Condition;
pub use policy::{ALLOWED, Settings};
use policy::{Actor, Policy};
use threads::{Threads, Tid};

/// The time between two checks of threads that run.
const LOOK: Duration = Duration::from_micros(50);
/// The time until the next check if turns were taken since the last one. It doubles as long as that is so ...
const LATER: Duration = Duration::from_micros(100);
/// ... up to this time: each check wakes a thread, which takes time from the one whose turn it is.
const LATEST: Duration = Duration::from_millis(1);
/// The time between two checks while nothing can go on.
const STUCK: Duration = Duration::from_millis(1);

/// A schedule. The module's text describes it.
pub struct Schedule {
    state: Mutex<Scheduler>,
    /// The number of threads that are about to lock the state: they do not wait for something else.
    entering: AtomicUsize,
}

struct Scheduler {
    policy: Policy,
    log: Option<OutputFile>,
    threads: Threads,
    /// The numbers of threads, in the order of their first calls.
    numbers: HashMap<Tid, u32>,
    /// The streams with an operation to run, and its name.
    ready: Vec<(u64, &'static str)>,
    parked: BTreeMap<Tid, Parked>,
    /// The threads of the library that wait for a stream to run.
    idle: BTreeMap<Tid, Arc<Bell>>,
    /// The waiting thread that wakes up from time to time.
    watcher: Option<Tid>,
    /// The waiting thread that spins.
    spinner: Option<Tid>,
    /// Whether threads may spin: there is another processor for the one that goes on.
    may_spin: bool,
    /// The thread of the library that runs an operation.
    in_hand: Option<Tid>,
    /// The actor whose turn it is, until it goes on.
    turn: Option<Turn>,
    /// A number that changes when an actor begins or ends a turn, or a stream has work.
    progress: u64,
    /// True if nothing could go on at the latest check.
    is_stuck: bool,
    stopping: bool,
    #[cfg(test)]
    wakes: tests::Wakes,
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
    bell: Arc<Bell>,
}

/// An actor that can go on, and its operation or call.
type Candidate = (Actor, Turn, &'static str);

impl Schedule {
    /// Begins the schedule, and its log.
    pub fn new(mut settings: Settings) -> Result<Self> {
        // Without this file the system does not show what threads do.
        if let Err(error) = fs::read_to_string("/proc/thread-self/syscall") {
            return Err(Fault::unsupported(format!(
                "PORTACL_SCHEDULE needs /proc/thread-self/syscall, which this process cannot read ({error}); mount /proc, \
                 use a kernel or container that has this file, or unset PORTACL_SCHEDULE"
            )));
        }
        let log = settings.log.take().map(|path| {
            let text = |why| format!("PORTACL_SCHEDULE_LOG: {} cannot be written: {why}", path.display());
            OutputFile::create(&path).map_err(|why| Fault::unsupported(text(why)))
        });
        Ok(Self {
            state: Mutex::new(Scheduler {
                policy: Policy::new(settings),
                log: log.transpose()?,
                threads: Threads::default(),
                numbers: HashMap::new(),
                ready: Vec::new(),
                parked: BTreeMap::new(),
                idle: BTreeMap::new(),
                watcher: None,
                spinner: None,
                may_spin: available_parallelism().is_ok_and(|processors| processors.get() > 1),
                in_hand: None,
                turn: None,
                progress: 0,
                is_stuck: false,
                stopping: false,
                #[cfg(test)]
                wakes: tests::Wakes::default(),
            }),
            entering: AtomicUsize::new(0),
        })
    }

    /// Waits for the turn of a thread that begins a call.
    pub fn call(&self, name: &'static str) {
        self.park(None, name, None);
    }

    /// Waits inside a call until `done`, or until the deadline has passed and nothing else can go on. Returns `None` if
    /// the schedule has ended.
    pub fn wait(&self, done: &(dyn Fn() -> bool + Sync), deadline: Option<Instant>) -> Option<Wait> {
        // SAFETY: `park` forgets the condition before it returns, also if it panics.
        let condition = unsafe { Condition::new(done, deadline) };
        let holds = self.park(None, "waits", Some(condition))?;
        Some(if holds { Wait::Done } else { Wait::TimedOut })
    }

    /// Adds a stream that has an operation to run. The stream is not listed already.
    pub fn add(&self, stream: u64, operation: &'static str) {
        let mut state = self.lock();
        state.ready.push((stream, operation));
        state.policy.note_work();
        state.progress += 1;
        // Otherwise the thread that has enqueued the operation begins the next turn when it waits.
        if std::mem::take(&mut state.is_stuck) {
            state.call_watcher();
        }
    }

    /// Waits, on a thread of the library, for a turn of a stream. The caller must run the stream and then call
    /// [`Self::end_turn`]. Returns `None` if the schedule has ended.
    pub fn next(&self) -> Option<u64> {
        let (me, bell) = (thread_number(), Arc::<Bell>::default());
        let (mut state, mut has_spun) = (self.lock(), false);
        state.idle.insert(me, Arc::clone(&bell));
        let stream = loop {
            if state.stopping {
                break None;
            }
            if let Some(Turn::Stream(stream)) = state.turn {
                state.turn = None;
                state.in_hand = Some(me);
                break Some(stream);
            }
            self.pause(&mut state, me, &bell, &mut has_spun);
        };
        state.idle.remove(&me);
        state.pass_watch();
        stream
    }

    /// Ends the turn of an operation that is complete. The caller calls [`Self::next`] now, which begins another turn.
    pub fn end_turn(&self) {
        let mut state = self.lock();
        state.in_hand = None;
        state.progress += 1;
    }

    /// Ends the turn of an operation that calls user code now: its thread is like one of the program.
    pub fn begin_user_code(&self) {
        self.end_turn();
        self.lock().call_watcher();
    }

    /// Waits for the turn of an operation whose user code has returned.
    pub fn end_user_code(&self, stream: u64) {
        self.park(Some(stream), "returns", None);
        self.lock().in_hand = Some(thread_number());
    }

    /// Ends the schedule: nothing waits for turns any more.
    pub fn stop(&self) {
        let mut state = self.lock();
        state.stopping = true;
        state.waiters().for_each(|(_, bell)| bell.ring());
    }

    fn lock(&self) -> MutexGuard<'_, Scheduler> {
        self.entering.fetch_add(1, Ordering::SeqCst);
        let state = self.state.lock();
        self.entering.fetch_sub(1, Ordering::SeqCst);
        state
    }

    /// Waits for a turn of this thread. Returns whether its condition held when the turn began, or `None` if the
    /// schedule has ended.
    fn park(&self, stream: Option<u64>, doing: &'static str, condition: Option<Condition>) -> Option<bool> {
        let (me, bell, mut has_spun) = (thread_number(), Arc::<Bell>::default(), false);
        let mut place = ParkedThread { me, state: self.lock() };
        let state = &mut place.state;
        state.progress += 1;
        state.parked.insert(me, Parked { stream, doing, condition, bell: Arc::clone(&bell) });
        while state.turn != Some(Turn::Thread(me)) && !state.stopping {
            self.pause(state, me, &bell, &mut has_spun);
        }
        let condition = state.parked.get(&me).and_then(|parked| parked.condition.as_ref());
        let holds = condition.is_some_and(|condition| condition.holds);
        state.turn.take_if(|turn| *turn == Turn::Thread(me)).map(|_| holds)
    }

    /// Begins the next turn if it is time for it. Otherwise waits until this thread is woken, or, if it is the watcher,
    /// until it may be time. The first time it only spins.
    fn pause(&self, state: &mut MutexGuard<'_, Scheduler>, me: Tid, bell: &Bell, has_spun: &mut bool) {
        let Some(mut again) = state.grant_turn(&self.entering) else { return };
        if !std::mem::replace(has_spun, true) && state.may_spin && state.spinner.is_none() {
            state.spinner = Some(me);
            bell.spin(state);
            state.spinner.take_if(|spinner| *spinner == me);
            return;
        }
        let watches = *state.watcher.get_or_insert(me) == me;
        let mut before = state.progress;
        loop {
            let has_rung = bell.sleep(state, watches.then_some(again));
            #[cfg(test)]
            state.wakes.note(has_rung);
            if has_rung || state.progress == before || state.turn.is_some() || state.stopping {
                break;
            }
            (before, again) = (state.progress, (again * 2).clamp(LATER, LATEST));
        }
        state.watcher.take_if(|watcher| *watcher == me);
    }
}

/// A thread that waits for its turn, and the locked state. It is no longer there after the end of this, whatever the
/// reason.
struct ParkedThread<'a> {
    me: Tid,
    state: MutexGuard<'a, Scheduler>,
}

impl Drop for ParkedThread<'_> {
    fn drop(&mut self) {
        self.state.parked.remove(&self.me);
        self.state.pass_watch();
    }
}

impl Scheduler {
    /// Returns the threads that wait.
    fn waiters(&self) -> impl Iterator<Item = (Tid, &Bell)> {
        let parked = self.parked.iter().map(|(tid, parked)| (*tid, &*parked.bell));
        parked.chain(self.idle.iter().map(|(tid, bell)| (*tid, &**bell)))
    }

    /// Lets another thread watch if the one that has watched goes on.
    fn pass_watch(&self) {
        if self.watcher.is_none()
            && let Some((_, bell)) = self.waiters().next()
        {
            bell.ring();
        }
    }

    /// Makes the watcher check at once.
    fn call_watcher(&self) {
        let Some(watcher) = self.watcher else { return };
        let idle = self.idle.get(&watcher);
        let bell = self.parked.get(&watcher).map(|parked| &parked.bell).or(idle);
        bell.into_iter().for_each(|bell| bell.ring());
    }

    /// Begins the next turn. If it cannot, returns the time after which to try again.
    fn grant_turn(&mut self, entering: &AtomicUsize) -> Option<Duration> {
        if self.turn.is_some() || self.in_hand.is_some() || self.stopping {
            return Some(LATER);
        }
        let (parked, idle) = (&self.parked, &self.idle);
        let is_known = |tid| parked.contains_key(&tid) || idle.contains_key(&tid);
        // The order of the checks matters: a thread that enters between them was running.
        if !self.threads.are_quiet(parked.len() + idle.len(), is_known) || entering.load(Ordering::SeqCst) > 0 {
            return Some(LOOK);
        }
        self.parked.values_mut().filter_map(|parked| parked.condition.as_mut()).for_each(Condition::check);
        let mut candidates = self.candidates(false);
        if candidates.is_empty() {
            candidates = self.candidates(true);
        }
        if candidates.is_empty() {
            // A timer, another process or a thread outside of the library must do something.
            self.is_stuck = true;
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
        self.progress += 1;
        self.is_stuck = false;
        let next = match turn {
            Turn::Thread(tid) => self.parked.get(&tid).map(|parked| (tid, &parked.bell)),
            // The one that spins is awake.
            Turn::Stream(_) => {
                let spinner = self.spinner.and_then(|tid| self.idle.get(&tid).map(|bell| (tid, bell)));
                spinner.or_else(|| self.idle.first_key_value().map(|(tid, bell)| (*tid, bell)))
            }
        };
        if let Some((tid, bell)) = next {
            bell.ring();
            // Another one may spin already.
            self.spinner.take_if(|spinner| *spinner == tid);
        }
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
            notice_once(&format!("PORTACL_SCHEDULE_LOG is incomplete from here on: {why}"));
            self.log = None;
        }
    }
}

#[cfg(test)]
mod tests;
