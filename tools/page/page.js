// page.js - the page at work: a tree of which only the rows in sight exist.
//
// Everything is text to the browser: no name ever becomes markup.
'use strict';
(() => {
const data = JSON.parse(document.getElementById('data').textContent);
const at = (id) => document.getElementById(id);
const NONE = -1, MOST_PATH = 4095, MOST_NAME = 300;

// --- Words -----------------------------------------------------------------

const STEERING = new RegExp('[\\u0000-\\u001f\\u007f-\\u009f\\u061c' +
  '\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff]', 'g');

// What cannot be seen, or turns what is beside it around, by its number.
function shown(text) {
  return text.replace(STEERING, (c) => '\u27e8U+' +
    c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0') + '\u27e9');
}

function cut(text, most = MOST_NAME) {
  return text.length > most ? text.slice(0, most) + '\u2026' : text;
}

// The end of a path tells more than its beginning.
function ending(text, most) {
  return text.length > most ? '\u2026' + text.slice(1 - most) : text;
}

// Types as the library writes them, and as the tool does.
const spaced = (text) => text.replace('[', ' [');

// A name as it stands in a path.
function escaped(name) {
  return name.replace(/[\/%*|()\u0000-\u001f\u007f]/g, (c) =>
    '%' + c.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0'));
}

function bytesText(n) {
  if (n < 1024) return `${n} B`;
  let unit = 0;
  for (n /= 1024; n >= 1024 && unit < 4; unit++) n /= 1024;
  return `${n.toFixed(1)} ${'KMGTP'[unit]}iB`;
}

const counted = (n) => n.toLocaleString('en-US');
const plural = (n, word) => `${counted(n)} ${word}${n === 1 ? '' : 's'}`;

function realText(x) {
  if (x === null || x === undefined) return '\u2013';
  return String(Number(x.toPrecision(6)));
}

// --- The graph -------------------------------------------------------------

const KINDS = ['nil', 'object', 'variable', 'list', 'dict', 'state'];
const nodeCount = data.kinds.length;
const edgeBegin = new Int32Array(nodeCount + 1);
const edgeFrom = new Int32Array(data.edge_children.length);
for (let n = 0; n < nodeCount; n++) {
  edgeBegin[n + 1] = edgeBegin[n] + data.edge_counts[n];
  edgeFrom.fill(n, edgeBegin[n], edgeBegin[n + 1]);
}

// Lists by node, one behind the other: [begins, members].
function grouped(keys) {
  const begin = new Int32Array(nodeCount + 1);
  for (const key of keys) begin[key + 1]++;
  for (let n = 0; n < nodeCount; n++) begin[n + 1] += begin[n];
  const next = begin.slice(), members = new Int32Array(keys.length);
  for (let i = 0; i < keys.length; i++) members[next[keys[i]]++] = i;
  return (n) => members.subarray(begin[n], begin[n + 1]);
}

const edgesTo = grouped(data.edge_children);
const slotsOwned = grouped(data.slot_owners);
const slotsFor = grouped(data.slot_variables);
const slotsAt = grouped(data.slot_nodes);
const tagsOf = grouped(data.tag_nodes);
const globalOf = grouped(data.global_nodes);
const valueOf = new Int32Array(nodeCount).fill(NONE);
data.value_nodes.forEach((n, v) => { valueOf[n] = v; });

const nodeKind = (n) => Number(data.kinds[n]);
const edgeName = (e) => data.names[data.edge_names[e]];
const slotName = (s) => data.names[data.slot_names[s]];
const sizeOf = (n) => valueOf[n] < 0 ? 0 : data.places[3 * valueOf[n]];
const isSaved = (n) => valueOf[n] >= 0 && data.places[3 * valueOf[n] + 2];

function typeText(n) {
  const type = valueOf[n] < 0 ? null : data.types[valueOf[n]];
  return type ? `${data.dtypes[type[0]]} [${type.slice(1)}]` : '';
}

function fileOf(value) {
  let found = null;
  for (let i = 0; i < data.files.length && data.files[i] <= value; i += 2)
    found = data.files[i + 1] || null;
  return found;
}

// The color of a node: by what it is to the others.
function lookOf(n) {
  if (slotsAt(n).length) return 'slot';
  if (slotsOwned(n).length) return 'optimizer';
  if (nodeKind(n) === 2) return 'variable';
  return nodeKind(n) === 5 ? 'state' : 'object';
}

const LOOKS = [['object', 'objects'], ['variable', 'variables'],
  ['optimizer', 'optimizers (owners of slots)'], ['slot', 'slots'],
  ['state', 'states'], ['program', 'not in the file']];

// --- The tree: each node once, further edges to it are aliases -------------

const NODE = 0, ALIAS = 1, SLOTS = 2, SLOT_NAME = 3, EXTRA = 4, FOLDER = 5;
const type = [], node = [], parent = [], label = [], kids = [], depth = [];
const place = new Int32Array(nodeCount).fill(NONE);
const slotOf = new Map();  // of items that stand for a slot
const noteOfItem = new Map();

function add(kind, of, above, name) {
  const item = type.length;
  type.push(kind);
  node.push(of);
  parent.push(above);
  label.push(name);
  kids.push(null);
  depth.push(above < 0 ? 0 : depth[above] + 1);
  if (above >= 0) (kids[above] = kids[above] || []).push(item);
  if (kind === NODE) place[of] = item;
  return item;
}

function addBelow(item) {
  const n = node[item];
  for (let e = edgeBegin[n]; e < edgeBegin[n + 1]; e++) {
    const child = data.edge_children[e];
    add(place[child] < 0 ? NODE : ALIAS, child, item, edgeName(e));
  }
  if (slotsOwned(n).length) add(SLOTS, n, item, 'slots');
}

function addSlots(item) {
  const names = new Map();
  for (const s of slotsOwned(node[item])) {
    const name = slotName(s);
    if (!names.has(name)) names.set(name, []);
    names.get(name).push(s);
  }
  for (const [name, slots] of names) {
    const group = add(SLOT_NAME, node[item], item, name);
    for (const s of slots) {
      const n = data.slot_nodes[s];
      slotOf.set(add(place[n] < 0 ? NODE : ALIAS, n, group, ''), s);
    }
  }
}

// Breadth first, what only slots lead to last.
function plant() {
  let done = 0;
  const grow = () => {
    const slots = [];
    for (; done < type.length; done++) {
      if (type[done] === NODE) addBelow(done);
      if (type[done] === SLOTS) slots.push(done);
    }
    slots.forEach(addSlots);
    return done < type.length;
  };
  add(NODE, 0, NONE, '');
  while (grow());
  let lost = NONE;
  for (let n = 0; n < nodeCount; n++) {
    if (place[n] >= 0) continue;
    if (lost < 0) lost = add(FOLDER, NONE, 0, '(nothing leads here)');
    add(NODE, n, lost, `#${n}`);
    while (grow());
  }
}

function pathOf(item, nested = 0) {
  const parts = [];
  let size = 0;
  for (; item > 0 && size <= MOST_PATH; item = parent[item]) {
    let part = type[item] >= EXTRA ? label[item] : escaped(label[item]);
    const s = slotOf.get(item);
    if (s !== undefined) {
      const variable = place[data.slot_variables[s]];
      const of = nested < 4 ? pathOf(variable, nested + 1) : '\u2026';
      part = `${escaped(slotName(s))}(${of})`;
      item = parent[parent[item]];  // to the slots of the owner
    } else if (type[item] === SLOTS) {
      part = '(slots)';
    }
    parts.push(part);
    size += part.length + 1;
  }
  const path = parts.reverse().join('/');
  return path.length > MOST_PATH ? '...' + path.slice(3 - MOST_PATH) : path;
}

// What a row is called.
function nameOf(item) {
  const s = slotOf.get(item);
  if (s !== undefined)
    return shown(pathOf(place[data.slot_variables[s]]) || '/');
  if (item === 0) return '/';
  return shown(cut(label[item])).replace(/^ | $/g, '\u2423');
}

const childMaps = new Map();
function childNamed(item, name) {
  let map = childMaps.get(item);
  if (!map) {
    childMaps.set(item, map = new Map());
    for (const kid of kids[item] || []) {
      if (type[kid] === NODE || type[kid] === ALIAS)
        map.set(escaped(label[kid]), kid);
      else if (type[kid] >= EXTRA)
        map.set(label[kid], kid);
    }
  }
  return map.get(name);
}

// The parts of a path; in a slot's parentheses there are further ones.
function partsOf(path) {
  const slot = path.indexOf('(');
  const head = slot < 0 ? path : path.slice(0, slot);
  const parts = head.split('/').filter((part) => part !== '');
  if (slot >= 0 && !head.endsWith('/'))
    parts.push((parts.pop() || '') + path.slice(slot));
  return parts;
}

function itemAt(path) {
  const slot = /^(.*?)([^\/(]*)\((.*)\)$/.exec(path);
  let item = 0;
  for (const part of partsOf(slot ? slot[1] : path)) {
    item = childNamed(item, part);
    if (item === undefined) return NONE;
    if (type[item] === ALIAS) item = place[node[item]];
  }
  if (!slot) return item;
  const extra = childNamed(item, `${slot[2]}(${slot[3]})`);
  const variable = itemAt(slot[3]);
  if (extra !== undefined || variable < 0 || type[item] !== NODE)
    return extra === undefined ? NONE : extra;
  const s = Array.from(slotsOwned(node[item])).find((k) =>
    escaped(slotName(k)) === slot[2] &&
    data.slot_variables[k] === node[variable]);
  return s === undefined ? NONE : place[data.slot_nodes[s]];
}

// What the file does not have, where it would be.
function addRow(row) {
  const parts = partsOf(row[0]);
  let item = 0;
  parts.forEach((part, i) => {
    const isLast = i === parts.length - 1;
    const found = isLast ? undefined : childNamed(item, part);
    if (found !== undefined) {
      item = type[found] === ALIAS ? place[node[found]] : found;
      return;
    }
    const map = childMaps.get(item);
    item = add(EXTRA, NONE, item, part);
    if (map && !map.has(part)) map.set(part, item);
  });
  if (item === 0) item = add(EXTRA, NONE, 0, row[0] || '/');
  noteOfItem.set(item, { type: row[1], note: row.slice(2) });
}

plant();
const noteOf = new Map(data.notes.map((note) => [note[0], note.slice(1)]));
const remarks = data.rows.filter((row) => !row[0] && row[0] !== '');
data.rows.forEach((row) => { if (row[0] || row[0] === '') addRow(row); });
const itemCount = type.length;

const noteAt = (item) => type[item] === EXTRA ?
  (noteOfItem.get(item) || { note: null }).note :
  type[item] === NODE || type[item] === ALIAS ? noteOf.get(node[item]) : null;
const markAt = (item) => (noteAt(item) || [0])[0];
const lookAt = (item) => type[item] >= EXTRA ? 'program' :
  type[item] === SLOTS || type[item] === SLOT_NAME ? 'slot' :
  lookOf(node[item]);

// Bytes, nodes and marks of each and all that is below it.
const bytes = new Float64Array(itemCount);
const within = new Int32Array(itemCount);
const marked = data.marks.map(() => new Int32Array(itemCount));
for (let i = itemCount - 1; i >= 0; i--) {
  if (type[i] === NODE) bytes[i] += sizeOf(node[i]);
  const mark = type[i] === ALIAS ? 0 : markAt(i);
  if (mark) marked[mark - 1][i]++;
  if (i === 0) break;
  bytes[parent[i]] += bytes[i];
  within[parent[i]] += within[i] + 1;
  for (const counts of marked) counts[parent[i]] += counts[i];
}

// --- What is in sight ------------------------------------------------------

const open = new Uint8Array(itemCount);
let view = new Int32Array(0);  // the items that have rows, in their order
let row = new Map();           // and their positions there
let chosen = 0;
let matches = [], isMatch = new Uint8Array(itemCount), current = -1;
let kept = null;  // with a filter: 1 those it keeps, 2 those that lead to them
const wanted = { marks: new Set(), looks: new Set(), only: false,
  valued: false };
const frame = at('frame'), rows = at('rows');
const TONE_SIGNS = ['\u00b7', '\u2713', '\u2026', '\u2013', '+', '~', '\u2717',
  '\u26a1'];
const collator = new Intl.Collator('en', { numeric: true });
let order = 'file', sorted = new Map();

function kidsOf(item) {
  const all = kids[item];
  if (!all || order === 'file' || all.length < 2) return all || [];
  let some = sorted.get(item);
  if (!some) {
    const byName = all.length > 5000 ?
      (a, b) => label[a] < label[b] ? -1 : label[a] > label[b] ? 1 : a - b :
      (a, b) => collator.compare(nameOf(a), nameOf(b));
    some = all.slice().sort(order === 'name' ? byName :
      (a, b) => bytes[b] - bytes[a] || a - b);
    sorted.set(item, some);
  }
  return some;
}

function look() {
  const list = [], stack = [0];
  while (stack.length) {
    const item = stack.pop();
    if (kept && !kept[item]) continue;
    list.push(item);
    if (!open[item]) continue;
    const below = kidsOf(item);
    for (let i = below.length - 1; i >= 0; i--) stack.push(below[i]);
  }
  view = Int32Array.from(list);
  row = null;
  rows.style.height = `${Math.min(view.length * rowHeight, MOST_HEIGHT)}px`;
  draw();
}

function rowOf(item) {
  if (!row) {
    row = new Map();
    view.forEach((of, i) => row.set(of, i));
  }
  return row.has(item) ? row.get(item) : NONE;
}

let rowHeight = 24, isPrinting = false;
const MOST_HEIGHT = 8e6;  // browsers lose their way in elements much higher

function measure() {
  const text = getComputedStyle(document.documentElement)
    .getPropertyValue('--height');
  rowHeight = parseFloat(text) || 24;
}

// Where the first row in sight begins: in the very long, by proportion.
function scrolled() {
  const full = view.length * rowHeight, room = frame.clientHeight;
  if (full <= MOST_HEIGHT) return frame.scrollTop;
  return frame.scrollTop / (MOST_HEIGHT - room) * (full - room);
}

function scrollTo(top) {
  const full = view.length * rowHeight, room = frame.clientHeight;
  top = Math.max(0, Math.min(top, full - room));
  frame.scrollTop = full <= MOST_HEIGHT ? top :
    top / (full - room) * (MOST_HEIGHT - room);
}

function paint() {
  asked = false;
  const top = scrolled(), shift = frame.scrollTop - top;
  const extra = isPrinting ? 0 : 6;
  const most = isPrinting ? 3000 : frame.clientHeight / rowHeight + 2 * extra;
  const first = isPrinting ? 0 : Math.max(0, (top / rowHeight | 0) - extra);
  const last = Math.min(view.length, Math.ceil(first + most));
  const made = new Map();
  for (let i = first; i < last; i++) {
    const element = drawn.get(i) || makeRow(view[i], i);
    element.style.top = `${i * rowHeight + shift}px`;
    made.set(i, element);
  }
  drawn = made;
  rows.style.height = `${Math.min(isPrinting ? last * rowHeight :
    view.length * rowHeight, MOST_HEIGHT)}px`;
  rows.replaceChildren(...made.values());
  frame.setAttribute('aria-activedescendant', `row${chosen}`);
}

let asked = false;
let drawn = new Map();  // rows by position, as long as only the place changes
function scroll() {
  if (!asked) requestAnimationFrame(paint);
  asked = true;
}

function draw() {
  drawn = new Map();
  scroll();
}

// --- Rows ------------------------------------------------------------------

function make(tag, kind, text) {
  const element = document.createElement(tag);
  if (kind) element.className = kind;
  if (text !== undefined) element.textContent = text;
  return element;
}

function isAbove(item, below) {
  for (; below > item; below = parent[below]);
  return below === item;
}

function noteText(item) {
  const n = node[item];
  switch (type[item]) {
  case ALIAS: {
    const to = place[n], isCycle = isAbove(to, parent[item]);
    return `${isCycle ? '\u21ba back to' : '\u2192'} ` +
      (shown(cut(pathOf(to))) || '/');
  }
  case SLOTS: return plural(slotsOwned(n).length, 'slot');
  case SLOT_NAME: return `for ${plural(kids[item].length, 'variable')}`;
  case EXTRA: return spaced((noteOfItem.get(item) || {}).type || '');
  case FOLDER: return '';
  }
  const shared = edgesTo(n).length;
  const more = shared > 1 ? ` \u00b7 ${shared} paths` : '';
  const lost = valueOf[n] >= 0 && !isSaved(n) ? ' \u00b7 not saved' : '';
  const kind = KINDS[nodeKind(n)];
  if (nodeKind(n) === 2) return typeText(n) + lost + more;
  if (nodeKind(n) === 3 || nodeKind(n) === 4)
    return `${kind} of ${data.edge_counts[n]}${more}`;
  return kind + lost + more;
}

function makeBadges(item) {
  const badges = make('span', 'below');
  data.marks.forEach((mark, m) => {
    const count = marked[m][item] - (markAt(item) === m + 1 ? 1 : 0);
    if (count > 0 && mark[2] !== 1)
      badges.append(make('span', `tone${mark[2]}`,
        TONE_SIGNS[mark[2]] + counted(count)));
  });
  return badges.childElementCount ? badges : '';
}

function makeRow(item, position) {
  const mark = markAt(item), tone = mark ? data.marks[mark - 1][2] : NONE;
  const element = make('div', `row${mark ? ` t${tone}` : ''}` +
    `${item === chosen ? ' chosen' : ''}${isMatch[item] ? ' found' : ''}`);
  element.id = `row${item}`;
  element.dataset.row = position;
  element.setAttribute('role', 'treeitem');
  element.setAttribute('aria-level', depth[item] + 1);
  element.setAttribute('aria-selected', item === chosen);
  element.style.paddingLeft = `${6 + 15 * Math.min(depth[item], 30)}px`;
  const hasKids = kids[item] && kids[item].length;
  if (hasKids) element.setAttribute('aria-expanded', !!open[item]);
  element.append(make('span',
    `twist${hasKids ? open[item] ? ' open' : ' shut' : ''}`));
  if (data.marks.length) {
    const sign = make('span', `mark tone${tone}`, mark ? TONE_SIGNS[tone] : '');
    if (mark) sign.setAttribute('aria-label', data.marks[mark - 1][0]);
    element.append(sign);
  }
  const leaf = !hasKids && type[item] !== SLOTS ? ' leaf' : '';
  element.append(make('span', `kind ${lookAt(item)}${leaf}` +
    `${type[item] === ALIAS ? ' alias' : ''}`));
  element.append(make('span', 'name', nameOf(item)));
  if (hasKids && !open[item] && data.marks.length)
    element.append(makeBadges(item));
  const says = mark && type[item] !== ALIAS ? noteAt(item)[1] : 0;
  element.append(make('span', 'note', noteText(item) +
    (says ? ` \u2014 ${shown(cut(says, 160))}` : '')));
  if (bytes[item] > 0) {
    element.append(make('span', 'size', bytesText(bytes[item])));
    const bar = make('span', 'share'), fill = make('i');
    fill.style.width = `${100 * bytes[item] / bytes[0]}%`;
    bar.append(fill);
    element.append(bar);
  } else {
    element.append(make('span', 'size'), make('span', 'share none'));
  }
  return element;
}

// --- The panel -------------------------------------------------------------

function linkTo(item, text) {
  const link = make('button', 'link', text || shown(pathOf(item)) || '/');
  link.addEventListener('click', () => choose(item, true));
  return link;
}

function addTerm(list, name, value) {
  list.append(make('dt', '', name));
  const term = make('dd');
  term.append(value);
  list.append(term);
}

function makeNote(note) {
  const mark = note[0] ? data.marks[note[0] - 1] : null;
  const box = make('div', `says${mark ? ` tone${mark[2]}` : ''}`);
  if (mark) box.append(make('b', '', `${TONE_SIGNS[mark[2]]} ${mark[0]} `));
  if (note[1]) box.append(make('span', '', shown(note[1])));
  if (note[2]) {
    const item = itemAt(note[2]);
    const hint = make('div', 'hint', 'may be meant: ');
    hint.append(item >= 0 ? linkTo(item, shown(note[2])) : shown(note[2]));
    box.append(hint);
  }
  return box;
}

const MOST_LISTED = 30;
function addList(panel, title, members, makeMember) {
  if (!members.length) return;
  panel.append(make('h3', '', title));
  const list = make('ul');
  for (const member of members.slice(0, MOST_LISTED)) {
    const line = make('li');
    line.append(...makeMember(member));
    list.append(line);
  }
  if (members.length > MOST_LISTED)
    list.append(make('li', 'hint',
      `and ${counted(members.length - MOST_LISTED)} more`));
  panel.append(list);
}

// The items by which a node can be come to.
function waysTo(n) {
  const ways = [];
  for (const e of edgesTo(n)) {
    const from = place[edgeFrom[e]];
    const item = (kids[from] || []).find((kid) => node[kid] === n &&
      type[kid] <= ALIAS && label[kid] === edgeName(e));
    if (item !== undefined) ways.push(item);
    if (ways.length > MOST_LISTED) break;
  }
  return ways;
}

function addValueTerms(list, n) {
  const value = valueOf[n];
  const shape = data.types[value].slice(1);
  const elements = shape.reduce((a, b) => a * b, 1);
  addTerm(list, 'type', data.dtypes[data.types[value][0]]);
  addTerm(list, 'shape', `[${shape.join(', ')}]` +
    ` \u00b7 ${shape.length ? plural(elements, 'element') : 'scalar'}`);
  addTerm(list, 'bytes', sizeOf(n) < 1024 ? bytesText(sizeOf(n)) :
    `${bytesText(sizeOf(n))} (${counted(sizeOf(n))})`);
  if (!isSaved(n)) {
    addTerm(list, 'saved', 'no: declared only');
    return;
  }
  const file = fileOf(value), digest = data.digests.substr(32 * value, 32);
  if (file)
    addTerm(list, 'offset', counted(data.places[3 * value + 1]) +
      (file === data.file ? '' : ` in ${shown(file.split('/').pop())}`));
  else
    addTerm(list, 'stored', 'packed, or in pieces');
  if (/[1-9a-f]/.test(digest))
    addTerm(list, 'digest', make('span', 'mono', digest));
}

function fillOfNode(panel, item) {
  const n = node[item], list = make('dl');
  const look = lookOf(n), kind = KINDS[nodeKind(n)];
  addTerm(list, 'kind', look === 'slot' ? `${kind}, a slot` :
    look === 'optimizer' ? `${kind}, owner of slots` : kind);
  if (valueOf[n] >= 0) addValueTerms(list, n);
  const home = place[n];
  if (kids[home])
    addTerm(list, 'below', `${plural(within[home], 'row')}, ` +
      `${bytesText(bytes[home])} (${bytes[0] ?
        (100 * bytes[home] / bytes[0]).toPrecision(3) : 0} %)`);
  for (const g of globalOf(n))
    addTerm(list, 'global name', shown(data.names[data.global_names[g]]));
  const tags = Array.from(tagsOf(n), (t) => data.names[data.tag_names[t]]);
  if (tags.length) addTerm(list, 'tags', shown(tags.join(', ')));
  addTerm(list, 'node', `#${n}`);
  panel.append(list);
  const ways = waysTo(n);
  if (ways.length > 1)
    addList(panel, `shared: ${edgesTo(n).length} paths lead here`, ways,
      (way) => [linkTo(way)]);
  panel.append(make('h3', '', 'its neighbours'), neighbours(n));
  const owned = (kids[home] || []).find((kid) => type[kid] === SLOTS);
  if (owned !== undefined)
    addList(panel, 'slots that it owns', kids[owned], (group) =>
      [linkTo(group, shown(label[group])), ` ${noteText(group)}`]);
  addList(panel, 'its slots', Array.from(slotsFor(n)), (s) =>
    [linkTo(place[data.slot_nodes[s]], shown(slotName(s))), ' of ',
      linkTo(place[data.slot_owners[s]])]);
}

function fillPanel() {
  const panel = at('panel'), item = chosen, note = noteAt(item);
  const title = make('h2', '', ending(shown(pathOf(item)), 240) || '/');
  title.title = shown(pathOf(item));
  panel.replaceChildren(title);
  if (type[item] === ALIAS) {
    const line = make('p', 'hint', isAbove(place[node[item]], parent[item]) ?
      'a cycle: the same node as ' : 'the same node as ');
    line.append(linkTo(place[node[item]]));
    panel.append(line);
  }
  if (note && (note[0] || note[1] || note[2])) panel.append(makeNote(note));
  if (type[item] === SLOTS || type[item] === SLOT_NAME)
    addList(panel, noteText(item), kids[item], (kid) =>
      [linkTo(kid, nameOf(kid))]);
  else if (type[item] >= EXTRA)
    panel.append(make('p', 'hint', noteText(item) || (noteOfItem.has(item) ?
      'not in the file' : 'leads to what is not in the file')));
  else
    fillOfNode(panel, item);
  if (note && note[3]) addStatistics(panel, note[3]);
  panel.scrollTop = 0;
}

// --- Small pictures --------------------------------------------------------

function svg(tag, attributes, text) {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const name in attributes) element.setAttribute(name, attributes[name]);
  if (text !== undefined) element.textContent = text;
  return element;
}

function addStatistics(panel, s) {
  const [count, zeros, nans, infinities, least, most, mean, deviation] = s;
  const list = make('dl');
  addTerm(list, 'elements', counted(count));
  addTerm(list, 'least', realText(least));
  addTerm(list, 'most', realText(most));
  addTerm(list, 'mean', realText(mean));
  addTerm(list, 'deviation', realText(deviation));
  for (const [name, n] of [['zeros', zeros], ['NaN', nans],
    ['infinite', infinities]])
    if (n) addTerm(list, name, `${counted(n)} (${(100 * n / count)
      .toPrecision(3)} %)`);
  panel.append(make('h3', '', 'its elements'), list);
  if (s[10].length) panel.append(histogram(s[8], s[9], s[10]));
}

function histogram(low, high, bins) {
  const width = 380, height = 84, step = width / bins.length;
  const top = Math.max(1, ...bins);
  const picture = svg('svg', { viewBox: `0 0 ${width} ${height + 16}`,
    role: 'img', 'aria-label': 'histogram' });
  bins.forEach((count, i) => {
    const tall = count ? Math.max(1, height * count / top) : 0;
    const bar = svg('rect', { class: 'bin', x: i * step + 0.5,
      width: Math.max(0.5, step - 1), y: height - tall, height: tall });
    const from = low + (high - low) * i / bins.length;
    const to = low + (high - low) * (i + 1) / bins.length;
    bar.append(svg('title', {},
      `${realText(from)} to ${realText(to)}: ${counted(count)}`));
    picture.append(bar);
  });
  picture.append(svg('line', { class: 'edge', x1: 0, x2: width, y1: height,
    y2: height }));
  picture.append(svg('text', { class: 'small', x: 0, y: height + 13 },
    realText(low)));
  picture.append(svg('text', { class: 'small', x: width, y: height + 13,
    'text-anchor': 'end' }, realText(high)));
  return picture;
}

// Boxes beside a node: what leads to it, and what it leads to.
const MOST_BOXES = 7;
function boxesBefore(n) {
  const boxes = Array.from(edgesTo(n).subarray(0, MOST_BOXES + 1), (e) =>
    ({ item: place[edgeFrom[e]], on: edgeName(e), look: lookOf(edgeFrom[e]) }));
  for (const s of slotsAt(n))
    boxes.push({ item: place[data.slot_owners[s]], on: slotName(s),
      look: 'optimizer', isSlot: true });
  return boxes;
}

function boxesBehind(n) {
  const boxes = [];
  for (let e = edgeBegin[n]; e < edgeBegin[n + 1]; e++) {
    if (boxes.length > MOST_BOXES) break;
    const to = data.edge_children[e];
    boxes.push({ item: place[to], name: edgeName(e), look: lookOf(to),
      isBack: isAbove(place[to], place[n]) });
  }
  for (const s of slotsAt(n))
    boxes.unshift({ item: place[data.slot_variables[s]], look: 'variable',
      isSlot: true, on: 'slot of' });
  for (const s of slotsFor(n))
    boxes.push({ item: place[data.slot_nodes[s]], look: 'slot', isSlot: true,
      name: slotName(s), on: shown(pathOf(place[data.slot_owners[s]])) });
  const owned = (kids[place[n]] || []).find((kid) => type[kid] === SLOTS);
  for (const group of owned === undefined ? [] : kids[owned])
    boxes.push({ item: group, name: label[group], look: 'slot', isSlot: true,
      on: `for ${plural(kids[group].length, 'variable')}` });
  return boxes;
}

const BOX = { width: 112, height: 30, gap: 7, column: 138 };

function addBox(picture, box, x, y, isHere, edgeInto) {
  const go = svg('g', { class: 'go' });
  const name = box.name !== undefined ? shown(box.name) :
    nameOf(box.item);
  go.append(svg('title', {}, shown(pathOf(box.item)) || '/'));
  go.append(svg('rect', { class: `box ${box.look}${isHere ? ' here' : ''}`, x,
    y, width: BOX.width, height: BOX.height, rx: 5 }));
  go.append(svg('text', { x: x + 7, y: y + 13 }, ending(name, 16)));
  const isPlain = isHere || box.on === undefined || box.on === edgeInto;
  go.append(svg('text', { class: 'small', x: x + 7, y: y + 25 },
    ending(isPlain ? noteText(box.item).split(' \u00b7 ')[0] : box.on, 19)));
  go.addEventListener('click', () => choose(box.item, true));
  picture.append(go);
}

function addColumn(picture, boxes, x, height, middle, here) {
  const some = boxes.length > MOST_BOXES ? boxes.slice(0, MOST_BOXES) : boxes;
  const step = BOX.height + BOX.gap;
  const tall = some.length * step - BOX.gap;
  const centre = BOX.column + BOX.width / 2;
  some.forEach((box, i) => {
    const y = (height - tall) / 2 + i * step, own = y + BOX.height / 2;
    const isLeft = x === 0;
    const from = isLeft ? BOX.width : centre + BOX.width / 2;
    const to = isLeft ? centre - BOX.width / 2 : x;
    const [a, b] = isLeft ? [own, middle] : [middle, own];
    const bend = (from + to) / 2;
    picture.append(svg('path', { class: `edge${box.isSlot ? ' slots' : ''}` +
      `${box.isBack ? ' back' : ''}`, 'marker-end': 'url(#arrow)',
      d: `M${from} ${a}C${bend} ${a} ${bend} ${b} ${to - 2} ${b}` }));
    addBox(picture, box, x, y, false, isLeft ? label[here] : undefined);
  });
}

function neighbours(n) {
  const before = boxesBefore(n), behind = boxesBehind(n);
  const most = Math.max(1, Math.min(MOST_BOXES,
    Math.max(before.length, behind.length)));
  const height = most * (BOX.height + BOX.gap) - BOX.gap, middle = height / 2;
  const picture = svg('svg', { role: 'img', 'aria-label': 'its neighbours',
    viewBox: `-2 -2 ${2 * BOX.column + BOX.width + 4} ${height + 20}` });
  const marker = svg('marker', { id: 'arrow', viewBox: '0 0 6 6', refX: 5,
    refY: 3, markerWidth: 6, markerHeight: 6, orient: 'auto' });
  marker.append(svg('path', { d: 'M0 0L6 3L0 6z', fill: 'currentColor' }));
  picture.append(marker);
  addColumn(picture, before, 0, height, middle, place[n]);
  addColumn(picture, behind, 2 * BOX.column, height, middle, place[n]);
  addBox(picture, { item: place[n], look: lookOf(n) }, BOX.column,
    middle - BOX.height / 2, true);
  const count = edgesTo(n).length + slotsAt(n).length;
  if (count > MOST_BOXES)
    picture.append(svg('text', { class: 'small', x: 0, y: height + 14 },
      `and ${counted(count - MOST_BOXES)} more`));
  const ahead = edgeBegin[n + 1] - edgeBegin[n] + slotsFor(n).length;
  if (ahead > MOST_BOXES)
    picture.append(svg('text', { class: 'small', x: 2 * BOX.column,
      y: height + 14 }, `and ${counted(ahead - MOST_BOXES)} more`));
  return picture;
}

// --- Choosing --------------------------------------------------------------

function unfoldTo(item) {
  let changed = false;
  for (let i = parent[item]; i >= 0; i = parent[i]) {
    changed = changed || !open[i];
    open[i] = 1;
  }
  return changed;
}

function choose(item, comes) {
  chosen = item;
  if (comes && kept && !kept[item]) dropFilters();
  if (unfoldTo(item) || comes) look();
  const position = rowOf(item), y = position * rowHeight;
  const top = scrolled(), room = frame.clientHeight;
  if (position >= 0 && y < top) scrollTo(y - (comes ? room / 3 : 0));
  else if (position >= 0 && y + rowHeight > top + room)
    scrollTo(y + rowHeight - room + (comes ? room / 3 : 0));
  fillPanel();
  draw();
  remember();
}

function remember() {
  const parts = [];
  if (at('query').value)
    parts.push(`q=${encodeURIComponent(at('query').value)}`);
  if (chosen > 0) parts.push(`at=${encodeURIComponent(pathOf(chosen))}`);
  try {
    history.replaceState(null, '', parts.length ? `#${parts.join('&')}` :
      location.pathname + location.search);
  } catch (refused) { /* from a file some browsers do not allow it */ }
}

function fold(item, opens) {
  if (!kids[item]) return;
  open[item] = opens ? 1 : 0;
  if (!opens && isAbove(item, chosen) && item !== chosen) {
    chosen = item;
    fillPanel();
  }
  look();
}

function foldAll(opens) {
  open.fill(opens ? 1 : 0);
  open[0] = 1;
  if (!opens) {
    while (depth[chosen] > 1) chosen = parent[chosen];
    fillPanel();
  }
  look();
  choose(chosen, false);
}

// --- Searching and filtering -----------------------------------------------

// `*` stays within a name, `**` does not; a glob without '/' is of a last name.
function globOf(text) {
  const body = text.replace(/[.+^${}()|\\]/g, '\\$&')
    .replace(/\*\*/g, '\u0000').replace(/\*/g, '[^/]*').replace(/\?/g, '[^/]')
    .replace(/\u0000\//g, '(?:.*/)?').replace(/\u0000/g, '.*');
  try {
    return new RegExp(`^${text.includes('/') ? '' : '(?:.*/)?'}${body}$`, 'i');
  } catch (wrong) {
    return null;  // a bracket that is still open
  }
}

let searched = null;  // all paths, where they have room in memory
function searchedPath(item) {
  if (!searched) {
    let room = 0;
    for (let i = 0; i < itemCount; i++)
      room += 20 + 12 * Math.min(depth[i], 400);
    searched = room < 2e8 ? new Array(itemCount) : [];
    searched.isKept = room < 2e8;
  }
  if (!searched.isKept) return pathOf(item);
  return searched[item] || (searched[item] = pathOf(item));
}

function search() {
  const text = at('query').value.trim();
  matches = [];
  isMatch.fill(0);
  current = -1;
  if (text) {
    const glob = /[*?\[]/.test(text) ? globOf(text) : null;
    const plain = text.toLowerCase();
    for (let i = 0; i < itemCount; i++) {
      if (type[i] === SLOTS || type[i] === SLOT_NAME) continue;
      const path = searchedPath(i);
      if (glob ? !glob.test(path) : !path.toLowerCase().includes(plain))
        continue;
      matches.push(i);
      isMatch[i] = 1;
    }
  }
  tellFound();
  filter();
  if (matches.length) step(1, true);
  remember();
}

function tellFound() {
  const text = at('query').value.trim();
  at('found').textContent = !text ? '' : !matches.length ? 'none' :
    current < 0 ? counted(matches.length) :
    `${counted(current + 1)} of ${counted(matches.length)}`;
}

// From where one is to the next match in the order of the page.
function step(by, isFirst) {
  if (!matches.length) return;
  const all = kept ? matches.filter((i) => kept[i] === 1) : matches;
  if (!all.length) return;
  current = isFirst ? 0 : (current + by + all.length) % all.length;
  choose(all[current], true);
  tellFound();
}

function isWanted(item) {
  if (type[item] === ALIAS && (wanted.marks.size || wanted.looks.size))
    return false;
  if (wanted.marks.size && !wanted.marks.has(markAt(item))) return false;
  if (wanted.looks.size && !wanted.looks.has(lookAt(item))) return false;
  if (wanted.valued && !(type[item] === NODE && valueOf[node[item]] >= 0) &&
      !noteOfItem.has(item))
    return false;
  return !wanted.only || !matches.length || isMatch[item];
}

function filter() {
  const isOn = wanted.marks.size || wanted.looks.size || wanted.valued ||
    (wanted.only && matches.length);
  kept = isOn ? new Uint8Array(itemCount) : null;
  for (let i = itemCount - 1; isOn && i > 0; i--) {
    if (isWanted(i)) kept[i] = 1;
    if (kept[i] && !kept[parent[i]]) kept[parent[i]] = 2;
    if (kept[i] && !wanted.valued) open[parent[i]] = 1;
  }
  if (isOn) kept[0] = kept[0] || 2;
  look();
}

function dropFilters() {
  wanted.marks.clear();
  wanted.looks.clear();
  wanted.only = at('only').checked = false;
  wanted.valued = at('valued').checked = false;
  for (const chip of at('legend').children)
    chip.setAttribute('aria-pressed', false);
  filter();
}

function addChip(sign, name, count, help, set, value) {
  const chip = make('button');
  chip.append(sign, ` ${name} `, make('b', '', counted(count)));
  chip.title = help;
  chip.disabled = count === 0;
  chip.setAttribute('aria-pressed', false);
  chip.addEventListener('click', () => {
    if (!set.delete(value)) set.add(value);
    chip.setAttribute('aria-pressed', set.has(value));
    filter();
    frame.scrollTop = 0;
  });
  at('legend').append(chip);
}

function fillLegend() {
  data.marks.forEach(([name, help, tone], m) => addChip(
    make('b', `tone${tone}`, TONE_SIGNS[tone]), name, marked[m][0],
    help || '', wanted.marks, m + 1));
  const counts = {};
  for (let i = 0; i < itemCount; i++)
    if (type[i] === NODE || noteOfItem.has(i))
      counts[lookAt(i)] = (counts[lookAt(i)] || 0) + 1;
  for (const [look, words] of LOOKS)
    if (counts[look])
      addChip(make('i', `kind ${look}`), words, counts[look],
        'show these alone', wanted.looks, look);
}

// --- What one does ---------------------------------------------------------

function tipAt(event) {
  if (event.pointerType === 'touch') return;
  const element = event.target.closest && event.target.closest('.row');
  const tip = at('tip');
  if (!element) {
    tip.hidden = true;
    return;
  }
  const item = view[element.dataset.row], note = noteAt(item);
  tip.replaceChildren(make('p', '', ending(shown(pathOf(item)), 400) || '/'),
    make('p', 'hint', [noteText(item), bytes[item] && bytesText(bytes[item])]
      .filter((text) => text).join(' \u00b7 ')));
  if (note && note[0]) {
    const mark = data.marks[note[0] - 1];
    tip.append(make('p', `tone${mark[2]}`, `${TONE_SIGNS[mark[2]]} ${mark[0]}` +
      `${note[1] ? `: ${shown(note[1])}` : ''}`));
  } else if (note && note[1]) {
    tip.append(make('p', '', shown(note[1])));
  }
  if (note && note[2])
    tip.append(make('p', '', `may be meant: ${shown(note[2])}`));
  if (note && note[3]) {
    const s = note[3];
    tip.append(make('p', 'hint', `${realText(s[4])} to ${realText(s[5])}, ` +
      `mean ${realText(s[6])}, deviation ${realText(s[7])}` +
      `${s[2] ? `, ${counted(s[2])} NaN` : ''}` +
      `${s[3] ? `, ${counted(s[3])} infinite` : ''}`));
    if (s[10].length) tip.append(histogram(s[8], s[9], s[10]));
  }
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const x = Math.min(event.clientX + 16, innerWidth - box.width - 8);
  const below = event.clientY + 18;
  tip.style.left = `${Math.max(4, x)}px`;
  tip.style.top = `${below + box.height > innerHeight ?
    Math.max(4, event.clientY - box.height - 10) : below}px`;
}

function onRow(event) {
  const element = event.target.closest('.row');
  if (!element) return;
  const item = view[element.dataset.row];
  if (event.target.classList.contains('twist')) fold(item, !open[item]);
  else choose(item, false);
}

function move(by) {
  const position = rowOf(chosen);
  const to = Math.max(0, Math.min(view.length - 1, position + by));
  choose(view[to], false);
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const page = Math.max(1, (frame.clientHeight / rowHeight | 0) - 1);
  const keys = {
    ArrowDown: () => move(1), ArrowUp: () => move(-1),
    PageDown: () => move(page), PageUp: () => move(-page),
    Home: () => move(-view.length), End: () => move(view.length),
    ArrowRight: () => kids[chosen] && !open[chosen] ? fold(chosen, true) :
      kids[chosen] && move(1),
    ArrowLeft: () => kids[chosen] && open[chosen] && chosen ?
      fold(chosen, false) : chosen && choose(parent[chosen], false),
    Enter: () => type[chosen] === ALIAS ? choose(place[node[chosen]], true) :
      fold(chosen, !open[chosen]),
    ' ': () => fold(chosen, !open[chosen]),
    '*': () => foldAll(true), '-': () => foldAll(false),
    n: () => step(1), N: () => step(-1),
  };
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
}

function onQueryKey(event) {
  if (event.key === 'Enter') step(event.shiftKey ? -1 : 1);
  else if (event.key === 'ArrowDown') frame.focus();
  else if (event.key === 'Escape' && !at('query').value) frame.focus();
  else return;
  event.preventDefault();
}

function listen() {
  let timer = 0;
  at('query').addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(search, itemCount > 20000 ? 120 : 0);
  });
  at('query').addEventListener('keydown', onQueryKey);
  at('next').addEventListener('click', () => step(1));
  at('previous').addEventListener('click', () => step(-1));
  at('unfold').addEventListener('click', () => foldAll(true));
  at('fold').addEventListener('click', () => foldAll(false));
  at('only').addEventListener('change', () => {
    wanted.only = at('only').checked;
    filter();
  });
  at('valued').addEventListener('change', () => {
    wanted.valued = at('valued').checked;
    filter();
  });
  at('sort').addEventListener('change', () => {
    order = at('sort').value;
    sorted = new Map();
    look();
    choose(chosen, true);
  });
  frame.addEventListener('scroll', () => {
    at('tip').hidden = true;
    scroll();
  });
  frame.addEventListener('click', onRow);
  frame.addEventListener('dblclick', (event) => {
    const element = event.target.closest('.row');
    if (element && !event.target.classList.contains('twist'))
      fold(view[element.dataset.row], !open[view[element.dataset.row]]);
  });
  frame.addEventListener('pointermove', tipAt);
  frame.addEventListener('pointerleave', () => { at('tip').hidden = true; });
  frame.addEventListener('keydown', onKey);
  addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.target === at('query')) return;
    event.preventDefault();
    at('query').focus();
  });
  addEventListener('resize', () => { measure(); draw(); });
  addEventListener('hashchange', takeHash);
  addEventListener('beforeprint', () => {
    isPrinting = true;
    measure();
    draw();
    paint();
  });
  addEventListener('afterprint', () => {
    isPrinting = false;
    measure();
    draw();
  });
}

// --- The beginning ---------------------------------------------------------

function metadataText([name, value]) {
  if (name === 'time' && Number.isFinite(Number(value)) && value !== '') {
    const time = new Date(1000 * Number(value));
    if (!Number.isNaN(time.getTime()))
      return `saved ${time.toISOString().replace('T', ' ').slice(0, 19)} UTC`;
  }
  return `${cut(shown(name))} ${cut(shown(String(value)), 80)}`;
}

function fillHeading() {
  const title = shown(data.title || data.file);
  document.title = `${title.split('/').pop()} \u2013 Varve`;
  at('title').textContent = title;
  const parts = [data.format, plural(nodeCount, 'node'),
    plural(data.value_nodes.length, 'value'), bytesText(bytes[0])];
  if (data.counter) parts.push(`save ${counted(data.counter)}`);
  data.metadata.slice(0, 8).forEach((m) => parts.push(metadataText(m)));
  if (data.title) parts.unshift(shown(data.file));
  at('about').textContent = parts.join(' \u00b7 ');
  at('remarks').hidden = !remarks.length;
  at('remarks').firstElementChild.textContent =
    plural(remarks.length, 'remark');
  for (const remark of remarks.slice(0, 1000)) {
    const line = make('li', '', shown(remark[3] || ''));
    if (remark[4]) line.append(` (may be meant: ${shown(remark[4])})`);
    at('remarks').lastElementChild.append(line);
  }
}

// Unfolds what fits, level by level, and what there is to be seen to.
function unfoldSome() {
  let shownRows = 1;
  const queue = [0];
  for (let i = 0; i < queue.length; i++) {
    const item = queue[i], below = kids[item] || [];
    if (type[item] === SLOTS || shownRows + below.length > 60) continue;
    open[item] = 1;
    shownRows += below.length;
    for (const kid of below) queue.push(kid);
  }
  open[0] = 1;
  let left = 100;
  for (let i = 0; i < itemCount && left > 0; i++) {
    const mark = type[i] === ALIAS ? 0 : markAt(i);
    if (!mark || data.marks[mark - 1][2] < 4) continue;
    left--;
    unfoldTo(i);
  }
}

function takeHash() {
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.get('q') && asked.get('q') !== at('query').value) {
    at('query').value = asked.get('q');
    search();
  }
  const path = asked.get('at') || data.chosen;
  const item = path ? itemAt(path) : NONE;
  if (item >= 0 && item !== chosen) choose(item, true);
}

measure();
fillHeading();
fillLegend();
unfoldSome();
listen();
look();
fillPanel();
takeHash();
requestAnimationFrame(() => {
  document.documentElement.dataset.ready = Math.round(performance.now());
});
})();
