{ // A block: names of the window, as `top`, stay its own.
const [[about, summary], findings, timeline] = JSON.parse(document.getElementById('data').textContent);
const at = id => document.getElementById(id);
const make = (name, attributes, parent, text) => {
  const svg = ['svg', 'path'].includes(name);
  const node = svg ? document.createElementNS('http://www.w3.org/2000/svg', name) : document.createElement(name);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  return parent ? parent.appendChild(node) : node;
};
const digits = number => number.toFixed(number >= 100 ? 0 : number >= 10 ? 1 : 2);
const size = bytes => {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  for (; bytes >= 1024 && unit < 4; ++unit) bytes /= 1024;
  return (unit ? bytes.toFixed(1) : bytes) + ' ' + (unit || bytes !== 1 ? units[unit] : 'byte');
};
const time = ns => ns < 1e3 ? ns + ' ns' : ns < 1e6 ? digits(ns / 1e3) + ' µs' : ns < 1e9 ? digits(ns / 1e6) + ' ms' :
  digits(ns / 1e9) + ' s';
// One byte in a nanosecond is 1 GB/s.
const rate = ({bytes, took}) => bytes && took ? (bytes / took).toPrecision(3).replace(/(\.\d*?)0+$/, '$1')
  .replace(/\.$/, '') + ' GB/s' : '';
const list = parts => parts.filter(Boolean).join(' · ');

// ---- what the page is about ----

const quoted = text => /^[\w@%+=:,./-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
const [program = 'a program', ...rest] = about.command;
const name = program.split('/').pop();
document.title = `${name}: checks of portacl`;
at('name').textContent = name;
at('summary').textContent = summary || 'Nothing was found.';
at('summary').classList.toggle('good', !findings.length);
const devices = Object.entries(about.devices).map(([id, device]) => `device ${id}: ${device}`);
for (const [term, value] of [
  ['Program', quoted(program)], ['Arguments', rest.map(quoted).join(' ') || 'none'],
  ['Date', new Date(about.began).toISOString().replace('T', ' ').replace(/\..*/, ' UTC')],
  ['Host', `${about.host}, process ${about.process}`],
  ['Backend', list([about.backend || 'none was opened', ...devices])],
  ['portacl', about.version],
]) {
  const entry = make('div', {}, at('about'));
  make('dt', {}, entry, term);
  make('dd', {}, entry, value);
}

// ---- the timeline ----

const {threads, streams, operations} = timeline;
const lanes = [...threads, ...streams].map(lane => lane.name);
const laneOf = operation => threads.length + operation.stream;
const levels = [];
let used = timeline.memory_before, most = used;
for (const operation of operations) {
  used += operation.change;
  most = Math.max(most, used);
  levels.push(used);
}
// The findings that an operation takes part in, by its index.
const indices = new Map(operations.map(({stream, number, at}, index) =>
  [`${stream === undefined ? 'host' : streams[stream].handle}/${number}/${at}`, index]));
const parties = findings.map(finding => finding.operations.map(side =>
  indices.get(`${side.stream || 'host'}/${side.number || 0}/${side.ms}`)).filter(index => index !== undefined));
const marked = new Set(parties.flat());
// The width below which a column has no labels, and the height of a row's name.
const LABELLED = 56, NAME = 26;

// The operations from `first` to before `last` in columns of this width, with the memory below.
function draw(first, last, width, shown, chart) {
  const bare = width < LABELLED, boxHeight = bare ? 16 : 38, rowHeight = boxHeight + NAME + 10;
  const places = new Map(shown.map((lane, index) => [lane, index * rowHeight]));
  const strip = make('div', {class: 'strip'}), all = (last - first) * width, below = shown.length * rowHeight;
  strip.style.cssText = `width:${all + 16}px;min-width:100%;height:${below + chart + 34}px`;
  const put = (kind, x, y, w, h) => {
    const node = make('div', {class: kind}, strip);
    node.style.cssText = `left:${x}px;top:${y}px;width:${w}px;height:${h}px`;
    return node;
  };
  const row = (y, height, text) => {
    const line = make('div', {class: 'row'}, strip);
    line.style.cssText = `top:${y}px;height:${height}px`;
    make('span', {}, line, text);
  };
  shown.forEach(lane => row(places.get(lane), rowHeight, lanes[lane]));
  row(below, chart + 24, `memory in use, at most ${size(most)}`);
  const boxes = new Map();
  const box = (lane, index, kind, title, lines) => {
    const y = places.get(lane) + NAME, x = 8 + (index - first) * width;
    const node = put(`box ${kind}${bare ? ' bare' : ''}`, x, y, width - (bare ? 2 : 10), boxHeight);
    node.title = title;
    if (!bare) lines.forEach(line => make('span', {}, node, line));
    return node;
  };
  for (let index = first; index < last; ++index) {
    const operation = operations[index], {at, call, what, bytes, took, thread, stream, number} = operation;
    const kind = operation.kind === 'memory' ? 'memory-use' : operation.kind, when = `at ${at.toFixed(3)} ms`;
    const facts = list([bytes ? size(bytes) : '', rate(operation)]);
    const title = list([call, what, facts, took === undefined ? '' : time(took), when,
      stream === undefined ? '' : `operation ${number} of ${streams[stream].name}`]);
    const caller = call || (stream === undefined ? what : '');
    let own;
    if (caller) own = box(thread, index, stream === undefined ? kind : 'call', title,
      [caller, stream === undefined && facts || when]);
    if (stream !== undefined) {
      const work = box(laneOf(operation), index, kind, title,
        [what, facts || (took === undefined ? `operation ${number}` : time(took))]);
      if (own) {
        const from = places.get(thread) + NAME + boxHeight, to = places.get(laneOf(operation)) + NAME;
        put('arrow', 8 + (index - first) * width + (bare ? (width - 2) / 2 : 16), from, 0, to - from);
      }
      own = work;
    }
    boxes.set(index, own);
    const height = most > 0 ? chart * levels[index] / most : 0;
    put('level', 8 + (index - first) * width, below + 24 + chart - height, width, height);
    if (marked.has(index)) own.classList.add('marked');
  }
  for (const indices of parties) for (let i = 1; i < indices.length; ++i) {
    const [a, b] = [boxes.get(indices[i - 1]), boxes.get(indices[i])];
    if (!a || !b || a === b) continue;
    // From the right end of the one to the left end of the other.
    const [[ax, ay], [bx, by]] = (indices[i - 1] < indices[i] ? [a, b] : [b, a]).map(({style}, end) =>
      [parseFloat(style.left) + (end ? -2 : parseFloat(style.width) + 2), parseFloat(style.top) + boxHeight / 2]);
    const svg = make('svg', {class: 'hazard'}, strip), bend = Math.max(12, (bx - ax) / 2);
    svg.style.cssText = 'left:0;top:0;width:1px;height:1px';
    make('path', {d: `M${ax} ${ay}C${ax + bend} ${ay} ${bx - bend} ${by} ${bx} ${by}`}, svg);
  }
  return {strip, boxes};
}

const every = lanes.map((_, lane) => lane), zoom = at('zoom').querySelector('input'), plot = at('plot');
let drawn;
const redraw = () => {
  drawn = draw(0, operations.length, +zoom.value, every, 70);
  plot.replaceChildren(drawn.strip);
};
const show = index => {
  const {style} = drawn.boxes.get(index);
  const [left, top] = [parseFloat(style.left), parseFloat(style.top)];
  plot.scrollTo({left: left - plot.clientWidth / 4, top: top - plot.clientHeight / 2});
};
zoom.value = operations.length > 1500 ? 20 : 160;
zoom.oninput = redraw;
if (operations.length) redraw(); else at('timeline').hidden = true;
if (marked.size) show(Math.min(...marked));
if (timeline.forgotten) at('note').textContent += ` ${timeline.forgotten} earlier operations are not shown.`;

// ---- findings ----

findings.forEach((finding, number) => {
  const card = make('details', {class: 'finding'}, at('findings')), head = make('summary', {}, card);
  card.open = number < 10;
  make('b', {}, head, finding.check);
  make('span', {}, head, `${number + 1}. ${finding.what}`);
  const body = make('div', {}, card), {memory} = finding;
  if (memory) make('p', {class: 'memory'}, body, list([`${size(memory.bytes)} at ${memory.addr}`,
    memory.place && `offset ${memory.offset} of an allocation of ${size(memory.allocation_bytes)}, ${memory.place}`]));
  const sides = make('div', {class: 'sides'}, body);
  finding.operations.forEach(side => {
    const part = make('div', {class: 'side'}, sides);
    make('h3', {}, part, `${side.call} ${side.does}`);
    const place = side.stream ? `operation ${side.number} of ${side.stream_name}` : side.position || 'by the host';
    make('p', {}, part, list([place, side.detail, `at ${side.ms.toFixed(3)} ms`]));
    const frames = make('pre', {}, part);
    side.frames.forEach((frame, index) => make(index ? 'span' : 'b', {}, frames, frame + '\n'));
  });
  make('p', {}, body, finding.fix);
  if (parties[number].length) make('button', {type: 'button'}, body, 'Show in the timeline').onclick = () => {
    show(parties[number][0]);
    plot.scrollIntoView({block: 'center'});
  };
});
at('found').hidden = !findings.length;

// ---- paper ----

// A sheet shows the timeline in lines, as sheets of music do, and all that is collapsed.
const SHEET = 690, ROWS = 12;
let closed = [];
addEventListener('beforeprint', () => {
  closed = [...document.querySelectorAll('details:not([open])')];
  closed.forEach(card => card.open = true);
  const width = operations.length > 300 ? 15 : 136;
  for (let first = 0, last; first < operations.length; first = last) {
    const used = new Set();
    for (last = first; last < operations.length && (last - first + 1) * width <= SHEET; ++last) {
      const operation = operations[last], more = [operation.thread];
      if (operation.stream !== undefined) more.push(laneOf(operation));
      if (last > first && new Set([...used, ...more]).size > ROWS) break;
      more.forEach(lane => used.add(lane));
    }
    at('printed').append(draw(first, last, width, every.filter(lane => used.has(lane)), 28).strip);
  }
});
addEventListener('afterprint', () => {
  closed.forEach(card => card.open = false);
  at('printed').replaceChildren();
});
}
