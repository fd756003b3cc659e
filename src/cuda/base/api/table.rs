//! The macro that declares the table of the driver's functions.

/// Declares the table: `method(arguments) -> result = "symbol", "older symbol";`. The first symbol that the driver has
/// is used. Each line becomes an optional entry of `Functions`, and a method of `Api` that calls it, or fails if it
/// is missing. The driver's function takes the pointer to a result before its other arguments. `outside captures` after
/// the symbols: captures of other libraries may forbid the call, see `OutsideCaptures`.
macro_rules! driver_functions {
    ($(
        $method:ident ( $($argument:ident: $kind:ty),* $(,)? ) $(-> $result:ty)? =
            $($symbol:literal),+ $($outside:ident captures)? ;
    )*) => {
        struct Functions {
            $( $method: Option<Entry<unsafe extern "C" fn($(*mut $result,)? $($kind),*) -> c_int>>, )*
        }

        impl Functions {
            /// # Safety
            /// `library` is a CUDA driver: its functions have the declared signatures.
            unsafe fn find(library: &Library) -> Self {
                Self {
                    // SAFETY: the macro's user vouches that each symbol has the type of its method.
                    $( $method: unsafe { find(library, &[$($symbol),+]) }, )*
                }
            }
        }

        impl Api {
            $(
                /// # Safety
                /// What the driver's documentation asks for: live handles, valid memory.
                #[allow(
                    clippy::too_many_arguments,
                    unused_mut,
                    unused_parens,
                    reason = "a method has the arguments of its driver function, and perhaps a result"
                )]
                pub(crate) unsafe fn $method(&self, $($argument: $kind),*) -> Outcome<($($result)?)> {
                    let Some(entry) = &self.functions.$method else { return Err(self.missing([$($symbol),+][0])) };
                    $( let _outside = OutsideCaptures::$outside(self); )?
                    // SAFETY: results are numbers, pointers and C structures of them, of which zeros are a value.
                    let mut value: ($($result)?) = unsafe { std::mem::zeroed() };
                    // SAFETY: the method's caller keeps the contract of the driver's function, and its type was
                    // vouched for at loading. It writes a result into `value`.
                    let call = || unsafe { (entry.function)($((&raw mut value).cast::<$result>(),)? $($argument),*) };
                    let status = cancellation::without(call);
                    self.outcome(entry.symbol, status).map(|()| value)
                }
            )*
        }
    };
}
