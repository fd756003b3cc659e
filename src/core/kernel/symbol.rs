//! Symbols: addresses in the program for variables and kernels of its binaries, one on each device.

use std::collections::BTreeMap;

use parking_lot::Mutex;

use crate::algo::count::Count;
use crate::algo::map::slot_table::Handle;
use crate::backend::{FaultKind, Span};
use crate::base::error::{Result, arguments, error_with, invalid_param, param_invalid};
use crate::base::handles::{self, Object};
use crate::base::owner::Owner;
use crate::kernel::{self, Binary};
use crate::runtime::device::Device;
use crate::runtime::thread;
use crate::transfer::memcpy;

/// The meanings of symbols, by address and opening of a device. Each has the handle of its binary, without which it is
/// invalid.
static SYMBOLS: Mutex<BTreeMap<(usize, Owner), (u64, Meaning)>> = Mutex::new(BTreeMap::new());

#[derive(Clone, Copy)]
enum Meaning {
    Variable(Span),
    /// The handle of the kernel.
    Kernel(u64),
}

/// Implements portaclRegisterSymbol: on the binary's device the symbol refers to the binary's variable or kernel with
/// this name.
pub fn register(raw: u64, symbol: usize, name: &str) -> Result<()> {
    arguments::not_null("symbol", symbol, "pass the address that identifies the symbol")?;
    thread::refuse_inside_host_function()?;
    let binary = handles::get_arc::<Binary>("binHandle", raw)?;
    let meaning = match binary.native.variable(name) {
        Ok(span) => Meaning::Variable(span),
        Err(fault) if fault.kind() == FaultKind::InvalidArgument => {
            // The backend's error for a missing kernel does not mention variables, so the text is extended.
            let kernel = kernel::function(raw, name)
                .map_err(|error| error_with!(error.code(), "the binary has no variable {name:?}; {}", error.text()))?;
            Meaning::Kernel(kernel)
        }
        Err(fault) => return Err(fault.into()),
    };
    binary.symbols.lock().insert(symbol);
    SYMBOLS.lock().insert((symbol, binary.device.owner), (raw, meaning));
    Ok(())
}

/// Removes the meanings of symbols in a binary that is unloaded.
pub(crate) fn forget_binary(raw: u64, binary: &Binary) {
    let of_binary = std::mem::take(&mut *binary.symbols.lock());
    let mut symbols = SYMBOLS.lock();
    for symbol in of_binary {
        let key = (symbol, binary.device.owner);
        if symbols.get(&key).is_some_and(|(known, _)| *known == raw) {
            symbols.remove(&key);
        }
    }
}

/// Removes meanings of symbols in all unloaded binaries.
pub(crate) fn forget_dead() {
    SYMBOLS.lock().retain(|_, (binary, _)| Binary::table().get_raw(*binary).is_some());
}

/// Returns the meaning of a symbol on a device.
fn find(symbol: usize, device: &Device) -> Option<Meaning> {
    let (binary, meaning) = *SYMBOLS.lock().get(&(symbol, device.owner))?;
    Binary::table().get_raw(binary).map(|_| meaning)
}

/// Returns the meaning of a symbol on the current device.
fn resolve(symbol: usize) -> Result<Meaning> {
    arguments::not_null("symbol", symbol, "it must be an address that portaclRegisterSymbol registered")?;
    let device = thread::current_outside_host_functions()?.device.clone();
    find(symbol, &device).ok_or_else(|| {
        param_invalid!(
            "symbol {symbol:#x} has no kernel or variable on device {}: it was not registered for a binary that is \
             loaded there; load the binary and call portaclRegisterSymbol",
            device.id
        )
    })
}

/// Implements aclrtGetSymbolSize and aclrtGetSymbolAddress: returns the variable.
pub fn span(symbol: usize) -> Result<Span> {
    match resolve(symbol)? {
        Meaning::Variable(span) => Ok(span),
        Meaning::Kernel(_) => Err(param_invalid!(
            "symbol {symbol:#x} identifies a kernel, not a variable; pass the symbol of a variable, or call \
                 aclrtGetFuncBySymbol for the kernel"
        )),
    }
}

/// Implements aclrtGetFuncBySymbol: returns the kernel's handle.
pub fn function(symbol: usize) -> Result<u64> {
    match resolve(symbol)? {
        Meaning::Kernel(function) => Ok(function),
        Meaning::Variable(_) => {
            Err(param_invalid!("symbol {symbol:#x} identifies a variable, not a kernel; use aclrtGetSymbolAddress"))
        }
    }
}

/// Returns the kernel of a `func` argument. A handle is returned as it is; a symbol becomes the handle of its kernel on
/// the current device. Other values are returned too, and the lookup of the handle then fails.
pub fn callee(func: u64) -> u64 {
    if func == 0 || Handle::from_raw(func).is_some() { func } else { callee_of_symbol(func) }
}

#[cold]
fn callee_of_symbol(func: u64) -> u64 {
    let Some(context) = thread::current_now() else { return func };
    match find(func as usize, &context.device) {
        Some(Meaning::Kernel(function)) => function,
        Some(Meaning::Variable(_)) | None => func,
    }
}

/// A part of a variable to copy.
#[derive(Clone, Copy, Debug)]
pub struct SymbolRange {
    /// The symbol of the variable.
    pub symbol: usize,
    /// The number of bytes to copy.
    pub count: usize,
    /// The offset of the bytes in the variable.
    pub offset: usize,
}

impl SymbolRange {
    /// Returns the address of the part, and the number of bytes from there to the variable's end. A part of 0 bytes is
    /// not looked up.
    fn place(self) -> Result<(usize, usize)> {
        if self.count == 0 {
            return Ok((0, 0));
        }
        let Span { addr, len, .. } = span(self.symbol)?;
        match len.checked_sub(self.offset).filter(|left| self.count <= *left) {
            Some(left) => Ok((addr + self.offset, left)),
            None => Err(invalid_param!(
                "offset {} plus count {} is past the end of the variable, which has {}; pass a smaller offset or count",
                self.offset,
                self.count,
                Count(len, "byte")
            )),
        }
    }
}

/// Implements aclrtMemcpyToSymbol, and with a stream aclrtMemcpyToSymbolAsync.
pub fn write(to: SymbolRange, src: usize, kind: i32, stream: Option<u64>) -> Result<()> {
    let (dst, dest_max) = to.place()?;
    copy(memcpy::CopyArgs { dst, dest_max, src, count: to.count, kind }, stream)
}

/// Implements aclrtMemcpyFromSymbol, and with a stream aclrtMemcpyFromSymbolAsync.
pub fn read(from: SymbolRange, dst: usize, dest_max: usize, kind: i32, stream: Option<u64>) -> Result<()> {
    let (src, _) = from.place()?;
    copy(memcpy::CopyArgs { dst, dest_max, src, count: from.count, kind }, stream)
}

fn copy(request: memcpy::CopyArgs, stream: Option<u64>) -> Result<()> {
    stream.map_or_else(|| memcpy::copy(request), |stream| memcpy::copy_async(request, stream))
}
