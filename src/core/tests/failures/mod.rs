//! Failures of enqueued work, aborts, and what they report.

mod abort;
mod exception;
mod failure;
mod failure_mode;
