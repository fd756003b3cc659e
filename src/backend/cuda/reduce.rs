//! Reductions.

use super::stream::StreamState;
use crate::backend::{Fault, FaultKind, Reduce, Result};

/// Queues a reduction. The kernels for it are not in the tree yet.
pub(super) fn queue(_stream: &StreamState, _reduce: &Reduce) -> Result<()> {
    Err(Fault::new(FaultKind::Unsupported, "this build has no kernels for reductions"))
}
