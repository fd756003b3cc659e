//! Tests of the decorator over the CPU backend.

use std::collections::BTreeSet;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::time::Duration;

use crate::backend::fault::decorators::FaultDriver;
use crate::backend::fault::ledger::Resource;
use crate::backend::fault::plan::{Plan, Settings};
use crate::backend::fault::site::{INFALLIBLE, Site};
use crate::backend::fault::wrap;
use crate::backend::{
    Block, Calls, Copy, Device, Driver, Fault, FaultKind, Fill, Heard, HostFn, OpKind, Options, PagePolicy, Place,
    Span, Stream, StreamOptions, Wait, thread_number,
};

/// The sources of the traits.
const TRAITS: &str = concat!(
    include_str!("../../backend/lib.rs"),
    include_str!("../../backend/stream/mod.rs"),
    include_str!("../../backend/graph/mod.rs"),
    include_str!("../../backend/kernel/mod.rs"),
    include_str!("../../backend/pool/mem_pool.rs"),
    include_str!("../../backend/pool/shared_memory.rs"),
    include_str!("../../backend/memory/virtual_memory.rs")
);

/// A device of the CPU backend whose calls fail as `faults` says.
struct Bench {
    driver: Arc<dyn Driver>,
    device: Arc<dyn Device>,
    plan: Arc<Plan>,
}

fn cpu_driver() -> Arc<dyn Driver> {
    let options = Options { devices: Some(2), memory_per_device: Some(64 << 20), ..Default::default() };
    crate::open(options).unwrap()
}

impl Bench {
    fn new(faults: &str) -> Self {
        let plan = Arc::new(Plan::new(Settings::parse(Some(faults), None).unwrap()));
        let driver: Arc<dyn Driver> = Arc::new(FaultDriver { inner: cpu_driver(), plan: Arc::clone(&plan) });
        let device = driver.open(0).unwrap();
        Self { driver, device, plan }
    }

    fn stream(&self) -> Arc<dyn Stream> {
        self.device.create_stream(StreamOptions::default()).unwrap()
    }

    fn block(&self) -> Block {
        self.device.alloc(4096, PagePolicy::NormalOnly).unwrap()
    }
}

fn span(block: Block) -> Span {
    Span { addr: block.addr, len: 4096, place: Place::Device(0) }
}

fn failed(fault: &Fault, kind: FaultKind, text: &str) {
    assert_eq!(fault.kind(), kind);
    assert!(fault.text().contains(text), "{}", fault.text());
}

/// Converts `TwoWords` to `two_words`.
fn snake_case(title: &str) -> String {
    let mut snake = String::new();
    for c in title.chars() {
        if c.is_uppercase() && !snake.is_empty() {
            snake.push('_');
        }
        snake.extend(c.to_lowercase());
    }
    snake
}

/// Returns the methods of the traits in `source`, as `trait.method`.
fn methods(source: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for part in source.split("\npub trait ").skip(1) {
        let body = part.split("\n}").next().unwrap();
        let noun = snake_case(body.split([':', ' ']).next().unwrap());
        let methods = body.lines().filter_map(|line| line.strip_prefix("    fn "));
        found.extend(methods.map(|method| format!("{noun}.{}", method.split(['(', '<']).next().unwrap())));
    }
    found
}

/// Returns the declaration of `method` in its decorator, or `None` if there is none.
fn decorator(method: &str) -> Option<&'static str> {
    let (noun, name) = method.split_once('.').unwrap();
    let words = noun.split('_').map(|word| word[..1].to_uppercase() + &word[1..]);
    let title: String = words.collect();
    let methods = include_str!("../../backend/fault/decorators.rs")
        .split(&format!(": {title} for Fault"))
        .nth(1)?
        .split("\n}")
        .next()?;
    methods.split(&format!("\n    fn {name}(")).nth(1)?.split(';').next()
}

#[test]
fn every_method_of_the_traits_is_a_site_or_cannot_fail() {
    let mut methods = methods(TRAITS);
    methods.extend(OpKind::ALL.iter().map(|kind| kind.name().to_owned()));
    assert!(methods.contains("driver.open") && methods.len() > 30, "{methods:?}");
    let sites = Site::all().map(|site| site.name.to_owned());
    let infallible = INFALLIBLE.iter().map(|(method, _)| (*method).to_owned());
    let listed: Vec<String> = sites.chain(infallible).collect();
    assert_eq!(listed.iter().cloned().collect::<BTreeSet<_>>(), methods);
    assert_eq!(listed.len(), methods.len(), "something is listed twice");
}

/// Checks that every method is decorated: one with a default body would otherwise bypass the decorator.
#[test]
fn the_decorators_have_every_method_and_its_own_site() {
    // Kernels and bound launches have no decorator: backends need the objects that they created.
    let own = ["kernel.", "bound_launch."];
    for method in methods(TRAITS).into_iter().filter(|method| !own.iter().any(|noun| method.starts_with(noun))) {
        let declared = decorator(&method).unwrap_or_else(|| panic!("{method} is not decorated"));
        let Some(site) = Site::named(&method) else { continue };
        let mut words = declared.split(|c: char| !c.is_alphanumeric());
        assert!(words.any(|word| word == format!("{:?}", site.refusal)), "{method}: {declared}");
    }
}

#[test]
fn every_operation_is_a_site_of_its_own() {
    assert!(OpKind::ALL.len() > 15);
    let names: BTreeSet<_> = Site::all().map(|site| site.name).collect();
    assert_eq!(names.len(), Site::all().count());
    for kind in OpKind::ALL {
        assert_eq!(Site::named(kind.name()), Some(Site::of(*kind)));
    }
}

#[test]
fn the_list_of_methods_sees_each_trait() {
    let source = "\npub trait Driver: Send {\n    /// Says.\n    fn name(&self);\n}\n\
                  \npub trait OtherThing {\n    fn new<T>(&self) -> u8 {\n        0\n    }\n}\n";
    assert_eq!(methods(source), ["driver.name", "other_thing.new"].map(str::to_owned).into());
    assert_eq!(decorator("driver.missing"), None);
    assert_eq!(decorator("other_thing.name"), None);
}

#[test]
fn every_site_is_documented_and_no_other() {
    let document = include_str!("../../../docs/fault_injection.md");
    let table = document.split("| sites | error code |").nth(1).unwrap();
    let rows = table.lines().skip(1).take_while(|line| line.starts_with('|'));
    let quoted = rows.flat_map(|row| row.split('`').skip(1).step_by(2));
    let documented: BTreeSet<_> = quoted.filter(|word| word.contains('.')).collect();
    assert_eq!(documented, Site::all().map(|site| site.name).collect());
}

#[test]
fn the_wanted_call_fails_and_no_other() {
    let bench = Bench::new("device.alloc:2,driver.alloc_host:1");
    let first = bench.block();
    let refused = bench.device.alloc(4096, PagePolicy::NormalOnly).unwrap_err();
    failed(&refused, FaultKind::OutOfDeviceMemory, "call 2 of device.alloc");
    let third = bench.block();
    let refused = bench.driver.alloc_host(64).unwrap_err();
    failed(&refused, FaultKind::OutOfHostMemory, "call 1 of driver.alloc_host");
    assert_eq!(bench.plan.calls("device.alloc"), 3);
    assert_eq!(bench.plan.ledger.left(Resource::DeviceBlock), 2);
    for block in [first, third] {
        bench.device.free(block).unwrap();
    }
    assert_eq!(bench.plan.ledger.left(Resource::DeviceBlock), 0);
    assert_eq!(bench.plan.ledger.left(Resource::HostBlock), 0);
}

#[test]
fn objects_that_were_not_released_are_counted() {
    let bench = Bench::new("device.free:1");
    let (kept, forgotten) = (bench.block(), bench.block());
    failed(&bench.device.free(kept).unwrap_err(), FaultKind::Driver, "device.free");
    assert_eq!(bench.plan.ledger.left(Resource::DeviceBlock), 1, "the one that was forgotten");
    bench.device.free(forgotten).unwrap();
    assert_eq!(bench.plan.ledger.left(Resource::DeviceBlock), 0);
    let stream = bench.stream();
    assert_eq!(bench.plan.ledger.left(Resource::Stream), 1);
    drop(stream);
    assert_eq!(bench.plan.ledger.left(Resource::Stream), 0);
    let event = bench.device.create_event(true).unwrap();
    assert_eq!(bench.plan.ledger.left(Resource::Event), 1);
    drop(event);
    assert_eq!(bench.plan.ledger.left(Resource::Event), 0);
}

/// Counts its calls in the number that it gets.
unsafe extern "C" fn count(argument: *mut c_void) {
    // SAFETY: the tests pass a counter that lives longer than the stream's work.
    unsafe { &*argument.cast::<AtomicUsize>() }.fetch_add(1, Ordering::SeqCst);
}

fn counting(counter: &AtomicUsize) -> HostFn {
    // SAFETY: `count` takes a pointer to this counter, which outlives the stream that calls it.
    unsafe { HostFn::new(count, std::ptr::from_ref(counter).cast_mut().cast()) }
}

#[test]
fn an_operation_fails_when_its_turn_comes() {
    let bench = Bench::new("stream.fill:2:later,stream.host_fn:1:later");
    let (heard, block) = (Arc::new(Heard::default()), bench.block());
    let stream = bench.device.create_stream(heard.options()).unwrap();
    let counter = AtomicUsize::new(0);
    for value in 1..=2 {
        stream.fill(Fill::bytes(span(block), value)).unwrap();
    }
    stream.host_fn(counting(&counter)).unwrap();
    stream.host_fn(counting(&counter)).unwrap();
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    let failures = heard.take();
    for (failure, (position, call)) in
        failures.iter().zip([(2, "call 2 of stream.fill"), (3, "call 1 of stream.host_fn")])
    {
        failed(&failure.fault, FaultKind::Execution, call);
        assert_eq!(failure.position, Some(position));
        assert_eq!(failure.thread, Some(thread_number()));
    }
    assert_eq!(failures.len(), 2);
    assert_eq!(counter.load(Ordering::SeqCst), 1, "the first host function is not called");
    let mut read = [0u8; 4096];
    let addr = read.as_mut_ptr().addr();
    let dst = Span { addr, len: read.len(), place: Place::Pageable };
    bench.device.copy(Copy { dst, src: span(block), stage_source: false }).unwrap();
    assert_eq!(read, [1; 4096], "what failed did nothing");
}

#[test]
fn an_abandoned_stream_takes_its_failures_along() {
    let bench = Bench::new("stream.fill:1:later");
    let (heard, block) = (Arc::new(Heard::default()), bench.block());
    let [blocker, stream] = [0, 1].map(|_| bench.device.create_stream(heard.options()).unwrap());
    let event = bench.device.create_event(false).unwrap();
    let (gate, opened) = channel::<()>();
    let wait = move || assert!(opened.recv().is_err());
    blocker.host_fn(HostFn::from_closure(wait)).unwrap();
    blocker.record(&event).unwrap();
    stream.wait(&event, None).unwrap();
    stream.fill(Fill::bytes(span(block), 1)).unwrap();
    stream.abandon();
    drop(gate);
    assert_eq!(blocker.synchronize(None).unwrap(), Wait::Done);
    assert_eq!(stream.synchronize(None).unwrap(), Wait::Done);
    assert_eq!(heard.take(), []);
}

#[test]
fn events_work_through_the_decorator() {
    let bench = Bench::new("event.elapsed_ms:2,event.synchronize:2,event.is_complete:3");
    let stream = bench.stream();
    let [start, end] = [0, 1].map(|_| bench.device.create_event(true).unwrap());
    stream.record(&start).unwrap();
    stream.record(&end).unwrap();
    assert_eq!(end.synchronize(None).unwrap(), Wait::Done);
    assert!(end.elapsed_ms(&*start).unwrap() >= 0.0);
    assert!(end.is_complete().unwrap() && start.is_complete().unwrap());
    failed(&end.elapsed_ms(&*start).unwrap_err(), FaultKind::Driver, "event.elapsed_ms");
    failed(&end.synchronize(None).unwrap_err(), FaultKind::Driver, "event.synchronize");
    failed(&end.is_complete().unwrap_err(), FaultKind::Driver, "event.is_complete");
    let stranger = cpu_driver().open(0).unwrap().create_event(true).unwrap();
    failed(&stream.record(&stranger).unwrap_err(), FaultKind::Driver, "not created under PORTACL_FAULT");
}

#[test]
fn a_failing_close_closes_the_device() {
    let bench = Bench::new("device.close:1");
    failed(&bench.device.close().unwrap_err(), FaultKind::Driver, "device.close");
    assert_eq!(bench.plan.ledger.left(Resource::Device), 0);
    let again = bench.driver.open(0).unwrap();
    assert_eq!(bench.plan.ledger.left(Resource::Device), 1);
    again.close().unwrap();
    assert_eq!(bench.plan.ledger.left(Resource::Device), 0);
}

#[test]
fn mistakes_in_the_list_say_what_is_allowed() {
    for (list, says) in [
        ("device.aloc:1", "device.alloc"),
        ("device.alloc", "from 1 on"),
        ("device.alloc:0", "from 1 on"),
        ("device.alloc:x", "from 1 on"),
        ("device.alloc:1:now", "device.alloc:1:later"),
        ("device.alloc:1:later", "without :later, which only these sites accept: stream.copy"),
        ("device.alloc:1,,device.free:1", "SITE:N"),
    ] {
        let said = Settings::parse(Some(list), None).unwrap_err();
        assert!(said.contains(says), "{list}: {said}");
    }
    assert_eq!(Settings::parse(None, None).unwrap(), Settings::default());
}

/// Checks the report. Only this test uses the plan of the process.
#[test]
fn the_report_counts_calls_and_objects_of_several_sessions() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("counts");
    let settings = Settings::parse(Some("device.alloc:2"), Some(path.clone())).unwrap();
    for life in 1..=2 {
        let driver = wrap(cpu_driver(), &settings);
        let device = driver.open(1).unwrap();
        let allocated = device.alloc(512, PagePolicy::NormalOnly);
        assert_eq!(allocated.is_ok(), life == 1, "calls are counted on");
        device.close().unwrap();
        assert!(driver.shutdown(Duration::from_secs(20)));
    }
    let report = std::fs::read_to_string(&path).unwrap();
    for line in [
        "backend cpu ended",
        "failed 1",
        "calls driver.open 2",
        "calls device.alloc 2",
        "calls stream.copy 0",
        "objects device made 2 released 2 kept 0",
        "objects device-block made 1 released 0 kept 0",
    ] {
        assert!(report.lines().any(|found| found == line), "{line} is not in\n{report}");
    }
}
