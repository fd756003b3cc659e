//! The protocol of the socket: one request and one answer, one packet each.

use super::{Key, Kind, MOST_BYTES, Parcel};
use crate::backend::{Fault, FaultKind, Result};

/// Begins requests and answers. Processes with different versions share nothing.
const MAGIC: [u8; 8] = *b"portacl2";
/// Bytes of a request: the prefix, kind and number of the offer, and the secret.
pub(super) const REQUEST: usize = MAGIC.len() + 32;
/// Bytes of the longest answer: the prefix, what the rest is, and a parcel or a text.
pub(super) const MOST: usize = MAGIC.len() + 1 + MOST_BYTES;

/// What an answer has: a parcel, ...
const PARCEL: u8 = 0;
/// ... one for which an object is kept as long as the connection is open, ...
const LEASED: u8 = 1;
/// ... why the peer gets none, ...
const REFUSED: u8 = 2;
/// ... or which system call has failed that the answer needs.
const TROUBLE: u8 = 3;

/// A request for an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// A [`Kind`], or any other number.
    pub(super) kind: u32,
    pub(super) short: u32,
    /// Of a key that was a text.
    pub(super) secret: Option<u128>,
}

impl Request {
    pub(super) fn new(kind: Kind, key: &Key) -> Self {
        Self { kind: kind as u32, short: key.short, secret: key.secret() }
    }

    pub(super) fn to_bytes(self) -> [u8; REQUEST] {
        let mut bytes = [0; REQUEST];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&self.kind.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.short.to_le_bytes());
        bytes[16] = u8::from(self.secret.is_some());
        bytes[24..].copy_from_slice(&self.secret.unwrap_or(0).to_le_bytes());
        bytes
    }

    /// `None`: it is no valid request.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let bytes: &[u8; REQUEST] = bytes.try_into().ok()?;
        let secret = u128::from_le_bytes(bytes[24..].try_into().expect("16 bytes"));
        let secret = match bytes[16] {
            0 => None,
            1 => Some(secret),
            _ => return None,
        };
        let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("4 bytes"));
        (bytes[..8] == MAGIC).then(|| Self { kind: word(8), short: word(12), secret })
    }
}

/// The packet of an answer. The descriptor of a parcel is sent beside it.
pub(super) fn answer(parcel: &Result<Parcel>) -> Vec<u8> {
    let (tag, rest) = match parcel {
        Ok(Parcel { bytes, kept, .. }) => (if kept.is_some() { LEASED } else { PARCEL }, &bytes[..]),
        Err(fault) if fault.kind() == FaultKind::OutOfResources => (TROUBLE, fault.text().as_bytes()),
        Err(fault) => (REFUSED, fault.text().as_bytes()),
    };
    [&MAGIC[..], &[tag], &rest[..rest.len().min(MOST_BYTES)]].concat()
}

/// The bytes in the packet of an answer, and whether they are leased.
pub(super) fn parse_answer(packet: &[u8]) -> Result<(Vec<u8>, bool)> {
    const NONE: &str = "what the other process answers is not of this version of the library; both processes need the \
                        same";
    let tagged = packet.strip_prefix(&MAGIC).and_then(<[u8]>::split_first);
    let (tag, rest) = tagged.ok_or_else(|| Fault::invalid(NONE))?;
    match *tag {
        PARCEL | LEASED => Ok((rest.to_vec(), *tag == LEASED)),
        REFUSED => Err(Fault::invalid(String::from_utf8_lossy(rest))),
        TROUBLE => Err(Fault::new(FaultKind::OutOfResources, String::from_utf8_lossy(rest))),
        _ => Err(Fault::invalid(NONE)),
    }
}
