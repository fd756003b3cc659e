//! Steps: iterations of a program, whose ends are noted in stream order.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use parking_lot::Mutex;

use crate::algo::map::slot_table::Handle;
use crate::backend::trace::Note;
use crate::base::error::{Error, Result, arguments, param_invalid};
use crate::base::handles::{self, Object};
use crate::stream;

/// A step. While it is open it has its number, which begins at 1.
pub struct Step(Mutex<Option<u64>>);

handles::object!(Step, Step);

/// Implements aclprofCreateStepInfo.
pub fn create() -> Result<Handle> {
    Step::table().insert(Arc::new(Step(Mutex::new(None)))).ok_or_else(|| Error::no_more("steps"))
}

/// Implements aclprofDestroyStepInfo.
pub fn destroy(raw: u64) -> Result<()> {
    handles::destroy::<Step>("stepinfo", raw)
}

/// Implements aclprofGetStepTimestamp.
pub fn note(raw: u64, tag: i32, stream: u64) -> Result<()> {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let step = handles::get::<Step>("stepInfo", raw)?;
    let begins = arguments::numbered("tag", tag, &[true, false], "ACL_STEP_START 0, ACL_STEP_END 1")?;
    let stream = stream::resolve(stream)?;
    let mut open = step.0.lock();
    let number = match (begins, *open) {
        (true, None) => NEXT.fetch_add(1, Ordering::Relaxed),
        (false, Some(number)) => number,
        (true, Some(_)) => {
            return Err(param_invalid!(
                "the step of stepInfo {raw:#x} has begun already; pass ACL_STEP_END to end it first"
            ));
        }
        (false, None) => {
            return Err(param_invalid!("the step of stepInfo {raw:#x} has not begun; pass ACL_STEP_START first"));
        }
    };
    *open = begins.then_some(number);
    stream.note(|| if begins { Note::StepBegins(number) } else { Note::StepEnds(number) });
    Ok(())
}
