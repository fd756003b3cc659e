//! The names of the environment variables.

use crate::algo::host::environment;
use crate::algo::host::notice::notice_once;

/// Every variable of docs/configuration.md that begins with [`PREFIX`].
const NAMES: &str = "PORTACL_BACKEND PORTACL_CANN_VERSION PORTACL_CHECK PORTACL_CHECK_EXIT PORTACL_CHECK_LIMIT \
    PORTACL_CHECK_LOG PORTACL_CHECK_REPORT PORTACL_CHECK_STACKS PORTACL_CHECK_SUPPRESS PORTACL_CHECK_WAIT_MS \
    PORTACL_CPU_ASYNC PORTACL_CPU_DEVICES PORTACL_CPU_GUARD PORTACL_CPU_MEMORY PORTACL_CPU_SEED PORTACL_FAULT \
    PORTACL_FAULT_COUNT PORTACL_FINALIZE_TIMEOUT_MS PORTACL_HCCL PORTACL_LEAK_CHECK PORTACL_LOG_LEVEL \
    PORTACL_MEMORY_HOOK PORTACL_SCHEDULE PORTACL_SCHEDULE_LOG PORTACL_SNAPSHOT_TIMEOUT_MS PORTACL_SOC_NAME PORTACL_THREAD_STACK \
    PORTACL_TRACE PORTACL_TRACE_PYTHON";
const PREFIX: &str = "PORTACL_";
/// How variables of other programs continue after the prefix: of tests, of plug-ins, and of CMake, which looks for
/// packages there.
const OTHERS: [&str; 4] = ["TEST_", "PADDLE_", "ROOT", "DIR"];

/// Writes a line to standard error for each variable that has the prefix and that the library does not know.
pub(crate) fn report_unknown() {
    let lines = environment::names().into_iter().filter_map(|name| unknown(&name));
    lines.for_each(|line| notice_once(&line));
}

/// Returns the report about a variable with this name; `None` if it is known or belongs to another program.
fn unknown(name: &str) -> Option<String> {
    let known = NAMES.split(' ');
    let rest = name.strip_prefix(PREFIX)?;
    if OTHERS.iter().any(|other| rest.starts_with(other)) || known.clone().any(|known| known == name) {
        return None;
    }
    let nearest = known.min_by_key(|known| strsim::levenshtein(known, name))?;
    Some(format!("the environment variable {name} is unknown and has no effect; the nearest name is {nearest}"))
}

#[cfg(test)]
#[path = "names_tests.rs"]
mod tests;
