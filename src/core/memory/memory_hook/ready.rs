//! Hooks that the environment selects: `PORTACL_MEMORY_HOOK`.

use std::ffi::OsString;
use std::io::{self, Write};

use parking_lot::Mutex;

use super::{DebugPrint, LineProfile, Logging, MemoryHook, Scope, create_file, list, register, report};
use crate::algo::host::notice::notice_once;
use crate::algo::host::output_file::{OutputFile, is_pipe};
use crate::algo::host::standard_stream::StandardOutput;
use crate::backend::at_exit;
use crate::base::config::ReadyHook;
use crate::base::error::Result;

/// The id of the hook that collects a profile, and the file for it.
static PROFILE: Mutex<Option<(u64, OsString)>> = Mutex::new(None);

fn name(hook: &ReadyHook) -> &'static str {
    match hook {
        ReadyHook::DebugPrint => "DebugPrintHook",
        ReadyHook::Logging(_) => "LoggingHook",
        ReadyHook::LineProfile(_) => "LineProfileHook",
    }
}

/// Registers the selected hook for all threads, unless it is registered already.
pub(crate) fn register_ready(asked: &ReadyHook) -> Result<()> {
    const FILE: &str = "PORTACL_MEMORY_HOOK: the file";
    if list().iter().any(|info| info.name == name(asked)) {
        return Ok(());
    }
    let hook: Box<dyn MemoryHook> = match asked {
        ReadyHook::DebugPrint => Box::new(DebugPrint::new(Box::new(StandardOutput))),
        ReadyHook::Logging(file) => Box::new(Logging::new(Box::new(LogFile(create_file(FILE, file)?)))),
        ReadyHook::LineProfile(file) => {
            // The file is checked now, not when the profile of a long run is to be written. A pipe is not, because its
            // reader would see its end.
            if !is_pipe(file.as_ref()) {
                create_file(FILE, file)?;
            }
            Box::new(LineProfile::new(0))
        }
    };
    let id = register(name(asked), Scope::Process, hook)?;
    if let ReadyHook::LineProfile(file) = asked {
        *PROFILE.lock() = Some((id, file.clone()));
        at_exit(write_profile);
    }
    Ok(())
}

/// A log that reports that it loses lines, because the program does not query failures of this hook.
struct LogFile(OutputFile);

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes).inspect_err(|why| {
            if why.kind() != io::ErrorKind::Interrupted {
                notice_once(&format!("the allocation log of PORTACL_MEMORY_HOOK is incomplete from here on: {why}"));
            }
        })
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Writes the profile, if the variable selected one. Later calls write it again.
pub(crate) fn write_profile() {
    let Some((id, file)) = PROFILE.try_lock().and_then(|profile| profile.clone()) else { return };
    let Ok(Some(text)) = report(id) else { return };
    let written = create_file("file", &file).map_err(|why| why.text().to_owned()).and_then(|mut to| {
        let failed = |why: io::Error| format!("file \"{}\" cannot be written: {why}", file.to_string_lossy());
        to.write_all(text.as_bytes()).map_err(failed)
    });
    if let Err(why) = written {
        notice_once(&format!("the memory profile was not written: {why}"));
    }
}
