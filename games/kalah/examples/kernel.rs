//! Prototype of the kalah solver: plain recursion over the four functions that a game gives to the engine.
#![allow(missing_docs, dead_code, unreachable_pub, clippy::too_many_lines)]

use dts_engine::table::Table;
use dts_engine::{Side, prefetch};
use dts_kalah::Rules;
use dts_kalah::database::{Build, Database, Index};
use dts_kalah::position::{Position, Row};
use dts_kalah::sowing::Sowing;

type Pos = Position<u64>;

struct Base {
    most: u32,
    data: Option<Database>,
}

impl Base {
    fn empty() -> Base {
        Base { most: 0, data: None }
    }

    fn build(rules: Rules, pits: u32, most: u32) -> Base {
        let path = format!("/tmp/base-{rules}-{pits}-{most}");
        if let Ok(data) = Database::load(&path, rules, pits, most) {
            return Base { most, data: Some(data) };
        }
        let data = Database::build(rules, pits, most, Build::default()).unwrap();
        if std::env::var("KEEP").is_ok() {
            data.save(&path).unwrap();
        }
        Base { most, data: Some(data) }
    }

    #[inline(always)]
    fn index(&self, own: u64, other: u64) -> Index {
        match &self.data {
            Some(data) => data.index(own, other),
            None => unreachable!(),
        }
    }

    #[inline(always)]
    fn fetch(&self, index: Index) {
        if let Some(data) = &self.data {
            prefetch(data.entry(index));
        }
    }

    #[inline(always)]
    fn at(&self, index: Index) -> i32 {
        match &self.data {
            Some(data) => i32::from(data.value(index)),
            None => unreachable!(),
        }
    }

    /// The future for the mover.
    #[inline(always)]
    fn get(&self, p: &Pos) -> i32 {
        self.at(self.index(p.own, p.other))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    lower: i32,
    upper: i32,
}

/// From Max's side to the mover's, relative to what is banked, or back.
#[inline(always)]
fn turned(range: Range, max: bool) -> Range {
    if max { range } else { Range { lower: -range.upper, upper: -range.lower } }
}

#[inline(always)]
fn shifted(range: Range, by: i32) -> Range {
    Range { lower: range.lower + by, upper: range.upper + by }
}

struct Options {
    etc_min: u32,
    store_min: u32,
    ahead: usize,
    flags: u32,
}

#[derive(Default)]
struct Counts {
    nodes: u64,
    peeks: u64,
    lookups: u64,
    searched: u64,
    firsts: u64,
    cuts: u64,
    sight_cuts: u64,
    etc_cuts: u64,
    all_bad: u64,
    table_cuts: u64,
}

#[derive(Clone, Copy, Default)]
struct Source {
    /// Pits, four bits each, best first; 15 ends.
    moves: u64,
    /// What the children that were dropped come to at most, from Max's side.
    far: i32,
}

/// One to one.
#[inline(always)]
fn mix(key: u64) -> u64 {
    let x = (key ^ key >> 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ x >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

struct Solver {
    sowing: Sowing<u64>,
    base: Base,
    table: Table,
    options: Options,
    counts: Counts,
    weights: [i32; 16],
}

const NO_MOVE: u32 = 15;

fn pack(range: Range, best: u32) -> u64 {
    (range.lower + 512) as u64 | ((range.upper + 512) as u64) << 10 | u64::from(best) << 20
}

fn unpack(payload: u64) -> (Range, u32) {
    let end = |bits: u64| (bits & 1023) as i32 - 512;
    (Range { lower: end(payload), upper: end(payload >> 10) }, (payload >> 20 & 15) as u32)
}

/// Sorts six, highest first, without a branch.
#[inline(always)]
fn sort(v: &mut [i32; 6]) {
    for (i, j) in [(0, 5), (1, 3), (2, 4), (1, 2), (3, 4), (0, 3), (2, 5), (0, 1), (2, 3), (4, 5), (1, 2), (3, 4)] {
        let (a, b) = (v[i], v[j]);
        v[i] = a.max(b);
        v[j] = a.min(b);
    }
}

impl Solver {
    fn flag(&self, bit: u32) -> bool {
        self.options.flags >> bit & 1 == 1
    }

    /// Closed answer (Err) or bounds and source.
    #[inline(always)]
    fn open(&mut self, p: &Pos, alpha: i32, beta: i32, source: &mut Source) -> Result<Range, Range> {
        self.counts.nodes += 1;
        let b = i32::from(p.banked);
        if p.is_over() {
            return Err(Range { lower: b, upper: b });
        }
        let max = p.side == Side::Max;
        let left = p.left();
        if left <= self.base.most {
            let v = self.base.get(p);
            let v = if max { b + v } else { b - v };
            return Err(Range { lower: v, upper: v });
        }
        // From here on all is relative: the future, from the mover's side.
        let window = turned(Range { lower: alpha - b, upper: beta - b }, max);
        let left = left as i32;
        let range = Range { lower: -left, upper: left };
        let answer = |range| shifted(turned(range, max), b);
        if range.lower >= window.upper || range.upper <= window.lower {
            return Err(answer(range));
        }
        let result = self.look(p, left, window, source);
        source.far = b + if max { source.far } else { -source.far };
        match result {
            Ok(range) => Ok(answer(range)),
            Err(range) => Err(answer(range)),
        }
    }

    #[inline(always)]
    fn look(&mut self, p: &Pos, left: i32, window: Range, source: &mut Source) -> Result<Range, Range> {
        let mut range = Range { lower: -left, upper: left };
        let keeps = left as u32 >= self.options.store_min;
        let peeks = left as u32 >= self.options.etc_min;
        let most = self.base.most as i32;
        let key = if keeps { p.key() } else { 0 };
        if keeps {
            self.table.prefetch(key);
        }
        // At sight: no memory is read.
        let mut owns = [0u64; 8];
        let mut others = [0u64; 8];
        let mut facts = [(0i32, 0i32, false); 8];
        let mut order = [i32::MIN; 6];
        let mut far = -9999;
        let mut closed = 0u64;
        let mut closed_bits = 0;
        let mut count = 0;
        for pit in p.moves() {
            let q = self.sowing.play(p, pit);
            let again = q.side == p.side;
            let gain = i32::from(q.banked - p.banked);
            let gain = if p.side == Side::Max { gain } else { -gain };
            let after = q.left() as i32;
            if gain - after >= window.upper {
                self.counts.sight_cuts += 1;
                return Err(Range { lower: gain - after, upper: left });
            }
            if gain + after <= window.lower {
                far = far.max(gain + after);
                closed |= u64::from(pit) << closed_bits;
                closed_bits += 4;
                continue;
            }
            let at = pit as usize & 7;
            owns[at] = q.own;
            others[at] = q.other;
            facts[at] = (gain, after, again);
            order[count] = self.score(&q, pit as i32, gain, again) << 3 | pit as i32;
            count += 1;
        }
        sort(&mut order);
        let mut hint = NO_MOVE;
        if keeps {
            if let Some(payload) = self.table.get(key) {
                let (known, best) = unpack(payload);
                range = Range { lower: range.lower.max(known.lower), upper: range.upper.min(known.upper) };
                if range.lower >= window.upper || range.upper <= window.lower {
                    self.counts.table_cuts += 1;
                    return Err(range);
                }
                hint = best;
            }
        }
        if hint != NO_MOVE {
            // The remembered move goes to the front.
            let mut carried = order[0];
            let mut i = 0;
            while i < count {
                let here = order[i];
                order[i] = carried;
                carried = here;
                if here & 7 == hint as i32 {
                    order[0] = here;
                    break;
                }
                i += 1;
            }
            if i == count {
                // It was dropped: back to as it was.
                order.copy_within(1..count, 0);
                if count > 0 {
                    order[count - 1] = carried;
                }
            }
        }
        let mut indices = [None; 8];
        let mut keys = [0u64; 8];
        let ahead = if peeks { 6 } else { self.options.ahead };
        let mut ready = 0;
        let mut moves = 0u64;
        let mut bits = 0;
        for i in 0..count {
            while ready < count.min(i + ahead) {
                let at = (order[ready] & 7) as usize;
                let after = facts[at].1;
                if after > most {
                    if peeks {
                        keys[at] = owns[at].key(others[at]);
                        self.table.prefetch(keys[at]);
                    }
                } else if after > 0 {
                    let index = self.base.index(owns[at], others[at]);
                    self.base.fetch(index);
                    indices[at] = Some(index);
                }
                ready += 1;
            }
            let pit = order[i] & 7;
            let at = pit as usize;
            let (gain, after, again) = facts[at];
            let future = if let Some(index) = indices[at] {
                self.counts.lookups += 1;
                let v = self.base.at(index);
                Range { lower: v, upper: v }
            } else if peeks && after > 0 {
                self.counts.peeks += 1;
                let sight = Range { lower: -after, upper: after };
                match self.table.get(keys[at]) {
                    Some(payload) => unpack(payload).0,
                    None => sight,
                }
            } else {
                Range { lower: -after, upper: after }
            };
            let r = shifted(turned(future, again), gain);
            if r.lower >= window.upper {
                self.counts.etc_cuts += 1;
                return Err(Range { lower: r.lower, upper: range.upper });
            }
            if r.upper <= window.lower {
                far = far.max(r.upper);
                closed |= (pit as u64) << closed_bits;
                closed_bits += 4;
            } else {
                moves |= (pit as u64) << bits;
                bits += 4;
            }
        }
        if bits == 0 {
            self.counts.all_bad += 1;
            return Err(Range { lower: range.lower, upper: far.min(range.upper) });
        }
        source.far = far;
        if self.flag(3) {
            moves |= closed << bits;
            bits += closed_bits;
        }
        source.moves = moves | u64::from(NO_MOVE) << bits;
        Ok(range)
    }

    /// How promising a move looks.
    #[inline(always)]
    fn score(&self, q: &Pos, pit: i32, gain: i32, again: bool) -> i32 {
        let w = &self.weights;
        let turns = self.sowing.extra_turns(q).len() as i32;
        let more = w[0] + pit * w[1] + w[10] * turns;
        let mut s = pit * w[2] + gain * w[3] - w[5] * turns - w[7] * q.moves().len() as i32
            + w[13] * q.other.total() as i32;
        if gain > 1 {
            s += w[4];
        }
        if again { more } else { s }
    }

    #[inline(always)]
    fn select(&self, source: &mut Source) -> Option<u32> {
        let pit = (source.moves & 15) as u32;
        source.moves >>= 4;
        (pit != NO_MOVE).then_some(pit)
    }

    #[inline(always)]
    fn leave(&mut self, p: &Pos, range: Range, best: u32) {
        let left = p.left();
        if left < self.options.store_min {
            return;
        }
        let future = turned(shifted(range, -i32::from(p.banked)), p.side == Side::Max);
        self.table.put(p.key(), pack(future, best), left as u8);
    }

    fn search(&mut self, p: &Pos, mut alpha: i32, mut beta: i32) -> Range {
        let mut source = Source::default();
        let known = match self.open(p, alpha, beta, &mut source) {
            Err(range) => return range,
            Ok(range) => range,
        };
        let max = p.side == Side::Max;
        let mut best = NO_MOVE;
        let mut found = if max { Range { lower: -9999, upper: source.far } } else { Range { lower: source.far, upper: 9999 } };
        let mut number = 0;
        let mut cut = false;
        while let Some(pit) = self.select(&mut source) {
            let q = self.sowing.play(p, pit);
            let r = self.search(&q, alpha, beta);
            number += 1;
            if max {
                found.upper = found.upper.max(r.upper);
                if r.lower > found.lower {
                    found.lower = r.lower;
                    if r.lower > alpha {
                        best = pit;
                        alpha = r.lower;
                    }
                }
            } else {
                found.lower = found.lower.min(r.lower);
                if r.upper < found.upper {
                    found.upper = r.upper;
                    if r.upper < beta {
                        best = pit;
                        beta = r.upper;
                    }
                }
            }
            if alpha >= beta {
                cut = true;
                self.counts.cuts += 1;
                if number == 1 {
                    self.counts.firsts += 1;
                }
                break;
            }
        }
        self.counts.searched += 1;
        let range = if max {
            Range {
                lower: found.lower.max(known.lower),
                upper: if cut { known.upper } else { found.upper.min(known.upper) },
            }
        } else {
            Range {
                lower: if cut { known.lower } else { found.lower.max(known.lower) },
                upper: found.upper.min(known.upper),
            }
        };
        self.leave(p, range, best);
        range
    }
}

fn seconds() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    text.split_whitespace().next().and_then(|t| t.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let mut pits = 6;
    let mut stones = 4;
    let mut rules = Rules::SEED;
    let mut most = 14;
    let mut mebibytes = 512;
    let mut guess = 0;
    let mut verbose = false;
    let mut weights = [5000, 10, 10, 80, 1000, 6, 0, 10, 0, 0, 0, 0, 0, 6, 0, 0];
    let mut bench: Option<String> = None;
    let mut first = 60;
    let mut options = Options { etc_min: 0, store_min: 0, ahead: 2, flags: 0 };
    for a in &arguments[1..] {
        let (name, value) = a.split_once('=').unwrap_or((a, ""));
        let number = || value.parse::<u32>().unwrap();
        match name {
            "pits" => pits = number(),
            "stones" => stones = number(),
            "empty" => rules = Rules::EMPTY_CAPTURE,
            "k" => most = number(),
            "mib" => mebibytes = number() as usize,
            "guess" => guess = value.parse().unwrap(),
            "etc" => options.etc_min = number(),
            "store" => options.store_min = number(),
            "flags" => options.flags = number(),
            "bench" => bench = Some(value.to_string()),
            "first" => first = number(),
            "ahead" => options.ahead = number() as usize,
            "w" => {
                for (i, v) in value.split(',').enumerate() {
                    if !v.is_empty() {
                        weights[i] = v.parse().unwrap();
                    }
                }
            }
            x if x.starts_with('w') => weights[x[1..].parse::<usize>().unwrap()] = value.parse().unwrap(),
            "v" => verbose = true,
            _ => panic!("{name}"),
        }
    }
    let sowing = Sowing::<u64>::new(rules, pits).unwrap();
    let t0 = seconds();
    let base = if most > 0 { Base::build(rules, pits, most) } else { Base::empty() };
    let t1 = seconds();
    let root = sowing.start(stones).unwrap();
    let table = Table::new(mebibytes).unwrap();
    let t2 = seconds();
    let mut solver = Solver { sowing, base, table, options, counts: Counts::default(), weights };
    if let Some(file) = bench {
        let mut logs = 0.0;
        for line in std::fs::read_to_string(file).unwrap().lines().take(first as usize) {
            let f: Vec<&str> = line.split(' ').collect();
            let row = |t: &str| u64::from_str_radix(t, 16).unwrap();
            let n = |t: &str| t.parse::<i32>().unwrap();
            let p = Position {
                own: row(f[1]),
                other: row(f[2]),
                banked: n(f[3]) as i16,
                side: if n(f[4]) == 1 { Side::Max } else { Side::Min },
            };
            solver.table.clear(1);
            let before = solver.counts.nodes;
            let r = solver.search(&p, n(f[5]), n(f[6]));
            let nodes = solver.counts.nodes - before;
            logs += (nodes as f64).ln();
            if verbose {
                println!("{line}: {r:?} {nodes}");
            }
        }
        println!("bench: {:.3}M nodes, {:.2} s, geometric mean {:.0}", solver.counts.nodes as f64 / 1e6, seconds() - t2, (logs / f64::from(first)).exp());
        return;
    }
    let total = (2 * pits * stones) as i32;
    let mut range = Range { lower: -total, upper: total };
    let mut beta = guess;
    while range.lower < range.upper {
        if beta <= range.lower {
            beta = range.lower + 2;
        }
        let before = solver.counts.nodes;
        let r = solver.search(&root, beta - 1, beta);
        range = Range { lower: range.lower.max(r.lower), upper: range.upper.min(r.upper) };
        if verbose {
            println!("  >= {beta}? {range:?} nodes {}", solver.counts.nodes - before);
        }
        beta = if r.lower >= beta { range.lower + 2 } else { range.upper };
    }
    let t3 = seconds();
    let c = &solver.counts;
    println!(
        "({pits},{stones}) {rules} = {} | nodes {:.2}M peeks {:.2}M lookups {:.2}M inner {:.2}M | first-cut {:.1}% of cuts {:.2}M bad {:.2}M sight {:.2}M etc {:.2}M tt {:.2}M | base {:.2}s search {:.2}s = {:.2}s, {:.1} ns/node, used {}",
        range.lower, c.nodes as f64 / 1e6, c.peeks as f64 / 1e6, c.lookups as f64 / 1e6, c.searched as f64 / 1e6,
        100.0 * c.firsts as f64 / c.cuts.max(1) as f64, c.cuts as f64 / 1e6, c.all_bad as f64 / 1e6, c.sight_cuts as f64 / 1e6, c.etc_cuts as f64 / 1e6,
        c.table_cuts as f64 / 1e6, t1 - t0, t3 - t2, t3 - t0, (t3 - t2) * 1e9 / c.nodes as f64,
        solver.table.used_permille(),
    );
}
