//! The steps of `make_libraries.sh` that objcopy and ld cannot do alone, on the one object of the library. rustc
//! alone builds this program.
//!
//! `pack_object sections OBJECT`: prints which sections to merge, as options for objcopy. With a section for each
//! function a program leaves out what it does not use, but the section's header and relocations are larger than most
//! functions. Sections that the same functions of the API need are always linked together, so merging them makes no
//! program larger. One more group, of the sections that much of the API needs ([`MOST`]), makes programs larger that
//! need only some of them: a linker keeps all of the group or nothing.
//!
//! `pack_object relocations OBJECT`: resolves relocations inside the object, as any linker would: the distance
//! between two places in one section is known. Calls between merged functions then need no relocation.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

const SHT_RELA: u32 = 4;
const SHF_EXECINSTR: u64 = 4;
const SHF_MERGE: u64 = 0x10;
const STT_TLS: u8 = 6;
const STT_GNU_IFUNC: u8 = 10;
const EM_X86_64: u16 = 62;
const R_X86_64_PC32: u32 = 2;
const R_X86_64_PLT32: u32 = 4;

/// The sections from which the part of the API begins that every program needs, with everything that it needs.
const START_AND_END: [&str; 2] = [".init_array", ".fini_array"];

/// The share of the API (in thousandths) from which on the sections that it needs are one group: calls inside a section
/// need no relocation, and programs that use a device need most of the group.
const MOST: u32 = 450;

/// The fields of a section that are used here.
struct Section {
    header: usize,
    name: String,
    kind: u32,
    flags: u64,
    contents: Range<usize>,
    info: usize,
}

struct Symbol {
    section: usize,
    value: u64,
    kind: u8,
    global: bool,
}

struct Relocation {
    /// The file offset of the section's header.
    entry: usize,
    offset: u64,
    kind: u32,
    symbol: usize,
    addend: i64,
}

struct Object {
    bytes: Vec<u8>,
    machine: u16,
    sections: Vec<Section>,
    symbols: Vec<Symbol>,
}

fn number<const N: usize>(bytes: &[u8], at: usize) -> u64 {
    let mut wide = [0; 8];
    wide[..N].copy_from_slice(&bytes[at..at + N]);
    u64::from_le_bytes(wide)
}

fn text(bytes: &[u8], at: usize) -> String {
    let end = bytes[at..].iter().position(|&byte| byte == 0).expect("a terminated name");
    String::from_utf8_lossy(&bytes[at..at + end]).into_owned()
}

impl Object {
    fn read(path: &str) -> Object {
        let bytes = std::fs::read(path).unwrap_or_else(|why| panic!("{path}: {why}"));
        assert!(bytes.starts_with(b"\x7fELF\x02\x01"), "{path} is no ELF file of 64 bits, lower byte first");
        assert_eq!(number::<2>(&bytes, 16), 1, "{path} is no relocatable object");
        let table = number::<8>(&bytes, 0x28) as usize;
        // With many sections the header has no room for two numbers, which are then in the first section's header.
        let count = match number::<2>(&bytes, 0x3c) {
            0 => number::<8>(&bytes, table + 32),
            count => count,
        } as usize;
        let names = match number::<2>(&bytes, 0x3e) {
            0xffff => number::<4>(&bytes, table + 40),
            names => names,
        } as usize;
        let start = |index: usize| number::<8>(&bytes, table + 64 * index + 24) as usize;
        let sections: Vec<Section> = (0..count)
            .map(|index| {
                let header = table + 64 * index;
                let kind = number::<4>(&bytes, header + 4) as u32;
                const NOBITS: u32 = 8;
                let length = if kind == NOBITS { 0 } else { number::<8>(&bytes, header + 32) as usize };
                Section {
                    header,
                    name: text(&bytes, start(names) + number::<4>(&bytes, header) as usize),
                    kind,
                    flags: number::<8>(&bytes, header + 8),
                    contents: start(index)..start(index) + length,
                    info: number::<4>(&bytes, header + 44) as usize,
                }
            })
            .collect();
        let symbols = Object::symbols(&bytes, &sections);
        Object { machine: number::<2>(&bytes, 18) as u16, bytes, sections, symbols }
    }

    fn symbols(bytes: &[u8], sections: &[Section]) -> Vec<Symbol> {
        const SYMTAB: u32 = 2;
        const SYMTAB_SHNDX: u32 = 18;
        let of_kind = |kind| sections.iter().find(|section| section.kind == kind);
        let table = of_kind(SYMTAB).expect("a table of symbols");
        table
            .contents
            .clone()
            .step_by(24)
            .enumerate()
            .map(|(index, at)| Symbol {
                section: match number::<2>(bytes, at + 6) as usize {
                    0xffff => {
                        let wide = of_kind(SYMTAB_SHNDX).expect("wide numbers of sections").contents.start;
                        number::<4>(bytes, wide + 4 * index) as usize
                    }
                    // Undefined, absolute and common symbols are in no section.
                    0 | 0xff00.. => 0,
                    section => section,
                },
                value: number::<8>(bytes, at + 8),
                kind: bytes[at + 4] & 15,
                global: bytes[at + 4] >> 4 != 0,
            })
            .collect()
    }

    fn relocations(&self, table: &Section) -> Vec<Relocation> {
        let entries = table.contents.clone().step_by(24);
        entries
            .map(|entry| Relocation {
                entry,
                offset: number::<8>(&self.bytes, entry),
                kind: number::<4>(&self.bytes, entry + 8) as u32,
                symbol: number::<4>(&self.bytes, entry + 12) as usize,
                addend: number::<8>(&self.bytes, entry + 16) as i64,
            })
            .collect()
    }

    /// Whether merging keeps the same bytes at the same distances in all programs.
    fn is_fixed(&self, section: usize) -> bool {
        section != 0 && self.sections[section].flags & SHF_MERGE == 0
    }
}

/// Returns the part of a section's name that names its kind, or `None` for sections that are not merged.
fn kind_of(name: &str) -> Option<&'static str> {
    const PREFIXES: [(&str, &str); 10] = [
        (".text.unlikely.", ".text"),
        (".text.hot.", ".text"),
        (".text.", ".text"),
        (".rodata.", ".rodata"),
        (".data.rel.ro.", ".data.rel.ro"),
        (".data.", ".data"),
        (".bss.", ".bss"),
        (".tdata.", ".tdata"),
        (".tbss.", ".tbss"),
        (".gcc_except_table.", ".gcc_except_table"),
    ];
    PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix)).map(|&(_, kind)| kind)
}

/// The sections with one name: objcopy renames all sections with the same name.
struct Node {
    kind: Option<&'static str>,
    needs: Vec<usize>,
    /// The functions of the API that need them, one bit each.
    needed_by: Vec<u64>,
}

fn graph(object: &Object) -> (Vec<String>, Vec<Node>) {
    let mut numbers = HashMap::new();
    let (mut names, mut nodes) = (Vec::new(), Vec::new());
    let node_of: Vec<usize> = object
        .sections
        .iter()
        .map(|section| {
            *numbers.entry(&section.name).or_insert_with(|| {
                names.push(section.name.clone());
                let kind = kind_of(&section.name).filter(|_| section.flags & SHF_MERGE == 0);
                nodes.push(Node { kind, needs: Vec::new(), needed_by: Vec::new() });
                nodes.len() - 1
            })
        })
        .collect();
    let mut everywhere = Vec::new();
    for table in object.sections.iter().filter(|section| section.kind == SHT_RELA) {
        let place = &object.sections[table.info].name;
        let frames = place == ".eh_frame";
        let starts = START_AND_END.iter().any(|name| place.starts_with(name));
        let mut from = node_of[table.info];
        for relocation in object.relocations(table) {
            let section = object.symbols[relocation.symbol].section;
            if section == 0 {
                continue;
            }
            let to = node_of[section];
            // A function's frame refers to the function, then to its cleanup table. Linkers keep that table with the
            // function. The other reference is the personality, which all frames share.
            if frames && object.sections[section].flags & SHF_EXECINSTR != 0 {
                from = to;
            } else if starts || frames && kind_of(&names[to]) != Some(".gcc_except_table") {
                everywhere.push(to);
            } else if from != to && nodes[from].kind.is_some() {
                nodes[from].needs.push(to);
            }
        }
    }
    let api: Vec<usize> = object
        .symbols
        .iter()
        .filter(|symbol| symbol.global && symbol.section != 0)
        .map(|symbol| node_of[symbol.section])
        .collect();
    for node in &mut nodes {
        node.needs.sort_unstable();
        node.needs.dedup();
        node.needed_by = vec![0; api.len().div_ceil(64)];
    }
    for (bit, &root) in api.iter().enumerate() {
        let mut open = everywhere.clone();
        open.push(root);
        while let Some(node) = open.pop() {
            let mask = 1 << (bit % 64);
            let word = &mut nodes[node].needed_by[bit / 64];
            if *word & mask == 0 {
                *word |= mask;
                open.extend_from_slice(&nodes[node].needs);
            }
        }
    }
    (names, nodes)
}

/// Prints the new name of each section that is merged.
fn merge_sections(object: &Object) {
    let (names, nodes) = graph(object);
    // The sections that the same functions need, by kind.
    let mut pieces: BTreeMap<(&[u64], &str), Vec<usize>> = BTreeMap::new();
    for (index, node) in nodes.iter().enumerate() {
        if let Some(kind) = node.kind {
            pieces.entry((&node.needed_by, kind)).or_default().push(index);
        }
    }
    let count = |by: &[u64]| by.iter().map(|word| word.count_ones()).sum::<u32>();
    let all = pieces.keys().map(|(by, _)| count(by)).max().expect("sections");
    for (number, ((by, kind), members)) in pieces.iter().enumerate() {
        let number = if count(by) * 1000 >= all * MOST { 0 } else { number + 1 };
        for &node in members {
            println!("--rename-section {}={kind}.p{number:x}", names[node]);
        }
    }
}

/// Resolves known relocations, and removes them from their tables.
fn resolve_relocations(object: &mut Object) -> usize {
    let mut resolved = 0;
    if object.machine != EM_X86_64 {
        return resolved;
    }
    for index in 0..object.sections.len() {
        let table = &object.sections[index];
        let place = table.info;
        if table.kind != SHT_RELA || !object.is_fixed(place) {
            continue;
        }
        let (start, header) = (table.contents.start, table.header);
        let mut kept = start;
        for relocation in object.relocations(table) {
            let symbol = &object.symbols[relocation.symbol];
            let relative = matches!(relocation.kind, R_X86_64_PC32 | R_X86_64_PLT32);
            let ours = !symbol.global && !matches!(symbol.kind, STT_TLS | STT_GNU_IFUNC);
            if relative && ours && symbol.section == place {
                let distance = symbol.value.wrapping_add_signed(relocation.addend).wrapping_sub(relocation.offset);
                let distance = i32::try_from(distance as i64).expect("a section of less than 2 GiB");
                let at = object.sections[place].contents.start + relocation.offset as usize;
                object.bytes[at..at + 4].copy_from_slice(&distance.to_le_bytes());
                resolved += 1;
            } else {
                object.bytes.copy_within(relocation.entry..relocation.entry + 24, kept);
                kept += 24;
            }
        }
        object.bytes[header + 32..header + 40].copy_from_slice(&((kept - start) as u64).to_le_bytes());
    }
    resolved
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["sections", path] => merge_sections(&Object::read(path)),
        ["relocations", path] => {
            let mut object = Object::read(path);
            resolve_relocations(&mut object);
            std::fs::write(path, &object.bytes).unwrap_or_else(|why| panic!("{path}: {why}"));
        }
        _ => panic!("usage: pack_object sections|relocations OBJECT"),
    }
}
