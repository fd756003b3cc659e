//! Open waits: nothing that was submitted so far ends them.

use super::carriers::{Carried, Carrier, Gate, WaitCondition};
use super::clock::{Clock, LaneIndex, Point};
use super::sequence::{Progress, Sequence};

/// Maximum number of waits of a stream behind gates that restore their counts when they are dropped.
const MOST_TAKEN: usize = 1024;
/// Maximum number of stops of a stream that are kept as separate ranges until the host waits for it.
const MOST_STOPPED: usize = 64;

impl Sequence {
    /// Ends the open waits that the latest change of a carrier ends or may end. The streams behind these waits are
    /// ordered after the change, and so is what these streams have passed on.
    pub(super) fn end_waits(&mut self, key: usize) {
        let Self { streams, carriers, host, .. } = self;
        let Some(carried) = carriers.get_mut(&key).filter(|carried| !carried.waiting.is_empty()) else { return };
        let over = carried.take_ended(host);
        // A change that wrote an unknown value may end waits.
        let (is_unknown, mut waiting) = (carried.value.is_none(), std::mem::take(&mut carried.waiting));
        let end_of = |gate: &Gate| over.iter().find(|(origin, ..)| gate.key == key && *origin == gate.origin);
        let mut ended = Vec::new();
        waiting.retain(|&line| {
            // Waits that have ended already are not ordered after this change.
            streams[line as usize].drop_known(host);
            let gates = &mut streams[line as usize].gates;
            // Only a wait for the count 0 is ordered after resets.
            for comes_after_resets in [false, true] {
                let may_end = |gate: &&Gate| match end_of(gate) {
                    Some((_, end, _)) => end.holds(0) == comes_after_resets,
                    None => is_unknown && gate.key == key && !comes_after_resets,
                };
                let first = gates.iter().filter(may_end).map(|gate| gate.number).min();
                ended.extend(first.map(|number| (Point { line, number }, comes_after_resets)));
            }
            gates.retain(|gate| end_of(gate).is_none());
            gates.iter_mut().filter(|gate| gate.key == key).for_each(|gate| gate.may_be_over |= is_unknown);
            gates.iter().any(|gate| gate.key == key)
        });
        carried.waiting = waiting;
        let clocks = [false, true].map(|comes_after_resets| carried.passes(comes_after_resets));
        for (wait, comes_after_resets) in &ended {
            let clock = &clocks[usize::from(*comes_after_resets)];
            self.follow_on(*wait, clock);
            self.order_pairs(*wait, clock);
            let is_behind = |point: Point| point.line == wait.line && point.number >= wait.number;
            for passed in &self.streams[wait.line as usize].passed {
                let Some(Carried { clock: changes, resets, .. }) = self.carriers.get_mut(passed) else { continue };
                let passed = [changes, resets].into_iter().filter(|clock| clock.points().any(is_behind));
                passed.for_each(|passed| passed.add_before(clock));
            }
        }
        over.iter().for_each(|(origin, end, count)| self.note_taken(*origin, key, end, *count));
        ended.iter().for_each(|(wait, _)| self.streams[wait.line as usize].retain_gates(&|_| true));
    }

    /// Orders the operation `wait` after what a carrier passes.
    fn follow_on(&mut self, wait: Point, clock: &Clock) {
        let gates: Vec<Gate> = clock.points().flat_map(|point| self.open_gates(point)).collect();
        let progress = &mut self.streams[wait.line as usize];
        clock.points().filter(|point| point.line != wait.line).for_each(|point| progress.after.add(point));
        gates.into_iter().for_each(|gate| self.add_gate(wait.line, Gate { number: wait.number, ..gate }));
    }

    /// Orders the latest operation of a stream after what a carrier passes. `end`: what ends its wait.
    pub(super) fn follow(&mut self, stream: u64, key: usize, end: Option<&WaitCondition>) -> Point {
        let wait = self.latest_of(stream);
        let comes_after_resets = end.is_some_and(|end| end.holds(0));
        if let Some(clock) = self.carriers.get(&key).map(|carried| carried.passes(comes_after_resets)) {
            self.follow_on(wait, &clock);
        }
        wait
    }

    fn add_gate(&mut self, line: LaneIndex, gate: Gate) {
        self.streams[line as usize].drop_known(&self.host);
        let gates = &mut self.streams[line as usize].gates;
        if let Some(known) = gates.iter_mut().find(|known| known.origin == gate.origin) {
            known.number = known.number.min(gate.number);
            return;
        }
        gates.push(gate);
        let waiting = self.carriers.get_mut(&gate.key).map(|carried| &mut carried.waiting);
        waiting.filter(|waiting| !waiting.contains(&line)).into_iter().for_each(|waiting| waiting.push(line));
    }

    /// Lets the latest operation of a stream wait for a carrier: orders it after what the carrier passes. If no change
    /// so far ends the wait, it is open.
    pub(super) fn follow_or_wait(
        &mut self,
        stream: u64,
        key: usize,
        carrier: impl FnOnce() -> Carrier,
        end: WaitCondition,
    ) {
        let taken = self.carrier(key, carrier).ends(&end);
        let origin = self.follow(stream, key, Some(&end));
        if let Some(count) = taken {
            return self.note_taken(origin, key, &end, count);
        }
        self.carriers.get_mut(&key).into_iter().for_each(|carried| carried.wait(origin, end, &self.host));
        self.add_gate(origin.line, Gate { number: origin.number, origin, key, may_be_over: false });
    }

    /// Remembers the count that a wait has taken, if the wait may still be dropped.
    fn note_taken(&mut self, wait: Point, key: usize, end: &WaitCondition, count: u32) {
        let is_behind = end.clears() && self.open_gates(wait).next().is_some();
        let taken = &mut self.streams[wait.line as usize].taken;
        if is_behind && taken.len() < MOST_TAKEN {
            taken.push((wait.number, key, count));
        }
    }

    /// Returns the open waits before an operation.
    pub(super) fn open_gates(&self, point: Point) -> impl Iterator<Item = Gate> {
        self.gates_before(point).filter(|gate| !gate.origin.is_known(&self.host)).copied()
    }

    /// Returns the waits before an operation that nothing submitted ends, including those that the host knows to be
    /// over.
    pub(super) fn gates_before(&self, point: Point) -> impl Iterator<Item = &Gate> {
        let gates = &self.streams[point.line as usize].gates;
        gates.iter().filter(move |gate| gate.number <= point.number)
    }

    /// Whether operations that are still to be submitted may be ordered before this one, or an abort dropped it.
    #[inline]
    pub fn is_open(&self, point: Point) -> bool {
        self.waits(point) || self.is_dropped(point)
    }

    /// Whether an abort dropped the operation.
    pub fn is_dropped(&self, point: Point) -> bool {
        self.streams[point.line as usize].stopped.iter().any(|dropped| dropped.contains(&point.number))
    }

    /// Stops the stream. The operations behind its open waits count as dropped, although a driver may still run them.
    /// Dropped waits take nothing from later ones and delay no other stream.
    pub fn stop(&mut self, stream: u64) {
        if let Some(&line) = self.lines.get(&stream) {
            self.stop_line(line);
        }
    }

    /// Stops the stream of this line.
    pub(super) fn stop_line(&mut self, line: LaneIndex) {
        self.order_known_pairs();
        self.streams[line as usize].drop_known(&self.host);
        let Progress { submitted, gates, stopped, taken, .. } = &mut self.streams[line as usize];
        let Some(first) = gates.iter().map(|gate| gate.number).min() else { return };
        let dropped = first..*submitted + 1;
        stopped.retain(|dropped| self.host[line as usize] + 1 < dropped.end);
        stopped.push(dropped.clone());
        if stopped.len() > MOST_STOPPED {
            // The operations between the first two stops count as dropped.
            let first = stopped.remove(0);
            stopped[0].start = first.start;
        }
        let taken: Vec<_> = taken.extract_if(.., |(number, ..)| *number >= first).collect();
        let own: Vec<Gate> = gates.iter().filter(|gate| gate.origin.line == line).copied().collect();
        self.streams[line as usize].retain_gates(&|_| false);
        self.drop_pairs_of(|point| point.line == line && dropped.contains(&point.number));
        own.iter().for_each(|gate| self.drop_wait(gate));
        for (_, key, count) in taken {
            self.carriers.get_mut(&key).into_iter().for_each(|carried| carried.restore(count));
            self.end_waits(key);
        }
    }

    /// Removes a wait that was dropped.
    pub(super) fn drop_wait(&mut self, dropped: &Gate) {
        self.drop_pairs_behind(|gate| gate.origin == dropped.origin);
        let Some(carried) = self.carriers.get_mut(&dropped.key) else { return };
        carried.open.retain(|(origin, _)| *origin != dropped.origin);
        carried.waiting.retain(|&line| {
            let stream = &mut self.streams[line as usize];
            stream.retain_gates(&|gate| gate.origin != dropped.origin);
            stream.gates.iter().any(|gate| gate.key == dropped.key)
        });
    }
}

#[cfg(test)]
#[path = "waits_tests.rs"]
mod tests;
