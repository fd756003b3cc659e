//! Defines a check of one line.

/// Returns the error from the calling function unless the condition holds, as `anyhow::ensure!` does.
#[macro_export]
macro_rules! ensure {
    ($condition:expr, $error:expr) => {
        if !$condition {
            return Err($error);
        }
    };
}
