//! What is told of failures where something ends: it ends in any case, and its end tells the first
//! failure on the way that nobody was told of before.

use crate::core::base::error::{Code, Error, Result};

/// How an end goes.
#[derive(Debug, Default)]
pub struct TeardownErrors {
    /// Something had not finished when the time was over.
    pub timed_out: bool,
    failure: Option<Error>,
}

impl TeardownErrors {
    /// An end that the deadline came before.
    pub fn too_late() -> Self {
        Self { timed_out: true, failure: None }
    }

    /// A step of it, whose failure is to be told.
    pub fn step<E: Into<Error>>(&mut self, outcome: std::result::Result<(), E>) {
        if let (None, Err(error)) = (&self.failure, outcome) {
            self.failure = Some(error.into());
        }
    }

    /// As [`Self::step`], on a device that may have failed: then it refuses everything, as every call
    /// before has told, and its end is what heals it.
    pub fn step_on_device<E: Into<Error>>(&mut self, outcome: std::result::Result<(), E>) {
        match outcome.map_err(Into::into) {
            Err(error) if error.code() == Code::AicoreException => {}
            outcome => self.step(outcome),
        }
    }

    /// Another end that is a part of this one.
    pub fn merge(&mut self, other: Self) {
        self.timed_out |= other.timed_out;
        self.step(other.failure.map_or(Ok(()), Err));
    }

    /// The result of the call that ended something: `done` says what has happened all the same.
    pub fn into_result(self, done: impl std::fmt::Display) -> Result<()> {
        let Some(error) = self.failure else { return Ok(()) };
        Err(Error::new(
            error.code(),
            format_args!("{done}, but something failed on the way: {}", error.text()),
        ))
    }
}
