//! The names by which libraries of drivers are loaded, the reasons why the dynamic loader fails, and remedies.

use std::error::Error;

use crate::algo::host::environment::has_raised_privileges;

/// Returns the names under which a driver's library is tried. Usually the loader searches for it. A process with raised
/// privileges takes it only from folders of the system.
pub fn names_of(library: &str) -> Vec<String> {
    if !has_raised_privileges() {
        return vec![library.to_owned()];
    }
    let own = format!("/usr/lib/{}-linux-gnu", std::env::consts::ARCH);
    let folders = [own.as_str(), "/usr/lib64", "/usr/lib", "/usr/lib/wsl/lib"];
    folders.iter().map(|folder| format!("{folder}/{library}")).collect()
}

/// Returns the loader's reason why a library cannot be loaded.
pub fn reason(error: &libloading::Error) -> String {
    error.source().map_or_else(|| error.to_string(), ToString::to_string)
}

/// Returns the remedy for a shared object that the loader rejects for this reason.
pub fn remedy(reason: &str) -> &'static str {
    /// Parts of the loader's texts, each with its remedy.
    const REMEDIES: [(&str, &str); 9] = [
        ("position-independent executable", "link it as a shared object, with -shared"),
        ("undefined symbol", "define the symbol in the shared object, or link the library that defines it"),
        (
            "cannot open shared object file",
            "install the missing library, or add its folder to LD_LIBRARY_PATH or to the run path of the shared object \
             (-Wl,-rpath)",
        ),
        (
            "' not found (required by",
            "the shared object needs a newer version of a system library; build it on this system",
        ),
        (
            "static TLS block",
            "build the shared object, or the library that is named here, without -ftls-model=initial-exec",
        ),
        ("executable stack", "link it with -Wl,-z,noexecstack"),
        ("file too short", DAMAGED),
        ("ELF", DAMAGED),
        (
            "segment",
            "free host memory, and let this process execute the file (noexec mounts, SELinux); if the file is damaged, \
             build or copy it again",
        ),
    ];
    const DAMAGED: &str = "the file is damaged, incomplete or built for another kind of system; build or copy it again";
    let found = REMEDIES.iter().find(|(part, _)| reason.contains(part));
    found.map_or("run the program with LD_DEBUG=all to see the steps of the loader", |(_, remedy)| remedy)
}

#[cfg(test)]
#[path = "loader_tests.rs"]
mod tests;
