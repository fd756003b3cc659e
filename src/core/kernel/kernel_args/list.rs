//! A list of arguments, which is in library memory or in the caller's memory.

use super::known;
use crate::algo::count::Count;
use crate::algo::map::slot_table::Ref;
use crate::backend::Parameter;
use crate::base::error::{Result, arguments, invalid_param, param_invalid};
use crate::base::handles::Object;
use crate::base::host_memory;
use crate::kernel::function::Function;
use crate::kernel::kernel_launch::PlaceHolder;

/// Maximum number of bytes of arguments: the limit of a GPU's kernel.
pub(super) const MOST_BYTES: usize = 4096;

/// Alignment in bytes of the data after the arguments.
pub(super) const DATA_ALIGNMENT: usize = 64;

/// The bits above the number of an argument in its handle.
const ARGUMENT: u64 = 0x5041;

/// The header of a list.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Head {
    /// The mark of a list in the caller's memory, see [`Head::mark`].
    pub(super) mark: u64,
    pub(super) function: u64,
    /// The address of the caller's memory for arguments and data, if the list is there.
    pub room: usize,
    /// The length of that memory in bytes.
    pub room_len: usize,
    /// The bytes of arguments so far.
    pub(super) used: usize,
    /// The bytes of data so far, which begin at the end of the room.
    pub(super) taken: usize,
    /// The number of arguments so far.
    pub(super) count: usize,
    /// Maximum number of arguments.
    pub most: usize,
    pub(super) finalized: usize,
}

/// An argument.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Argument {
    offset: usize,
    size: usize,
    is_place_holder: usize,
    /// The place of its data: an offset in the room, or the index of the list's private block.
    data: usize,
    /// The bytes of its data; 0: none yet.
    data_len: usize,
}

impl Head {
    /// Returns the mark of a list at this address.
    pub fn mark(addr: usize) -> u64 {
        0x706f_7274_6163_6c5f ^ addr as u64
    }
}

/// The place of a list's bytes.
pub enum Room<'a> {
    /// The bytes are in library memory.
    Own {
        /// The arguments.
        arguments: &'a mut [u8],
        /// A block for each placeholder.
        data: &'a mut Vec<Box<[u8]>>,
    },
    /// The bytes are in the caller's memory: arguments from the beginning on, data from the end.
    Callers(&'a mut [u8]),
}

/// A list of arguments in either place.
pub struct List<'a> {
    /// Its header.
    pub head: &'a mut Head,
    /// Room for [`Head::most`] arguments.
    pub entries: &'a mut [Argument],
    /// Its bytes.
    pub room: Room<'a>,
}

/// Returns the offset of an argument whose parameter is unknown: the offset in a C structure, as far as the size
/// determines it.
fn guess_offset(used: usize, size: usize) -> usize {
    let alignment = if size.is_power_of_two() { size.min(8) } else { 8 };
    used.next_multiple_of(alignment)
}

impl List<'_> {
    /// Returns the kernel of the list, which must be loaded.
    fn function(&self) -> Result<Ref<'static, Function>> {
        let raw = self.head.function;
        Function::table().get_raw(raw).ok_or_else(|| {
            param_invalid!(
                "argsHandle is a list for kernel {raw:#x}, which was unloaded; load the kernel, and begin another list"
            )
        })
    }

    /// Adds an argument. Returns its number.
    fn add(&mut self, size: usize, is_place_holder: bool) -> Result<usize> {
        if self.head.finalized != 0 {
            return Err(param_invalid!(
                "argsHandle was finalized and takes no more arguments; change those that it has with \
                 aclrtKernelArgsParaUpdate, or begin another list"
            ));
        }
        let (index, used) = (self.head.count, self.head.used);
        let function = self.function()?;
        let offset = match known(&function) {
            None => guess_offset(used, size),
            Some(known) => {
                let (shown, count) = (&function.shown, Count(known.len(), "parameter"));
                let Parameter { offset, size: needed, .. } = *known.get(index).ok_or_else(|| {
                    param_invalid!(
                        "kernel {shown} has {count}, and argsHandle has all arguments already; call \
                         aclrtKernelArgsFinalize"
                    )
                })?;
                let what = if is_place_holder { "a placeholder has" } else { "paramSize is" };
                let [given, wanted] = [size, needed].map(|len| Count(len, "byte"));
                ensure!(
                    size == needed,
                    param_invalid!("{what} {given}; parameter {index} (counted from 0) of kernel {shown} has {wanted}")
                );
                offset
            }
        };
        let (end, most) = (offset + size, self.head.most);
        let room = match &self.room {
            Room::Own { arguments, .. } => arguments.len(),
            Room::Callers(room) => room.len() - self.head.taken,
        };
        let room = room.min(MOST_BYTES);
        if index == most || end > room {
            let (size, room, most) = (Count(size, "byte"), Count(room, "byte"), Count(most, "argument"));
            return Err(invalid_param!(
                "argument {index} (counted from 0) needs {size}, but argsHandle holds at most {most}, of {room} in \
                 all; pass fewer or smaller arguments. A list from aclrtKernelArgsInitByUserMem holds more bytes of \
                 arguments, at most {MOST_BYTES}, if actualArgsSize is larger"
            ));
        }
        self.entries[index] = Argument { offset, size, is_place_holder: is_place_holder.into(), ..Argument::default() };
        self.head.count += 1;
        self.head.used = self.head.used.max(end);
        Ok(index)
    }

    fn arguments(&mut self) -> &mut [u8] {
        match &mut self.room {
            Room::Own { arguments, .. } => arguments,
            Room::Callers(room) => room,
        }
    }

    /// Implements aclrtKernelArgsAppend: returns the handle of the argument.
    pub fn append(&mut self, value: &[u8]) -> Result<u64> {
        let index = self.add(value.len(), false)?;
        let offset = self.entries[index].offset;
        self.arguments()[offset..offset + value.len()].copy_from_slice(value);
        Ok(to_handle(index))
    }

    /// Implements aclrtKernelArgsAppendPlaceHolder: returns the handle of the argument.
    pub fn append_place_holder(&mut self) -> Result<u64> {
        self.add(size_of::<u64>(), true).map(to_handle)
    }

    /// Returns the argument behind a handle.
    fn entry(&self, handle: u64) -> Result<(usize, Argument)> {
        arguments::not_null(
            "paramHandle",
            handle,
            "pass the handle from aclrtKernelArgsAppend or aclrtKernelArgsAppendPlaceHolder",
        )?;
        let index = (handle & 0xffff_ffff).wrapping_sub(1) as usize;
        if handle >> 32 != ARGUMENT || index >= self.head.count {
            return Err(param_invalid!(
                "paramHandle {handle:#x} is not an argument of this list, which has {}; pass a handle that was \
                 returned for this list",
                Count(self.head.count, "argument")
            ));
        }
        Ok((index, self.entries[index]))
    }

    /// Implements aclrtKernelArgsGetPlaceHolderBuffer: returns the address for the data of a placeholder.
    pub fn buffer(&mut self, handle: u64, size: usize) -> Result<usize> {
        arguments::not_zero("dataSize", size, "pass the size of the placeholder's data")?;
        let (index, entry) = self.entry(handle)?;
        if entry.is_place_holder == 0 {
            return Err(param_invalid!(
                "paramHandle {handle:#x} is argument {index} (counted from 0), which is not a placeholder; append \
                 placeholders with aclrtKernelArgsAppendPlaceHolder"
            ));
        }
        if entry.data_len != 0 && entry.data_len != size {
            return Err(param_invalid!(
                "dataSize is {size}, but the buffer of argument {index} (counted from 0) has {} already; pass the same \
                 size again",
                Count(entry.data_len, "byte")
            ));
        }
        let Head { used, room_len, .. } = *self.head;
        let data = match &mut self.room {
            _ if entry.data_len != 0 => entry.data,
            Room::Own { data, .. } => {
                let mut piece = host_memory::list("bytes of dataSize", size)?;
                piece.resize(size, 0);
                data.push(piece.into());
                data.len() - 1
            }
            Room::Callers(room) => {
                let end = room.len() - self.head.taken;
                // The data are aligned in the caller's memory, which may begin at any address.
                let base = room.as_ptr().addr();
                let last = end.checked_sub(size);
                let begin = last.and_then(|last| last.checked_sub((base + last) % DATA_ALIGNMENT));
                let begin = begin.filter(|begin| *begin >= used).ok_or_else(|| {
                    invalid_param!(
                        "dataSize is {size}; allowed: at most {}, the aligned bytes that are left of the {room_len} \
                         bytes at userHostMem; begin the list with aclrtKernelArgsInitByUserMem and as many bytes as \
                         aclrtKernelArgsGetMemSize returns",
                        end.saturating_sub((base + used).next_multiple_of(DATA_ALIGNMENT) - base)
                    )
                })?;
                self.head.taken = room.len() - begin;
                begin
            }
        };
        self.entries[index] = Argument { data, data_len: size, ..entry };
        let bytes = self.data(data, size);
        Ok(bytes.as_mut_ptr().expose_provenance())
    }

    fn data(&mut self, data: usize, len: usize) -> &mut [u8] {
        match &mut self.room {
            Room::Own { data: pieces, .. } => &mut pieces[data],
            Room::Callers(room) => &mut room[data..data + len],
        }
    }

    /// Implements aclrtKernelArgsParaUpdate.
    pub fn update(&mut self, handle: u64, value: &[u8]) -> Result<()> {
        let (index, entry) = self.entry(handle)?;
        if entry.is_place_holder != 0 {
            return Err(param_invalid!(
                "paramHandle {handle:#x} is argument {index} (counted from 0), which is a placeholder; write to the \
                 buffer that aclrtKernelArgsGetPlaceHolderBuffer returns"
            ));
        }
        if entry.size != value.len() {
            let size = Count(entry.size, "byte");
            return Err(param_invalid!("paramSize is {}; argument {index} (counted from 0) has {size}", value.len()));
        }
        self.arguments()[entry.offset..entry.offset + entry.size].copy_from_slice(value);
        Ok(())
    }

    /// Implements aclrtKernelArgsFinalize.
    pub fn finalize(&mut self) -> Result<()> {
        let count = self.head.count;
        let function = self.function()?;
        let (shown, wanted) = (&function.shown, known(&function).map_or(count, <[_]>::len));
        ensure!(
            count == wanted,
            param_invalid!(
                "argsHandle has {}; kernel {shown} has {}; append the missing arguments",
                Count(count, "argument"),
                Count(wanted, "parameter")
            )
        );
        let entries = &self.entries[..count];
        if let Some(index) = entries.iter().position(|entry| entry.is_place_holder != 0 && entry.data_len == 0) {
            return Err(param_invalid!(
                "argument {index} (counted from 0) is a placeholder without data; get its buffer with \
                 aclrtKernelArgsGetPlaceHolderBuffer"
            ));
        }
        self.head.finalized = 1;
        Ok(())
    }

    /// Returns the arguments of a launch of the kernel with this handle, followed by their data, and the placeholders.
    pub fn for_launch(&mut self, function: u64) -> Result<(Vec<u8>, Vec<PlaceHolder>)> {
        if self.head.function != function {
            return Err(param_invalid!(
                "argsHandle is a list for kernel {:#x}, but funcHandle is {function:#x}; begin a list for funcHandle",
                self.head.function
            ));
        }
        if self.head.finalized == 0 {
            return Err(param_invalid!(
                "argsHandle is not complete; call aclrtKernelArgsFinalize after the last argument"
            ));
        }
        let (used, count) = (self.head.used, self.head.count);
        let data = self.entries[..count].iter().filter(|entry| entry.is_place_holder != 0);
        let all = used + data.map(|entry| entry.data_len + DATA_ALIGNMENT).sum::<usize>();
        let mut bytes: Vec<u8> = host_memory::list("bytes of kernel arguments", all)?;
        bytes.extend_from_slice(&self.arguments()[..used]);
        let mut place_holders = Vec::new();
        for index in 0..count {
            let entry = self.entries[index];
            if entry.is_place_holder == 0 {
                continue;
            }
            bytes.resize(bytes.len().next_multiple_of(DATA_ALIGNMENT), 0);
            place_holders.push(PlaceHolder { addr: entry.offset, data: bytes.len() });
            bytes.extend_from_slice(self.data(entry.data, entry.data_len));
        }
        Ok((bytes, place_holders))
    }
}

fn to_handle(index: usize) -> u64 {
    ARGUMENT << 32 | (index as u64 + 1)
}

#[cfg(test)]
#[path = "list_tests.rs"]
mod tests;
