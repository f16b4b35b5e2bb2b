// SPDX-License-Identifier: Apache-2.0
// The section with the picture: what to colour by, which picture, legend, search, what was picked.
import { readBlock, words } from './blocks';
import type { ClusterNames } from './clusters';
import { assignColours, clusterColour, css, rampColour, viewColour, type Rgb } from './colours';
import { h, ordinal, percent, plural, short, whole, type Child } from './dom';
import { cutText, tellApart } from './labels';
import { assign } from './match';
import { copyText, saveButtons } from './save';
import { Scatter, type Picture } from './scatter';
import { isDark, onTheme } from './theme';

const none = 255;

export interface Points {
  count: number; pictures: Picture[]; label: (i: number) => number; truth: ((i: number) => number) | null;
  confidence: Uint8Array | null; loudest: Uint8Array | null; parts: Uint8Array | null; columns: Uint8Array | null;
  member: Uint32Array; id: (i: number) => number; name: (i: number) => string;
}

export function numbers(bytes: Uint8Array, wide: boolean): (i: number) => number {
  if (!wide) return (i) => (bytes[i] === none ? -1 : bytes[i]);
  const all = words(bytes) as Uint16Array;
  return (i) => (all[i] === 65535 ? -1 : all[i]);
}

function pictureOf(name: string, raw: Uint16Array, member: Uint32Array | null): Picture {
  const n = raw.length >> 1, x = new Float32Array(n), y = new Float32Array(n);
  for (let i = 0; i < n; i++) { // the last step is for samples that are not there
    x[i] = raw[i] === 65535 ? NaN : raw[i] / 65534;
    y[i] = raw[n + i] === 65535 ? NaN : raw[n + i] / 65534;
  }
  return { name, x, y, member };
}

// What samples are called, by the point that is shown of them.
export async function readNames(about: any, id: (i: number) => number): Promise<(i: number) => string> {
  const list = await readBlock('names-json'), stride: number = about.name_stride || 1;
  const called: string[] | null = list && JSON.parse(new TextDecoder().decode(list));
  return (i) => (i % stride ? '' : called?.[i / stride]) || `sample ${id(i) + 1}`;
}

export async function readPoints(extra: any): Promise<Points | null> {
  const about = extra.points, labels = await readBlock('labels');
  if (!about || !labels || !about.shown) return null;
  const count: number = about.shown, stride: number = about.stride || 1;
  const member = new Uint32Array(Math.ceil(count / stride)).map((_, i) => i * stride);
  const pictures: Picture[] = [];
  for (let p = 0; p < (about.pictures ?? []).length; p++) {
    const raw = words(await readBlock(`picture-${p}`));
    if (raw) pictures.push(pictureOf(about.pictures[p], raw, p && stride > 1 ? member : null));
  }
  const truth = await readBlock('truth'), ids = await readBlock('ids');
  const number = ids ? new Uint32Array(ids.buffer.slice(0, ids.length & ~3)) : null, id = (i: number) => (number ? number[i] : i);
  return {
    count, pictures, member, id, label: numbers(labels, about.wide_labels), truth: truth ? numbers(truth, about.wide_truth) : null,
    confidence: await readBlock('confidence'), loudest: await readBlock('loudest'),
    parts: await readBlock('parts'), columns: await readBlock('columns'), name: await readNames(about, id),
  };
}

const pack = (c: Rgb): number => (0xff000000 | (c[2] << 16) | (c[1] << 8) | c[0]) >>> 0;
const grey: Rgb = [0x99, 0x99, 0x99];

interface Entry { name: string; colour: Rgb; count: number; value: number }
interface Colouring { name: string; group: string; of: (point: number) => Rgb; key: () => Entry[]; category?: (point: number) => number; ramp?: [string, string]; say?: (point: number) => string }

// Where the number of a cluster stands, and how many of it are shown.
function middles(points: Points, clusters: number): { centres: [number, number][]; members: Float64Array } {
  const main = points.pictures[0], centres: [number, number][] = [], members = new Float64Array(clusters);
  const places: number[][][] = Array.from({ length: clusters }, () => [[], []]);
  for (let i = 0; i < points.count; i++) {
    const c = points.label(i);
    if (c < 0) continue;
    members[c]++;
    if (places[c][0].length < 2000) { places[c][0].push(main.x[i]); places[c][1].push(main.y[i]); }
  }
  const middle = (list: number[]) => (list.length ? list.sort((a, b) => a - b)[list.length >> 1] : 0);
  for (let c = 0; c < clusters; c++) { // the member nearest to the medians: the middle of a crescent is outside it
    const [xs, ys] = places[c], x = middle([...xs]), y = middle([...ys]);
    let nearest = -1, least = Infinity;
    for (let i = 0; i < xs.length; i++) { const d = (xs[i] - x) ** 2 + (ys[i] - y) ** 2; if (d < least) { least = d; nearest = i; } }
    centres.push(nearest < 0 ? [x, y] : [xs[nearest], ys[nearest]]);
  }
  return { centres, members };
}

const count = (points: Points, of: (i: number) => number, kinds: number): Float64Array => {
  const counts = new Float64Array(kinds);
  for (let i = 0; i < points.count; i++) { const v = of(i); if (v >= 0 && v < kinds) counts[v]++; }
  return counts;
};

// All that points can be coloured by: labels, how sure, views, and the columns that the page has.
function colouringsOf(points: Points, data: any, extra: any, called: ClusterNames, colourOf: (c: number) => Rgb, members: Float64Array): Colouring[] {
  const views: any[] = data.views ?? [], classes: string[] = extra.classes ?? [], list: Colouring[] = [];
  const kinds = (name: string, group: string, of: (i: number) => number, levels: () => string[], colour: (value: number) => Rgb, counts = count(points, of, levels().length)): Colouring => ({
    name, group, category: of, of: (i) => (of(i) < 0 ? grey : colour(of(i))),
    key: () => levels().map((text, value) => ({ name: text, colour: colour(value), count: counts[value], value })).filter((entry) => entry.count > 0) });
  const scale = (name: string, group: string, values: Uint8Array, most: number, ends: [string, string], at = (i: number) => i): Colouring => ({
    name, group, ramp: ends, key: () => [], of: (i) => { const v = values[at(i)]; return v === undefined || v === none ? grey : rampColour(v / most); } });
  list.push(kinds('cluster', 'Labels', points.label, () => called.all(), colourOf, members));
  if (points.truth) {
    const matched = extra.contingency && classes.length <= 300 && data.clusters <= 300 ? assign(extra.contingency, classes.length) : [], cluster = classes.map((_, t) => matched.indexOf(t));
    let spare = data.clusters; // a class has the colour of the cluster that it is matched with
    const colours = cluster.map((c) => (c >= 0 ? colourOf(c) : clusterColour(spare++)));
    list.push(kinds('true class', 'Labels', points.truth, () => classes, (t) => colours[t] ?? clusterColour(t)));
  }
  if (points.confidence) list.push(scale('confidence', 'How sure', points.confidence, 250, ['0, in doubt', '1, sure']));
  const loudest = points.loudest;
  if (loudest) list.push(kinds('view that speaks loudest', 'Views', (i) => (loudest[i] === none ? -1 : loudest[i]), () => views.map((v) => v.name), viewColour));
  const columns = points.columns, stride: number = extra.points.stride || 1, size = points.member.length, about: any[] = extra.points.columns ?? [];
  if (columns) about.forEach((column, k) => { // a column of words has them, and their numbers on the scale of all columns
    const values = columns.subarray(k * size, (k + 1) * size), at = (i: number) => (i % stride ? -1 : i / stride), said: string[] | undefined = column.words;
    const group = said ? String(column.view ?? 'about the samples').replace(/^./, (c) => c.toUpperCase()) : `Columns of ${column.view}`;
    const value = (i: number) => { const v = values[at(i)]; return v === undefined || v === none ? null : column.low + ((column.high - column.low) * v) / 254; };
    const word = (i: number) => { const v = value(i); return v === null ? -1 : Math.round(v); };
    const made = said ? kinds(column.name, group, word, () => said, clusterColour) : scale(column.name, group, values, 254, [short(column.low), short(column.high)], at);
    made.say = (i) => (i % stride ? '' : value(i) === null ? 'missing' : said ? said[word(i)] ?? '' : short(value(i)));
    list.push(made);
  });
  return list;
}

export interface PictureSection { node: HTMLElement; colours: string[]; picked: () => number[]; pick: (points: number[]) => void; renamed: () => void }

export function pictureSection(points: Points, data: any, extra: any, called: ClusterNames): PictureSection {
  const clusters: number = data.clusters, views: any[] = data.views ?? [], main = points.pictures[0], { centres, members } = middles(points, clusters);
  const slots = assignColours(centres), colourOf = (c: number): Rgb => (c < 0 ? grey : clusterColour(slots[c]));
  const classes: string[] = extra.classes ?? [], steps: number = extra.points.part_steps ?? 20, stride: number = extra.points.stride || 1;
  const colourings = colouringsOf(points, data, extra, called, colourOf, members);
  const colour = new Uint32Array(points.count), hidden = new Set<number>();
  let now = colourings[0], picked: number[] = [], picture = main;
  const legend = h('div', { class: 'legend' }), list = h('div', { class: 'picked', 'aria-live': 'polite' });
  const visible = (i: number) => !hidden.size || !now.category || !hidden.has(now.category(i));

  const describe = (i: number): string[] => {
    const own = called.own(points.label(i)), lines = [points.name(i), `cluster ${points.label(i)}${own ? `: ${own}` : ''}`];
    if (points.truth && points.truth(i) >= 0) lines.push(`true class ${cutText(classes[points.truth(i)] ?? '', 60)}`);
    const sure = points.confidence?.[i];
    if (sure !== undefined && sure !== none) lines.push(`confidence ${(sure / 250).toFixed(2)}`);
    if (points.parts) tellApart(views.map((v) => v.name), 24).forEach((view, v) => {
      const part = (points.parts as Uint8Array)[v * points.count + i];
      lines.push(`${view} ${part === none ? 'missing' : percent(part / steps)}`);
    });
    const said = now.say?.(i);
    if (said) lines.push(`${cutText(now.name, 40)} ${said}`);
    return lines.map((line) => cutText(line, 90));
  };

  const labels = () => (now === colourings[0] && picture === main && clusters > 1
    ? centres.map((c, i) => ({ text: cutText(called.short(i), 24), x: c[0], y: c[1], c: i })).filter(({ c }) => members[c] > 0 && !hidden.has(c)) : []);
  const scatter = new Scatter({ picture: main, colour, visible, labels: [], describe, selected: (p) => { picked = p; showPicked(); } }, isDark);
  (window as any).onefoldScatter = scatter;

  function showPicked(): void {
    if (!picked.length) { list.replaceChildren(); return; }
    const all = picked.map((i) => points.name(i)), most = 300, said = h('span', { role: 'status' });
    list.replaceChildren(
      h('h3', {}, `${plural(picked.length, 'sample')} picked`),
      h('div', { class: 'row control' },
        h('button', { type: 'button', click: () => copyText(all.join('\n')).then((ok) => { said.textContent = ok ? 'copied' : 'select the names and copy them'; }) }, 'Copy names'),
        h('button', { type: 'button', click: () => scatter.clear() }, 'Let go'), said),
      h('ol', { class: 'names', tabindex: 0, 'aria-label': 'Names of the samples picked' }, ...all.slice(0, most).map((name, k) => h('li', { title: name }, cutText(name, 80), h('span', { class: 'note' }, ` ${called.of(points.label(picked[k]))}`)))),
      ...(all.length > most ? [h('p', { class: 'note' }, `and ${whole(all.length - most)} more, which are copied too`)] : []));
  }

  function recolour(): void {
    for (let i = 0; i < points.count; i++) colour[i] = pack(now.of(i));
    scatter.set({ picture, labels: labels() });
  }

  function showLegend(): void {
    const parts: Child[] = [], key = now.key(), shown = tellApart(key.map((entry) => entry.name), 28);
    if (now.ramp) {
      const bar = h('span', { class: 'ramp', 'aria-hidden': 'true' });
      bar.style.background = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((t) => css(rampColour(t))).join(', ')})`;
      parts.push(h('span', {}, now.ramp[0]), bar, h('span', {}, now.ramp[1]));
    }
    key.forEach((entry, k) => {
      const dot = h('span', { class: 'dot', 'aria-hidden': 'true' });
      dot.style.background = css(entry.colour);
      const button: HTMLButtonElement = h('button', { type: 'button', 'aria-pressed': String(!hidden.has(entry.value)), title: `show or hide ${entry.name.slice(0, 200)}`, click: () => {
        const on = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(on));
        if (on) hidden.delete(entry.value); else hidden.add(entry.value);
        scatter.set({ labels: labels() });
      } }, dot, h('span', {}, shown[k]), h('span', { class: 'note' }, whole(entry.count)));
      parts.push(button);
    });
    legend.replaceChildren(...parts.filter((p): p is Node => p instanceof Node));
    if (key.length > 2) legend.append(h('button', { type: 'button', class: 'plain control', click: () => {
      const on = legend.querySelectorAll('button[aria-pressed="false"]').length > 0;
      legend.querySelectorAll<HTMLButtonElement>('button[aria-pressed]').forEach((b) => { if ((b.getAttribute('aria-pressed') === 'true') !== on) b.click(); });
    } }, 'all or none'));
  }

  const groups = [...new Set(colourings.map((c) => c.group))];
  const options = (group: string) => { const of = colourings.filter((c) => c.group === group), texts = tellApart(of.map((c) => c.name), 60);
    return of.map((c, k) => h('option', { value: colourings.indexOf(c) }, texts[k])); };
  const colourBy = h('select', { id: 'colour-by', change: () => { now = colourings[Number(colourBy.value)]; hidden.clear(); showLegend(); recolour(); } },
    ...groups.map((group) => h('optgroup', { label: cutText(group, 60) }, ...options(group))));
  const pictureNames = tellApart(points.pictures.map((p) => p.name), 60);
  const which = h('select', { id: 'which-picture', change: () => { picture = points.pictures[Number(which.value)]; scatter.home(); recolour(); } },
    ...pictureNames.map((name, i) => h('option', { value: i }, name)));
  const lasso: HTMLButtonElement = h('button', { type: 'button', 'aria-pressed': 'false', click: () => {
    const on = lasso.getAttribute('aria-pressed') !== 'true';
    lasso.setAttribute('aria-pressed', String(on)); scatter.setLasso(on);
  } }, 'Lasso');
  onTheme(() => scatter.draw());
  showLegend(); recolour();

  const shownOf = extra.points.shown < extra.points.of ? ` ${whole(extra.points.shown)} of ${whole(extra.points.of)} samples are shown, drawn at random.` : '';
  const says = main.name.includes('t-SNE') ? 'Samples that are alike in all views together lie side by side (t-SNE); distances between far clusters say little.' : 'Samples that are alike in all views together lie side by side (the two leading principal components of the fused embedding).';
  const fewer = (stride > 1 ? ` Other pictures and columns have every ${ordinal(stride)} of them.` : '')
    + (extra.points.name_stride > 1 ? ` There was room for every ${ordinal(extra.points.name_stride)} name.` : '');
  const caption = () => `The samples, ${picture.name}, by ${now.name}`;
  const node = h('section', { class: 'card wide', 'aria-labelledby': 'picture-title' },
    h('h2', { id: 'picture-title' }, 'The samples'),
    h('p', { class: 'lead' }, `${says}${shownOf}${fewer}`),
    h('div', { class: 'row control' }, h('label', { for: 'colour-by' }, 'Colour by'), colourBy,
      points.pictures.length > 1 ? h('label', { for: 'which-picture' }, 'Picture') : null, points.pictures.length > 1 ? which : null,
      h('span', { class: 'row' }, h('button', { type: 'button', 'aria-label': 'Zoom in', click: () => scatter.zoomBy(1.5) }, '+'),
        h('button', { type: 'button', 'aria-label': 'Zoom out', click: () => scatter.zoomBy(1 / 1.5) }, '\u2212'),
        h('button', { type: 'button', click: () => scatter.home() }, 'Whole'), lasso)),
    searchRow(points, (all) => { scatter.select(all); }, (i) => scatter.show(i)),
    scatter.element, legend,
    h('div', { class: 'tools control' }, saveButtons('The samples', () => scatter.drawing(caption(), now.ramp
      ? [{ text: now.ramp[0], colour: rampColour(0) }, { text: now.ramp[1], colour: rampColour(1) }] : now.key().slice(0, 40).filter((e) => !hidden.has(e.value)).map((e) => ({ text: cutText(e.name, 40), colour: e.colour }))))),
    h('p', { class: 'note control', id: 'scatter-keys' }, 'Drag to move, wheel to zoom, Shift and drag to pick. Keys: arrows, plus, minus, 0 for the whole, Enter names the sample in the middle, Space picks it, Escape lets go.'),
    list);
  return { node, colours: Array.from({ length: clusters }, (_, c) => css(colourOf(c))), picked: () => picked, pick: (p) => scatter.select(p),
    renamed: () => { showLegend(); scatter.set({ labels: labels() }); showPicked(); } };
}

// Finds samples by a part of their name: a list to choose from, and Enter picks them all.
function searchRow(points: Points, pickAll: (points: number[]) => void, show: (point: number) => boolean): HTMLElement {
  const most = 8, found = h('div', { class: 'found', role: 'group', 'aria-label': 'Samples found' }), said = h('span', { role: 'status', class: 'note' });
  let all: string[] | null = null, hits: number[] = [];
  const look = () => {
    const wanted = input.value.trim().toLowerCase();
    all ??= Array.from({ length: points.count }, (_, i) => points.name(i).toLowerCase());
    hits = [];
    if (wanted) for (let i = 0; i < all.length; i++) if (all[i].includes(wanted)) hits.push(i);
    hits.sort((a, b) => Number((all as string[])[b] === wanted) - Number((all as string[])[a] === wanted) || a - b);
    said.textContent = wanted ? (hits.length ? `${plural(hits.length, 'sample')} found` : 'no sample has this in its name') : '';
    const texts = tellApart(hits.slice(0, most).map((i) => points.name(i)), 40);
    found.replaceChildren(...texts.map((text, k) => h('button', { type: 'button', class: 'small', title: points.name(hits[k]), click: () => { if (!show(hits[k])) said.textContent = 'this sample is not in this picture'; } }, text)));
  };
  const input = h('input', { type: 'search', id: 'find-sample', autocomplete: 'off', input: look, keydown: (event) => {
    if ((event as KeyboardEvent).key !== 'Enter' || !hits.length) return;
    pickAll([...hits].sort((a, b) => a - b));
    show(hits[0]);
  } });
  return h('div', { class: 'row control', role: 'search' }, h('label', { for: 'find-sample' }, 'Find a sample'), input, said, found);
}
