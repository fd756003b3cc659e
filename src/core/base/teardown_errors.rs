//! Errors of a teardown: a teardown always completes, and returns the first error that was not reported before.

use crate::base::error::{Code, Error, Result, error_with};

/// The result of a teardown so far.
#[derive(Debug, Default)]
pub struct TeardownErrors {
    /// A step did not complete before the deadline.
    pub timed_out: bool,
    failure: Option<Error>,
}

impl TeardownErrors {
    /// Creates the result of a teardown whose deadline had passed before it began.
    pub(crate) fn too_late() -> Self {
        Self { timed_out: true, failure: None }
    }

    /// Adds the result of a step.
    pub fn step<E: Into<Error>>(&mut self, outcome: std::result::Result<(), E>) {
        if let (None, Err(error)) = (&self.failure, outcome) {
            self.failure = Some(error.into());
        }
    }

    /// Adds the result of a step, on a device that may have failed. A failed device rejects everything. Earlier calls
    /// have reported this, and the teardown repairs it, so such errors are ignored.
    pub(crate) fn step_on_device<E: Into<Error>>(&mut self, outcome: std::result::Result<(), E>) {
        match outcome.map_err(Into::into) {
            Err(error) if error.code() == Code::AicoreException => {}
            outcome => self.step(outcome),
        }
    }

    /// Adds the result of a nested teardown.
    pub fn merge(&mut self, other: Self) {
        self.timed_out |= other.timed_out;
        self.step(other.failure.map_or(Ok(()), Err));
    }

    /// Returns the result of the call that did the teardown. `done` says what was done in spite of the error.
    pub(crate) fn into_result(self, done: impl std::fmt::Display) -> Result<()> {
        let Some(error) = self.failure else { return Ok(()) };
        Err(error_with!(error.code(), "{done}, but a step failed: {}", error.text()))
    }
}
