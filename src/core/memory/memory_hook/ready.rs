//! Hooks for programs that know nothing of them: `PORTACL_MEMORY_HOOK`.

use std::ffi::OsString;
use std::io::{self, Write, stdout};

use parking_lot::Mutex;

use super::{
    DebugPrint, LineProfile, Logging, MemoryHook, Scope, create_file, list, register, report,
};
use crate::algo::host::notice::notice;
use crate::algo::host::output_file::{OutputFile, is_pipe};
use crate::backend::at_exit;
use crate::core::base::error::Result;

/// What the variable asks for, with the file it names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ready {
    /// `debug`
    DebugPrint,
    /// `log:FILE`
    Logging(OsString),
    /// `profile:FILE`
    LineProfile(OsString),
}

/// Where the profile goes, by the number of its hook.
static PROFILE: Mutex<Option<(u64, OsString)>> = Mutex::new(None);

impl Ready {
    /// What the variable may say.
    pub const ALLOWED: &str = "debug, log:FILE or profile:FILE";

    /// Reads the value of the variable; `None`: it means nothing.
    pub fn parse(value: &str) -> Option<Self> {
        match value.split_once(':') {
            None if value == "debug" => Some(Self::DebugPrint),
            Some(("log", file)) if !file.is_empty() => Some(Self::Logging(file.into())),
            Some(("profile", file)) if !file.is_empty() => Some(Self::LineProfile(file.into())),
            _ => None,
        }
    }

    fn name(&self) -> &'static str {
        match self {
            Self::DebugPrint => "DebugPrintHook",
            Self::Logging(_) => "LoggingHook",
            Self::LineProfile(_) => "LineProfileHook",
        }
    }

    /// Registers it for all threads, unless it is registered already.
    pub fn register(&self) -> Result<()> {
        const FILE: &str = "PORTACL_MEMORY_HOOK: the file";
        if list().iter().any(|info| info.name == self.name()) {
            return Ok(());
        }
        let hook: Box<dyn MemoryHook> = match self {
            Self::DebugPrint => Box::new(DebugPrint::new(Box::new(stdout()))),
            Self::Logging(file) => {
                let to = ToldFile { file: create_file(FILE, file)?, told: false };
                Box::new(Logging::new(Box::new(to)))
            }
            Self::LineProfile(file) => {
                // Told now, not when the work of a long run is to be written.
                // But for a pipe: its reader would take that for the end.
                if !is_pipe(file.as_ref()) {
                    create_file(FILE, file)?;
                }
                Box::new(LineProfile::new(0))
            }
        };
        let id = register(self.name(), Scope::Process, hook)?;
        if let Self::LineProfile(file) = self {
            *PROFILE.lock() = Some((id, file.clone()));
            at_exit(write_profile);
        }
        Ok(())
    }
}

/// A log of a program that does not ask how its hooks fare: the first line that is lost is told.
struct ToldFile {
    file: OutputFile,
    told: bool,
}

impl Write for ToldFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes);
        if let Err(why) = &written
            && why.kind() != io::ErrorKind::Interrupted
            && !std::mem::replace(&mut self.told, true)
        {
            notice(format_args!(
                "portacl: the allocation log of PORTACL_MEMORY_HOOK lacks lines from here on: {why}\n"
            ));
        }
        written
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

/// Writes the profile that the variable asked for, if it did; again whenever there is more to tell.
pub fn write_profile() {
    let Some(profile) = PROFILE.try_lock().and_then(|profile| profile.clone()) else { return };
    let (id, file) = profile;
    let Ok(Some(text)) = report(id) else { return };
    let written = create_file("the profile", &file)
        .map_err(|why| why.text().to_owned())
        .and_then(|mut to| to.write_all(text.as_bytes()).map_err(|why| why.to_string()));
    if let Err(why) = written {
        notice(format_args!("portacl: the memory profile was not written: {why}\n"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_the_variable() {
        assert_eq!(Ready::parse("debug"), Some(Ready::DebugPrint));
        assert_eq!(Ready::parse("log:/tmp/a:b"), Some(Ready::Logging("/tmp/a:b".into())));
        assert_eq!(Ready::parse("profile:x"), Some(Ready::LineProfile("x".into())));
        for wrong in ["", "log", "log:", "profile:", "debug:", "Debug", ":x", "other:x"] {
            assert_eq!(Ready::parse(wrong), None, "{wrong}");
        }
    }
}
