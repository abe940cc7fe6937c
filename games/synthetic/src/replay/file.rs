//! Recorded trees on disk.
//!
//! Numbers have the low byte first. A *varint* is a number in groups of seven bits, the low ones first, each in a byte whose high bit
//! says that another group follows; as few as will do.
//!
//! | bytes | what |
//! |---|---|
//! | 0 to 7 | `DTS-TREE` |
//! | 8 to 11 | the format, 1 |
//! | 12 to 15 | the number of nodes |
//! | 16 to 19 | the minimax value |
//! | 20, 21 | plies of the tree; plies of the searches at its leaves |
//! | 22 | 1 if nodes have keys, else 0 |
//! | 23 | zero |
//! | 24, 25 | the length of the game's name |
//! | 26, 27 | the length of the description |
//! | from 28 | the game's name and the description, UTF-8 |
//! | then | the nodes, breadth first: a varint of twice the number of moves, plus 1 if Min moves; of a leaf also a varint of the value `v` as `2 v`, or `-2 v - 1` if it is negative, and a varint of the cost less 1 |
//! | then | if there are keys, 8 bytes for each node that has moves, in the order of the nodes; zero for none |
//! | last 4 | CRC-32 of all bytes before |

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use dts_engine::{Side, write_whole};

use super::recorded::{
    About, Builder, DEEPEST_BELOW, LONGEST_TEXT, MOST_NODES, MOST_PLIES, Misfit, Recorded,
};

const MAGIC: &[u8; 8] = b"DTS-TREE";
const FORMAT: u32 = 1;
const HEADER: usize = 28;
/// The longest file that is read: more than any tree has.
const MOST_BYTES: u64 = 1 << 30;

/// Why a recorded tree cannot be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TreeFileError {
    /// The system refused something.
    #[error("{}: cannot {action} the tree: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What the system says.
        source: io::Error,
    },
    /// The file is no recorded tree.
    #[error("{}: {fault}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: FileFault,
    },
}

/// What is wrong with the bytes of a recorded tree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileFault {
    /// It does not begin as a recorded tree does.
    #[error("byte 0: not a recorded tree; accepted: a file that `dts synthetic record` wrote")]
    Foreign,
    /// Another version of the program wrote it, in another way.
    #[error("byte 8: a recorded tree of format {0}; accepted: format {FORMAT}")]
    Version(u32),
    /// It is too short to be one.
    #[error("cut short after {found} bytes; accepted: at least {least}")]
    Short {
        /// How long it is.
        found: u64,
        /// How long it should be at least.
        least: u64,
    },
    /// It is longer than any tree.
    #[error("{0} bytes long; accepted: up to {MOST_BYTES}")]
    Long(u64),
    /// The bytes are not those that were written.
    #[error(
        "damaged or cut short: the checksum in its last 4 bytes (from byte {0}) is not that of the bytes before"
    )]
    Checksum(u64),
    /// A part of it says what cannot be.
    #[error("byte {byte}: {what}")]
    Part {
        /// Where the part begins.
        byte: u64,
        /// What is wrong with it, and what is accepted.
        what: String,
    },
    /// A node does not fit into the tree.
    #[error("byte {byte}, node {node}: {misfit}")]
    Node {
        /// Where the node begins.
        byte: u64,
        /// Its number, from 0.
        node: u32,
        /// What is wrong with it.
        misfit: Misfit,
    },
    /// The nodes do not make a tree.
    #[error("the tree: {0}")]
    Tree(Misfit),
    /// The value is not that of the nodes.
    #[error("byte 16: the value {found}; accepted: {wanted}, which the nodes come to")]
    Value {
        /// The value of the header.
        found: i32,
        /// The value of the nodes.
        wanted: i32,
    },
}

/// Appends a varint.
fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Bytes that are read from the front.
struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn part(at: usize, what: impl Into<String>) -> FileFault {
        FileFault::Part { byte: at as u64, what: what.into() }
    }

    fn take(&mut self, count: usize, what: &str) -> Result<&'a [u8], FileFault> {
        let rest = &self.bytes[self.at..];
        let taken = rest.get(..count).ok_or_else(|| {
            Reader::part(
                self.at,
                format!("{what} of {count} bytes, but {} are left; accepted: as many", rest.len()),
            )
        })?;
        self.at += count;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, what: &str) -> Result<[u8; N], FileFault> {
        let taken = self.take(N, what)?;
        Ok(std::array::from_fn(|i| taken[i]))
    }

    fn text(&mut self, length: u16, what: &str) -> Result<String, FileFault> {
        let at = self.at;
        if usize::from(length) > LONGEST_TEXT {
            return Err(Reader::part(
                at,
                format!("{what} of {length} bytes; accepted: up to {LONGEST_TEXT}"),
            ));
        }
        let text = std::str::from_utf8(self.take(length.into(), what)?);
        Ok(text.map_err(|error| Reader::part(at, format!("{what}: {error}; accepted: UTF-8")))?.to_owned())
    }

    /// A varint of at most five bytes.
    fn varint(&mut self) -> Result<u64, FileFault> {
        let start = self.at;
        let mut number = 0;
        for group in 0..5 {
            let [byte] = self.array("a number")?;
            number |= u64::from(byte & 0x7f) << (7 * group);
            if byte & 0x80 == 0 {
                if byte == 0 && group > 0 {
                    return Err(Reader::part(
                        start,
                        "a number in more bytes than it needs; accepted: the fewest",
                    ));
                }
                return Ok(number);
            }
        }
        Err(Reader::part(start, "a number of more than 5 bytes; accepted: up to 5"))
    }
}

/// Reads the next node into `builder`.
fn node(reader: &mut Reader<'_>, builder: &mut Builder) -> Result<Result<(), Misfit>, FileFault> {
    let head = reader.varint()?;
    let side = if head & 1 == 0 { Side::Max } else { Side::Min };
    if head >> 1 > 0 {
        return Ok(builder.inner(side, head >> 1));
    }
    let value = reader.varint()?;
    let cost = reader.varint()? + 1;
    let half = (value >> 1) as i64;
    Ok(builder.leaf(side, if value & 1 == 0 { half } else { -half - 1 }, cost))
}

fn refused<'a>(path: &'a Path, action: &'static str) -> impl Fn(io::Error) -> TreeFileError + Copy + use<'a> {
    move |source| TreeFileError::Io { path: path.to_path_buf(), action, source }
}

impl Recorded {
    /// The bytes of its file: the same tree gives the same bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let (game, description) = (self.game().as_bytes(), self.description().as_bytes());
        let mut bytes = Vec::with_capacity(HEADER + game.len() + description.len() + 4 * self.places.len());
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&FORMAT.to_le_bytes());
        bytes.extend_from_slice(&self.nodes().to_le_bytes());
        bytes.extend_from_slice(&self.value().to_le_bytes());
        bytes.extend_from_slice(&[self.plies() as u8, self.below() as u8, self.has_keys().into(), 0]);
        bytes.extend_from_slice(&(game.len() as u16).to_le_bytes());
        bytes.extend_from_slice(&(description.len() as u16).to_le_bytes());
        bytes.extend_from_slice(game);
        bytes.extend_from_slice(description);
        for place in &self.places {
            put(&mut bytes, u64::from(place.children) << 1 | u64::from(place.side == Side::Min));
            if place.children == 0 {
                let leaf = self.ends[place.first as usize];
                put(&mut bytes, u64::from((leaf.value << 1 ^ leaf.value >> 31) as u32));
                put(&mut bytes, u64::from(leaf.cost) - 1);
            }
        }
        let inner = self.places.iter().zip(&self.keys).filter(|(place, _)| place.children > 0);
        bytes.extend(inner.flat_map(|(_, key)| key.to_le_bytes()));
        let checksum = crc32fast::hash(&bytes);
        bytes.extend_from_slice(&checksum.to_le_bytes());
        bytes
    }

    /// The tree of a file with these bytes.
    ///
    /// Nothing is believed: the memory that is asked for is a small multiple of the bytes that are there, and the value is that of the
    /// nodes.
    ///
    /// # Errors
    /// If they are anything but what [`Recorded::to_bytes`] gives.
    pub fn from_bytes(bytes: &[u8]) -> Result<Recorded, FileFault> {
        if bytes.get(..MAGIC.len()) != Some(MAGIC) {
            return Err(FileFault::Foreign);
        }
        let least = (HEADER + 4) as u64;
        if (bytes.len() as u64) < least {
            return Err(FileFault::Short { found: bytes.len() as u64, least });
        }
        let mut reader = Reader { bytes: &bytes[..bytes.len() - 4], at: MAGIC.len() };
        let version = u32::from_le_bytes(reader.array("the format")?);
        if version != FORMAT {
            return Err(FileFault::Version(version));
        }
        if crc32fast::hash(reader.bytes).to_le_bytes() != bytes[reader.bytes.len()..] {
            return Err(FileFault::Checksum(reader.bytes.len() as u64));
        }
        let nodes = u32::from_le_bytes(reader.array("the number of nodes")?);
        let value = i32::from_le_bytes(reader.array("the value")?);
        let [plies, below, with_keys, zero] = reader.array("the plies")?;
        if nodes > MOST_NODES {
            return Err(Reader::part(12, format!("{nodes} nodes; accepted: up to {MOST_NODES}")));
        }
        if !(1..=MOST_PLIES).contains(&u32::from(plies)) {
            return Err(Reader::part(20, format!("{plies} plies; accepted: 1 to {MOST_PLIES}")));
        }
        if u32::from(below) > DEEPEST_BELOW {
            return Err(Reader::part(21, format!("{below} plies below; accepted: 0 to {DEEPEST_BELOW}")));
        }
        if with_keys > 1 || zero != 0 {
            return Err(Reader::part(22, format!("{with_keys} {zero}; accepted: 0 0 or 1 0")));
        }
        let game_length = u16::from_le_bytes(reader.array("a length")?);
        let description_length = u16::from_le_bytes(reader.array("a length")?);
        let game = reader.text(game_length, "the game's name")?;
        let description = reader.text(description_length, "the description")?;
        let mut builder = Builder::new(About { game, description, plies: plies.into(), below: below.into() });
        for number in 0..nodes {
            let byte = reader.at as u64;
            node(&mut reader, &mut builder)?.map_err(|misfit| FileFault::Node {
                byte,
                node: number,
                misfit,
            })?;
        }
        if with_keys == 1 {
            let start = reader.at;
            let keys = &reader.bytes[start..];
            let mut inner = 0;
            builder.keys(|| {
                let key = keys.get(8 * inner..8 * inner + 8);
                inner += 1;
                key.map_or(0, |key| u64::from_le_bytes(std::array::from_fn(|i| key[i])))
            });
            reader.take(8 * inner, "keys")?;
            if reader.bytes[start..reader.at].iter().all(|&byte| byte == 0) {
                return Err(Reader::part(start, "keys that are all zero; accepted: no keys, or a key"));
            }
        }
        if reader.at < reader.bytes.len() {
            let left = reader.bytes.len() - reader.at;
            return Err(Reader::part(reader.at, format!("{left} bytes after the last node; accepted: none")));
        }
        let recorded = builder.finish().map_err(FileFault::Tree)?;
        if recorded.value() != value {
            return Err(FileFault::Value { found: value, wanted: recorded.value() });
        }
        Ok(recorded)
    }

    /// Writes the tree to `path`. A file of that name is replaced, and only once the new one is complete.
    ///
    /// # Errors
    /// If the system refuses it; then nothing is left behind.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), TreeFileError> {
        let path = path.as_ref();
        let written = write_whole(path, |file| {
            file.write_all(&self.to_bytes())?;
            file.sync_all()
        });
        written.map_err(refused(path, "write"))
    }

    /// Reads a tree from `path`.
    ///
    /// # Errors
    /// If the file cannot be read, or holds anything but a whole recorded tree.
    pub fn load(path: impl AsRef<Path>) -> Result<Recorded, TreeFileError> {
        let path = path.as_ref();
        let failed = refused(path, "read");
        let fault = |fault| TreeFileError::File { path: path.to_path_buf(), fault };
        // Opening a pipe would wait for somebody to write to it.
        if !fs::metadata(path).map_err(failed)?.is_file() {
            return Err(failed(io::Error::other("it is not a file")));
        }
        let mut file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        // A file of another kind may be of any size: its first bytes tell.
        let mut bytes = Vec::new();
        (&mut file).take(MAGIC.len() as u64).read_to_end(&mut bytes).map_err(failed)?;
        if bytes != MAGIC {
            return Err(fault(FileFault::Foreign));
        }
        if length > MOST_BYTES {
            return Err(fault(FileFault::Long(length)));
        }
        file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(failed)?;
        Recorded::from_bytes(&bytes).map_err(fault)
    }
}
