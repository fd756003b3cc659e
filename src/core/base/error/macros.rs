//! Macros that create errors. Their texts are arguments of `format!`.

/// Creates an error with a code.
#[macro_export]
macro_rules! error_with {
    ($code:expr, $($text:tt)*) => { $crate::base::error::Error::new($code, format_args!($($text)*)) };
}

/// Error 100000: the value of an argument is invalid.
#[macro_export]
macro_rules! invalid_param {
    ($($text:tt)*) => {
        $crate::base::error::error_with!($crate::base::error::Code::InvalidParam, $($text)*)
    };
}

/// Error 107000: the object that an argument names is invalid.
#[macro_export]
macro_rules! param_invalid {
    ($($text:tt)*) => {
        $crate::base::error::error_with!($crate::base::error::Code::ParamInvalid, $($text)*)
    };
}

/// Error 207000. The text says what is missing and what to do instead.
#[macro_export]
macro_rules! unsupported {
    ($($text:tt)*) => {
        $crate::base::error::error_with!($crate::base::error::Code::FeatureNotSupport, $($text)*)
    };
}

pub use {error_with, invalid_param, param_invalid, unsupported};
