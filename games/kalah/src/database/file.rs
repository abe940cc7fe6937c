//! Databases on disk.
//!
//! A header of 36 bytes, numbers with the low byte first, then the entries as they lie in memory:
//!
//! | bytes | what |
//! |---|---|
//! | 0..8 | `KALAH-DB` |
//! | 8..12 | the format, 1 |
//! | 12, 13 | pits of each side, stones |
//! | 14..18 | the rules: capture, end, sweep, origin, each as its place among its kind's `ALL` |
//! | 18..20 | zero |
//! | 20..28 | the number of entries |
//! | 28..32 | CRC-32 of the entries |
//! | 32..36 | CRC-32 of the bytes before |

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use dts_engine::write_whole;

use super::rank::Ranks;
use super::{Database, DatabaseError, FileFault};
use crate::{Capture, End, Origin, Rules, Sweep};

const MAGIC: &[u8; 8] = b"KALAH-DB";
const FORMAT: u32 = 1;
const HEADER: usize = 36;

struct Header {
    pits: u8,
    stones: u8,
    rules: Rules,
    count: u64,
    entries_crc: u32,
}

/// Where `value` stands in `all`.
fn code<T: PartialEq>(all: &[T], value: &T) -> u8 {
    all.iter().position(|other| other == value).unwrap_or(usize::from(u8::MAX)) as u8
}

fn at<const N: usize>(bytes: &[u8; HEADER], start: usize) -> [u8; N] {
    std::array::from_fn(|i| bytes[start + i])
}

impl Header {
    fn to_bytes(&self) -> [u8; HEADER] {
        let mut bytes = [0; HEADER];
        let rules = &self.rules;
        bytes[..8].copy_from_slice(MAGIC);
        bytes[8..12].copy_from_slice(&FORMAT.to_le_bytes());
        bytes[12] = self.pits;
        bytes[13] = self.stones;
        bytes[14] = code(Capture::ALL, &rules.capture);
        bytes[15] = code(End::ALL, &rules.end);
        bytes[16] = code(Sweep::ALL, &rules.sweep);
        bytes[17] = code(Origin::ALL, &rules.origin);
        bytes[20..28].copy_from_slice(&self.count.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.entries_crc.to_le_bytes());
        let crc = crc32fast::hash(&bytes[..32]);
        bytes[32..].copy_from_slice(&crc.to_le_bytes());
        bytes
    }

    /// Reads the header of a file that begins with `bytes` and is `length` bytes long.
    fn from_bytes(bytes: &[u8], length: u64) -> Result<Header, FileFault> {
        if bytes.len() < MAGIC.len() || &bytes[..MAGIC.len()] != MAGIC {
            return Err(FileFault::Foreign);
        }
        let Ok(bytes): Result<&[u8; HEADER], _> = bytes.try_into() else {
            return Err(FileFault::Length { found: length, wanted: HEADER as u64 });
        };
        let found = u32::from_le_bytes(at(bytes, 8));
        if found != FORMAT {
            return Err(FileFault::Version { found, wanted: FORMAT });
        }
        if crc32fast::hash(&bytes[..32]) != u32::from_le_bytes(at(bytes, 32)) {
            return Err(FileFault::Header);
        }
        let rules = || {
            Some(Rules {
                capture: *Capture::ALL.get(usize::from(bytes[14]))?,
                end: *End::ALL.get(usize::from(bytes[15]))?,
                sweep: *Sweep::ALL.get(usize::from(bytes[16]))?,
                origin: *Origin::ALL.get(usize::from(bytes[17]))?,
            })
        };
        Ok(Header {
            pits: bytes[12],
            stones: bytes[13],
            rules: rules().ok_or(FileFault::Header)?,
            count: u64::from_le_bytes(at(bytes, 20)),
            entries_crc: u32::from_le_bytes(at(bytes, 28)),
        })
    }
}

fn refused<'a>(path: &'a Path, action: &'static str) -> impl Fn(io::Error) -> DatabaseError + Copy + use<'a> {
    move |source| DatabaseError::Io { path: path.to_path_buf(), action, source }
}

impl Database {
    /// Writes the database to `path`. A file of that name is replaced, and only once the new one is complete.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), DatabaseError> {
        let path = path.as_ref();
        let header = Header {
            pits: self.pits() as u8,
            stones: self.stones() as u8,
            rules: self.rules,
            count: self.entries.len() as u64,
            entries_crc: crc32fast::hash(&self.entries),
        };
        let written = write_whole(path, |file| {
            file.write_all(&header.to_bytes())?;
            file.write_all(&self.entries)?;
            file.sync_all()
        });
        written.map_err(refused(path, "write"))
    }

    /// Reads the database of `rules` for up to `stones` on the pits of a board with `pits` a side from `path`.
    pub fn load(
        path: impl AsRef<Path>,
        rules: Rules,
        pits: u32,
        stones: u32,
    ) -> Result<Database, DatabaseError> {
        let path = path.as_ref();
        let failed = refused(path, "read");
        let fault = |fault| DatabaseError::File { path: path.to_path_buf(), fault };
        let bytes = Database::bytes(pits, stones)?;
        let no_memory = || DatabaseError::Memory { bytes };

        // Opening a pipe would wait for somebody to write to it.
        if !std::fs::metadata(path).map_err(failed)?.is_file() {
            return Err(failed(io::Error::other("it is not a file")));
        }
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let mut start = Vec::with_capacity(HEADER);
        (&file).take(HEADER as u64).read_to_end(&mut start).map_err(failed)?;
        let header = Header::from_bytes(&start, length).map_err(fault)?;
        if header.rules != rules {
            return Err(fault(FileFault::Rules { found: header.rules, wanted: rules }));
        }
        let found = (u32::from(header.pits), u32::from(header.stones));
        if found != (pits, stones) {
            return Err(fault(FileFault::Size { found, wanted: (pits, stones) }));
        }
        let count = Database::positions(pits, stones)?;
        let wanted = HEADER as u64 + count;
        if length != wanted || header.count != count {
            return Err(fault(FileFault::Length { found: length, wanted }));
        }

        let ranks = Ranks::new(pits, stones).ok_or_else(no_memory)?;
        let mut entries = Vec::new();
        entries
            .try_reserve_exact(usize::try_from(count).map_err(|_| no_memory())?)
            .map_err(|_| no_memory())?;
        file.take(count).read_to_end(&mut entries).map_err(failed)?;
        if entries.len() as u64 != count {
            return Err(fault(FileFault::Length { found: HEADER as u64 + entries.len() as u64, wanted }));
        }
        if crc32fast::hash(&entries) != header.entries_crc {
            return Err(fault(FileFault::Entries));
        }
        Ok(Database { rules, ranks, entries })
    }
}
