//! The protocol of the socket: one request and one answer, one packet each.

use super::{Key, Kind, MOST_BYTES};

/// Begins requests and answers. Processes with different versions share nothing.
const MAGIC: [u8; 8] = *b"portacl1";
const HEAD: usize = 16;
/// Bytes of a request: the header, the offer, and the secret.
pub(super) const REQUEST: usize = HEAD + 24;
/// Bytes of the longest packet.
pub(super) const MOST: usize = HEAD + MOST_BYTES;

/// A request for an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Request {
    /// A [`Kind`], or any other number.
    pub(super) kind: u32,
    pub(super) short: u32,
    /// Of a key that was a text.
    secret: Option<u128>,
}

impl Request {
    pub(super) fn new(kind: Kind, key: &Key) -> Self {
        Self { kind: kind as u32, short: key.short, secret: key.secret() }
    }

    /// Whether it names the same offer as this key.
    pub(super) fn asks_for(&self, key: &Key) -> bool {
        self.short == key.short && (self.secret.is_none() || self.secret == key.secret())
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

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// The bytes; a descriptor is sent beside them. Leased: an object is kept for the peer as long as the connection is
    /// open.
    Parcel { bytes: Vec<u8>, is_leased: bool },
    /// There is no such offer.
    Unknown,
    /// It is of another kind.
    OtherKind,
    /// This process, as it is known to the server, is not on the list.
    NotAdmitted(i32),
    /// A system call that the answer needs has failed: why.
    Trouble(String),
}

impl Answer {
    /// The answer after this failure.
    pub(super) fn trouble(error: &std::io::Error) -> Self {
        let mut why = error.to_string();
        while why.len() > MOST_BYTES {
            why.pop();
        }
        Self::Trouble(why)
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let (tag, number, rest): (u32, i32, &[u8]) = match self {
            Self::Parcel { bytes, is_leased } => (0, i32::from(*is_leased), bytes),
            Self::Unknown => (1, 0, &[]),
            Self::OtherKind => (2, 0, &[]),
            Self::NotAdmitted(process) => (3, *process, &[]),
            Self::Trouble(why) => (4, 0, why.as_bytes()),
        };
        [&MAGIC[..], &tag.to_le_bytes(), &number.to_le_bytes(), rest].concat()
    }

    /// Parses it; the error says what is wrong.
    pub(super) fn from_bytes(bytes: &[u8]) -> Result<Self, &'static str> {
        const NONE: &str = "what the other process answers is not of this version of the library; both \
                            processes need the same";
        let (head, rest) = bytes.split_at_checked(HEAD).ok_or(NONE)?;
        ensure!(head[..8] == MAGIC, NONE);
        let number = i32::from_le_bytes(head[12..].try_into().expect("4 bytes"));
        match u32::from_le_bytes(head[8..12].try_into().expect("4 bytes")) {
            0 => Ok(Self::Parcel { bytes: rest.to_vec(), is_leased: number != 0 }),
            1 => Ok(Self::Unknown),
            2 => Ok(Self::OtherKind),
            3 => Ok(Self::NotAdmitted(number)),
            4 => Ok(Self::Trouble(String::from_utf8_lossy(rest).into_owned())),
            _ => Err(NONE),
        }
    }
}
