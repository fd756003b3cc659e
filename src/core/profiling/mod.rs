//! Profiling: the devices that are recorded, the times, and the file. `backend::trace` does the recording.

mod gauges;
mod prof_folder;
pub mod prof_range;
pub mod prof_stamp;
pub mod prof_step;
pub mod prof_trace;

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;

use crate::algo::host::output_path;
use crate::backend::trace;
use crate::base::config::Environment;
use crate::base::error::{Code, Error, Result, error_with, invalid_param, param_invalid, unsupported};
use crate::base::gate::{self, Attendant};
use crate::base::handles::{self, Object};
use crate::runtime::{self, thread};

/// The devices that a program wants to be recorded.
pub struct Config {
    /// The devices, as [`trace::bit`]s.
    devices: u64,
}

handles::object!(Config, ProfilingConfig);

/// The state between aclprofInit and aclprofFinalize.
struct Profiler {
    folder: PathBuf,
    /// Maximum number of bytes of the file.
    limit: Option<u64>,
    /// The configurations that are started, in that order, and their devices.
    started: Vec<(u64, u64)>,
    /// True once it has recorded something. Its options cannot change any more.
    has_begun: bool,
}

struct OpenProfiler {
    profiler: Option<Profiler>,
    /// True if `PORTACL_TRACE` has opened the trace, which then covers all devices and ends with the session.
    of_session: bool,
}

static STATE: Mutex<OpenProfiler> = Mutex::new(OpenProfiler { profiler: None, of_session: false });

/// Opens the trace for a session that is about to begin, all of which `PORTACL_TRACE` selects.
pub(crate) fn begin_with_session(environment: &Environment) -> Result<()> {
    trace::show_python(environment.trace_python);
    let Some(path) = &environment.trace else { return Ok(()) };
    let mut state = STATE.lock();
    if !state.of_session {
        // What aclprofStart has recorded before the session is in a file of its own, and complete.
        trace::close();
        open(path, None, "PORTACL_TRACE: the file")?;
    }
    state.of_session = true;
    record(u64::MAX);
    Ok(())
}

/// Ends the recording and the trace's thread, at the end of a session.
pub(crate) fn end_with_session() {
    let mut state = STATE.lock();
    state.of_session = false;
    gate::attend(Attendant::Trace, false);
    if let Some(profiler) = &mut state.profiler {
        profiler.started.clear();
    }
    trace::close();
}

/// Records the work of these devices, and the calls of all threads while there are any devices.
fn record(devices: u64) {
    gate::attend(Attendant::Trace, devices != 0);
    trace::record(devices);
}

fn open(path: &Path, limit: Option<u64>, what: &str) -> Result<()> {
    trace::open(path, limit, gauges::report).map_err(|why| {
        let shown = path.display();
        // The system has no memory for the thread that writes it, or refuses the thread.
        let is_refused = matches!(why.kind(), ErrorKind::OutOfMemory | ErrorKind::WouldBlock);
        let code = if is_refused { Code::BadAlloc } else { Code::InvalidFile };
        error_with!(code, "{what} \"{shown}\" cannot be written: {why}")
    })
}

fn not_begun() -> Error {
    Error::new(Code::ProfNotRun, "profiling has not begun; call aclprofInit first")
}

/// Implements aclprofInit.
pub fn init(folder: &Path) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let mut state = STATE.lock();
    if state.profiler.is_some() {
        return Err(Error::new(Code::ProfAlreadyRun, "aclprofInit was called before; call aclprofFinalize first"));
    }
    output_path::create_folders(folder).map_err(|why| {
        error_with!(Code::InvalidFile, "profilerResultPath \"{}\" cannot be created: {why}", folder.display())
    })?;
    let folder = prof_folder::inside(folder).unwrap_or_else(|| folder.to_owned());
    state.profiler = Some(Profiler { folder, limit: None, started: Vec::new(), has_begun: false });
    Ok(())
}

/// Implements aclprofFinalize: stops what was started, and completes the file.
pub fn finalize() -> Result<()> {
    thread::refuse_inside_host_function()?;
    let mut state = STATE.lock();
    ensure!(state.profiler.take().is_some(), not_begun());
    if !state.of_session {
        gate::attend(Attendant::Trace, false);
        trace::close();
    }
    Ok(())
}

/// The option of `aclprofConfigType` that has an effect here.
const STORAGE_LIMIT: i32 = 1;
/// The largest option. Of the smaller numbers only 2 is no option.
const PATH: i32 = 16;

/// Implements aclprofSetConfig.
pub fn set_option(option: i32, text: &OsStr) -> Result<()> {
    let shown = text.display();
    let state = &mut *STATE.lock();
    let profiler = state.profiler.as_mut().ok_or_else(not_begun)?;
    if !matches!(option, STORAGE_LIMIT | 3..=PATH) {
        return Err(invalid_param!("configType is {option}; allowed: ACL_PROF_STORAGE_LIMIT 1 and ACL_PROF_PATH 16"));
    }
    if !matches!(option, STORAGE_LIMIT | PATH) {
        return Err(unsupported!(
            "configType is {option}, which is not supported here; allowed: ACL_PROF_STORAGE_LIMIT 1 and ACL_PROF_PATH \
             16"
        ));
    }
    if profiler.has_begun {
        return Err(Error::new(
            Code::ProfAlreadyRun,
            "aclprofStart was called before; set options between aclprofInit and the first aclprofStart",
        ));
    }
    if option == PATH {
        output_path::create_folders(text.as_ref())
            .map_err(|why| error_with!(Code::InvalidFile, "config \"{shown}\" cannot be created as a folder: {why}"))?;
        profiler.folder = text.into();
        return Ok(());
    }
    let text = text.to_string_lossy();
    let digits = text.strip_suffix("MB").unwrap_or(&text);
    let number = digits.parse::<u64>().ok();
    let megabytes = number.filter(|number| (1..=u64::MAX >> 20).contains(number)).ok_or_else(|| {
        invalid_param!(
            "config is \"{text}\" for ACL_PROF_STORAGE_LIMIT; allowed: from 1 to {} megabytes, as in \"200MB\"",
            u64::MAX >> 20
        )
    })?;
    profiler.limit = Some(megabytes << 20);
    Ok(())
}

/// Maximum number of devices of a description.
const MOST_DEVICES: u32 = 1024;

/// Checks how many devices a program names.
pub fn check_count(count: u32) -> Result<()> {
    let allowed = 1..=MOST_DEVICES;
    ensure!(
        allowed.contains(&count),
        invalid_param!("deviceNums is {count}; allowed: from 1 to {MOST_DEVICES} devices")
    );
    Ok(())
}

/// Implements aclprofCreateConfig: returns the handle. `metrics` is checked, and has no effect here.
pub fn create_config(devices: &[u32], metrics: i32) -> Result<u64> {
    ensure!(
        matches!(metrics, 0..=8 | 255),
        invalid_param!("aicoreMetrics is {metrics}; allowed: the values of aclprofAicoreMetrics, 0 to 8 and 255")
    );
    let count = runtime::device_count()?;
    if let Some(id) = devices.iter().find(|id| **id >= count) {
        return Err(error_with!(
            Code::InvalidDeviceId,
            "deviceIdList has device {id}; allowed: ids below {count}, the number of devices"
        ));
    }
    let devices = devices.iter().fold(0, |bits, id| bits | trace::bit(*id));
    let handle = Config::table()
        .insert(Arc::new(Config { devices }))
        .ok_or_else(|| Error::no_more("profiling configurations"))?;
    Ok(handle.raw())
}

/// Implements aclprofDestroyConfig.
pub fn destroy_config(raw: u64) -> Result<()> {
    let state = STATE.lock();
    handles::get::<Config>("profilerConfig", raw)?;
    let started = state.profiler.iter().flat_map(|profiler| &profiler.started);
    if started.into_iter().any(|(started, _)| *started == raw) {
        return Err(param_invalid!("profilerConfig {raw:#x} is started; call aclprofStop with it first"));
    }
    handles::destroy::<Config>("profilerConfig", raw)
}

/// Implements aclprofStart.
pub fn start(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    let devices = handles::get::<Config>("profilerConfig", raw)?.devices;
    let OpenProfiler { profiler, of_session } = &mut *STATE.lock();
    let profiler = profiler.as_mut().ok_or_else(not_begun)?;
    ensure!(
        !profiler.started.iter().any(|(started, _)| *started == raw),
        error_with!(Code::ProfAlreadyRun, "profilerConfig {raw:#x} is started already; call aclprofStop first")
    );
    if !*of_session && !trace::is_open() {
        open(&new_file(&profiler.folder), profiler.limit, "the trace")?;
    }
    profiler.has_begun = true;
    profiler.started.push((raw, devices));
    record(profiler.wanted(*of_session));
    Ok(())
}

/// Implements aclprofStop.
pub fn stop(raw: u64) -> Result<()> {
    thread::refuse_inside_host_function()?;
    handles::get::<Config>("profilerConfig", raw)?;
    let OpenProfiler { profiler, of_session } = &mut *STATE.lock();
    let profiler = profiler.as_mut().ok_or_else(not_begun)?;
    let stopped = profiler.started.extract_if(.., |(started, _)| *started == raw).next();
    stopped.ok_or_else(|| {
        error_with!(
            Code::ProfNotRun,
            "profilerConfig {raw:#x} is not started (aclprofStop and aclFinalize stop it); call aclprofStart first"
        )
    })?;
    record(profiler.wanted(*of_session));
    Ok(())
}

impl Profiler {
    /// Returns all devices to record.
    fn wanted(&self, of_session: bool) -> u64 {
        let started = self.started.iter().fold(0, |bits, (_, devices)| bits | devices);
        if of_session { u64::MAX } else { started }
    }
}

/// Returns a file name that no other profiling of this process has.
fn new_file(folder: &Path) -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(1);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    folder.join(format!("portacl-{}-{number}.json", std::process::id()))
}
