//! Ranges for operators with their tensors, marks in streams, and ids for names.

use std::collections::HashMap;

use parking_lot::Mutex;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::backend::trace::{self, Note};
use crate::base::error::{Code, Result, error_with, invalid_param, param_invalid};
use crate::profiling::prof_stamp::{self, LONGEST_TEXT};
use crate::stream;

/// Maximum number of names with ids.
const MOST_NAMES: usize = 64 << 10;
/// Maximum number of tensors of an operator.
pub const MOST_TENSORS: u32 = 256;

struct Names {
    by_text: FxHashMap<String, u64>,
    texts: Vec<String>,
}

static NAMES: Mutex<Names> = Mutex::new(Names { by_text: HashMap::with_hasher(FxBuildHasher), texts: Vec::new() });

/// Implements aclprofStr2Id: returns the id of a text. Ids begin at 1 and stay the same.
pub fn id_of(text: String) -> Result<u64> {
    ensure!(
        text.len() <= LONGEST_TEXT,
        invalid_param!("message has {} bytes; allowed: at most {LONGEST_TEXT}", text.len())
    );
    let names = &mut *NAMES.lock();
    if let Some(id) = names.by_text.get(&text) {
        return Ok(*id);
    }
    if names.texts.len() >= MOST_NAMES {
        return Err(error_with!(
            Code::BadAlloc,
            "{MOST_NAMES} messages have ids already, the maximum; pass one of these messages"
        ));
    }
    names.texts.push(text.clone());
    let id = names.texts.len() as u64;
    names.by_text.insert(text, id);
    Ok(id)
}

fn text_of(argument: &str, id: u64) -> Result<String> {
    let index = usize::try_from(id).ok().and_then(|id| id.checked_sub(1));
    let text = index.and_then(|index| NAMES.lock().texts.get(index).cloned());
    text.ok_or_else(|| param_invalid!("{argument} is {id}; it must come from aclprofStr2Id"))
}

/// Implements aclprofMarkEx.
pub fn mark(text: String, stream: u64) -> Result<()> {
    stream::resolve(stream)?.note(|| Note::Mark(text));
    Ok(())
}

/// A tensor of an operator.
pub struct Tensor {
    /// True if it is a result.
    pub is_output: bool,
    /// A number of aclDataType.
    pub data_type: u32,
    /// A number of aclFormat.
    pub format: u32,
    /// The dimensions.
    pub shape: Vec<u32>,
}

/// Implements aclprofRangePushEx for an operator with this number of blocks. `name` and `kind` are the numbers of its
/// name and its type.
pub fn push(name: u64, kind: u64, blocks: u32, tensors: &[Tensor]) -> Result<()> {
    let name = text_of("opNameId", name)?;
    let kind = text_of("opTypeId", kind)?;
    let mut details = Vec::new();
    if trace::is_on() {
        details.push(("type", kind));
        details.push(("blocks", blocks.to_string()));
        for (key, is_output) in [("inputs", false), ("outputs", true)] {
            let tensors = tensors.iter().filter(|tensor| tensor.is_output == is_output);
            let words: Vec<String> = tensors.map(in_words).collect();
            if !words.is_empty() {
                details.push((key, words.join(", ")));
            }
        }
    }
    prof_stamp::begin_range(name, details);
    Ok(())
}

fn in_words(tensor: &Tensor) -> String {
    let Tensor { data_type, format, shape, .. } = tensor;
    format!("{shape:?} of type {data_type}, format {format}")
}
