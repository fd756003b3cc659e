//! The protocol of the socket: one request and one answer, one packet each.

use super::{Key, MOST_BYTES, OfferKind, Parcel};
use crate::{Fault, FaultKind, Result};

/// The prefix of requests and answers. Processes with different versions share nothing.
const MAGIC: [u8; 8] = *b"portacl3";
/// The length of a request in bytes: the prefix, kind and number of the offer, and the secret.
pub(super) const REQUEST: usize = MAGIC.len() + 32;
/// The length of the longest answer in bytes: the prefix, the kind of answer, and a parcel or a text.
pub(super) const MOST: usize = MAGIC.len() + 1 + MOST_BYTES;

/// The kind of an answer: a parcel, ...
const PARCEL: u8 = 0;
/// ... a parcel for which an object is kept as long as the connection is open, ...
const LEASED: u8 = 1;
/// ... the reason why the peer gets none, ...
const REFUSED: u8 = 2;
/// ... or the system call that failed and that the answer needs.
const TROUBLE: u8 = 3;

/// A request for an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// The number of a [`OfferKind`], or any other number.
    pub(super) kind: u32,
    pub(super) short: u32,
    /// The secret, if the key was a text.
    pub(super) secret: Option<u128>,
}

impl Request {
    pub(super) fn new(kind: OfferKind, key: &Key) -> Self {
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

    /// Parses a request. Returns `None` if it is not valid.
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

/// Returns the packet of an answer. The descriptor of a parcel is sent beside it.
pub(super) fn answer(parcel: &Result<Parcel>) -> Vec<u8> {
    let (tag, rest) = match parcel {
        Ok(Parcel { bytes, kept, .. }) => (if kept.is_some() { LEASED } else { PARCEL }, &bytes[..]),
        Err(fault) if fault.kind() == FaultKind::OutOfResources => (TROUBLE, fault.text().as_bytes()),
        Err(fault) => (REFUSED, fault.text().as_bytes()),
    };
    [&MAGIC[..], &[tag], &rest[..rest.len().min(MOST_BYTES)]].concat()
}

/// Returns the bytes in the packet of an answer, and whether they are leased.
pub(super) fn parse_answer(packet: &[u8]) -> Result<(Vec<u8>, bool)> {
    const NONE: &str = "the other process uses another version of this library; both processes need the same version";
    let tagged = packet.strip_prefix(&MAGIC).and_then(<[u8]>::split_first);
    let (tag, rest) = tagged.ok_or_else(|| Fault::invalid(NONE))?;
    match *tag {
        PARCEL | LEASED => Ok((rest.to_vec(), *tag == LEASED)),
        REFUSED => Err(Fault::invalid(String::from_utf8_lossy(rest))),
        TROUBLE => Err(Fault::new(FaultKind::OutOfResources, String::from_utf8_lossy(rest))),
        _ => Err(Fault::invalid(NONE)),
    }
}
