// SPDX-License-Identifier: Apache-2.0
// The section with the picture: what to colour by, which picture, legend, list of what was picked.
import { names, readBlock, words } from './blocks';
import { assignColours, clusterColour, css, rampColour } from './colours';
import { cutText, h, ordinal, percent, plural, short, whole, type Child } from './dom';
import { Scatter, type Picture } from './scatter';

type Rgb = [number, number, number];
const none = 255;

export interface Points {
  count: number; pictures: Picture[]; label: (i: number) => number; truth: ((i: number) => number) | null;
  confidence: Uint8Array | null; distance: Uint8Array | null; loudest: Uint8Array | null; parts: Uint8Array | null; columns: Uint8Array | null;
  member: Uint32Array; id: (i: number) => number; name: (i: number) => string;
}

function numbers(bytes: Uint8Array, wide: boolean): (i: number) => number {
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

export async function readPoints(extra: any): Promise<Points | null> {
  const about = extra.points, labels = await readBlock('labels');
  if (!about || !labels || !about.shown) return null;
  const count: number = about.shown, stride: number = about.stride || 1;
  const member = new Uint32Array(Math.ceil(count / stride)).map((_, i) => i * stride);
  const pictures: Picture[] = [];
  for (let p = 0; p < about.pictures.length; p++) {
    const raw = words(await readBlock(`picture-${p}`));
    if (raw) pictures.push(pictureOf(about.pictures[p], raw, p && stride > 1 ? member : null));
  }
  const truth = await readBlock('truth'), ids = await readBlock('ids'), called = names(await readBlock('names'), about.name_length);
  const number = ids ? new Uint32Array(ids.buffer.slice(0, ids.length & ~3)) : null;
  const id = (i: number) => (number ? number[i] : i), nameStride: number = about.name_stride || 1;
  return {
    count, pictures, member, id, label: numbers(labels, about.wide_labels), truth: truth ? numbers(truth, about.wide_truth) : null,
    confidence: await readBlock('confidence'), distance: await readBlock('distance'), loudest: await readBlock('loudest'),
    parts: await readBlock('parts'), columns: await readBlock('columns'), name: (i) => (i % nameStride ? '' : called?.[i / nameStride]) || `sample ${id(i) + 1}`,
  };
}

const pack = (c: Rgb): number => (0xff000000 | (c[2] << 16) | (c[1] << 8) | c[0]) >>> 0;
const grey: Rgb = [0x99, 0x99, 0x99];

interface Colouring { name: string; group: string; of: (point: number) => Rgb; key: (string | [string, Rgb, number])[]; category?: (point: number) => number; ramp?: [string, string] }

export function pictureSection(points: Points, data: any, extra: any): { node: HTMLElement; colours: string[] } {
  const clusters: number = data.clusters, views: any[] = data.views ?? extra.views ?? [];
  const main = points.pictures[0];
  const centres: [number, number][] = Array.from({ length: clusters }, () => [0, 0]), members = new Float64Array(clusters);
  const medians: number[][][] = Array.from({ length: clusters }, () => [[], []]);
  if (main) for (let i = 0; i < points.count; i++) {
    const c = points.label(i);
    if (c < 0) continue;
    members[c]++;
    if (medians[c][0].length < 2000) { medians[c][0].push(main.x[i]); medians[c][1].push(main.y[i]); }
  }
  const middle = (list: number[]) => (list.length ? list.sort((a, b) => a - b)[list.length >> 1] : 0);
  for (let c = 0; c < clusters; c++) { // the member nearest to the medians: the middle of a crescent is outside it
    const [xs, ys] = medians[c], x = middle([...xs]), y = middle([...ys]);
    let nearest = -1, least = Infinity;
    for (let i = 0; i < xs.length; i++) { const d = (xs[i] - x) ** 2 + (ys[i] - y) ** 2; if (d < least) { least = d; nearest = i; } }
    centres[c] = nearest < 0 ? [x, y] : [xs[nearest], ys[nearest]];
  }
  const slots = assignColours(centres), colourOf = (c: number): Rgb => (c < 0 ? grey : clusterColour(slots[c]));
  const classes: string[] = extra.classes ?? [], aboutColumns: any[] = extra.points.columns ?? [];

  const colourings: Colouring[] = [{
    name: 'cluster', group: 'Labels', of: (i) => colourOf(points.label(i)), category: points.label,
    key: Array.from({ length: clusters }, (_, c) => [`cluster ${c}`, colourOf(c), members[c]] as [string, Rgb, number]).filter((k) => k[2] > 0),
  }];
  const truth = points.truth;
  if (truth) {
    const counts = new Float64Array(classes.length);
    for (let i = 0; i < points.count; i++) if (truth(i) >= 0) counts[truth(i)]++;
    colourings.push({ name: 'true class', group: 'Labels', of: (i) => (truth(i) < 0 ? grey : clusterColour(truth(i))), category: truth,
      key: classes.map((name, c) => [name, clusterColour(c), counts[c]] as [string, Rgb, number]) });
  }
  const scaleOf = (name: string, group: string, values: Uint8Array, most: number, ends: [string, string], at = (i: number) => i): Colouring => ({
    name, group, ramp: ends, key: [], of: (i) => { const v = values[at(i)]; return v === undefined || v === none ? grey : rampColour(v / most); } });
  if (points.confidence) colourings.push(scaleOf('confidence', 'How sure', points.confidence, 250, ['0, in doubt', '1, sure']));
  if (points.distance) colourings.push(scaleOf('distance from what was seen', 'How sure', points.distance, 250, ['0, as seen', '1, unlike']));
  const loudest = points.loudest;
  if (loudest) {
    const counts = new Float64Array(views.length);
    for (let i = 0; i < points.count; i++) if (loudest[i] !== none) counts[loudest[i]]++;
    colourings.push({ name: 'view that speaks loudest', group: 'Views', of: (i) => (loudest[i] === none ? grey : clusterColour(loudest[i])),
      category: (i) => (loudest[i] === none ? -1 : loudest[i]), key: views.map((v, i) => [v.name, clusterColour(i), counts[i]] as [string, Rgb, number]) });
  }
  const columns = points.columns, stride: number = extra.points.stride || 1, size = points.member.length;
  if (columns) aboutColumns.forEach((column, k) => colourings.push(scaleOf(`${column.name}`, `Columns of ${column.view}`,
    columns.subarray(k * size, (k + 1) * size), 254, [short(column.low), short(column.high)], (i) => (i % stride ? -1 : i / stride))));

  const colour = new Uint32Array(points.count), hidden = new Set<number>();
  let now = colourings[0], listed: number[] = [];
  const legend = h('div', { class: 'legend' }), list = h('div', { class: 'picked', 'aria-live': 'polite' });
  const visible = (i: number) => !hidden.size || !now.category || !hidden.has(now.category(i));

  const describe = (i: number): string[] => {
    const lines = [points.name(i), `cluster ${points.label(i)}`];
    if (points.truth && points.truth(i) >= 0) lines.push(`true class ${cutText(classes[points.truth(i)] ?? '', 60)}`);
    const sure = points.confidence?.[i];
    if (sure !== undefined && sure !== none) lines.push(`confidence ${(sure / 250).toFixed(2)}`);
    const far = points.distance?.[i];
    if (far !== undefined && far !== none) lines.push(`distance ${(far / 250).toFixed(2)}`);
    if (points.parts) views.forEach((view, v) => {
      const part = (points.parts as Uint8Array)[v * points.count + i];
      lines.push(`${cutText(view.name, 24)} ${part === none ? 'missing' : percent(part / 20)}`);
    });
    if (columns && now.group.startsWith('Columns') && i % stride === 0) {
      const k = colourings.indexOf(now) - (colourings.length - aboutColumns.length), about = aboutColumns[k], v = columns[k * size + i / stride];
      lines.push(`${cutText(about.name, 24)} ${v === none ? 'missing' : short(about.low + (about.high - about.low) * v / 254)}`);
    }
    return lines.map((line) => cutText(line, 90));
  };

  const labels = () => (now.name === 'cluster' && scatterPicture === main && clusters > 1
    ? centres.map((c, i) => ({ text: String(i), x: c[0], y: c[1] })).filter((_, i) => members[i] > 0 && !hidden.has(i)) : []);
  let scatterPicture = main;
  const scatter = new Scatter({ picture: main, colour, visible, labels: [], describe, selected: (p) => { listed = p; showPicked(); } }, () => matchMedia('(prefers-color-scheme: dark)').matches);
  (window as any).onefoldScatter = scatter;

  function showPicked(): void {
    if (!listed.length) { list.replaceChildren(); return; }
    const all = listed.map((i) => points.name(i)), most = 300, said = h('span', { role: 'status' });
    list.replaceChildren(
      h('h3', {}, `${plural(listed.length, 'sample')} picked`),
      h('div', { class: 'row control' },
        h('button', { type: 'button', click: () => copyText(all.join('\n')).then((ok) => { said.textContent = ok ? 'copied' : 'select the names and copy them'; }) }, 'Copy names'),
        h('button', { type: 'button', click: () => scatter.clear() }, 'Let go'), said),
      h('ol', { class: 'names', tabindex: 0, 'aria-label': 'Names of the samples picked' }, ...all.slice(0, most).map((name, k) => h('li', {}, cutText(name, 80), h('span', { class: 'note' }, ` cluster ${points.label(listed[k])}`)))),
      ...(all.length > most ? [h('p', { class: 'note' }, `and ${whole(all.length - most)} more, which are copied too`)] : []));
  }

  function recolour(): void {
    for (let i = 0; i < points.count; i++) colour[i] = pack(now.of(i));
    scatter.set({ picture: scatterPicture, labels: labels() });
  }

  function showLegend(): void {
    hidden.clear();
    const parts: Child[] = [];
    if (now.ramp) {
      const bar = h('span', { class: 'ramp', 'aria-hidden': 'true' });
      bar.style.background = `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map((t) => css(rampColour(t))).join(', ')})`;
      parts.push(h('span', {}, now.ramp[0]), bar, h('span', {}, now.ramp[1]));
    }
    now.key.forEach((entry) => {
      const [name, rgb, count] = entry as [string, Rgb, number], value = now.name === 'cluster' ? Number(name.slice(8)) : now.key.indexOf(entry);
      const dot = h('span', { class: 'dot', 'aria-hidden': 'true' });
      dot.style.background = css(rgb);
      const button: HTMLButtonElement = h('button', { type: 'button', 'aria-pressed': 'true', title: `show or hide ${cutText(name, 60)}`, click: () => {
        const shown = button.getAttribute('aria-pressed') !== 'true';
        button.setAttribute('aria-pressed', String(shown));
        if (shown) hidden.delete(value); else hidden.add(value);
        scatter.set({ labels: labels() });
      } }, dot, h('span', {}, cutText(name, 28)), h('span', { class: 'note' }, whole(count)));
      parts.push(button);
    });
    legend.replaceChildren(...parts.filter((p): p is Node => p instanceof Node));
    if (now.key.length > 2) legend.append(h('button', { type: 'button', class: 'plain control', click: () => {
      const on = legend.querySelectorAll('button[aria-pressed="false"]').length > 0;
      legend.querySelectorAll<HTMLButtonElement>('button[aria-pressed]').forEach((b) => { if ((b.getAttribute('aria-pressed') === 'true') !== on) b.click(); });
    } }, 'all or none'));
  }

  const groups = [...new Set(colourings.map((c) => c.group))];
  const colourBy = h('select', { id: 'colour-by', change: () => { now = colourings[Number(colourBy.value)]; showLegend(); recolour(); } },
    ...groups.map((group) => h('optgroup', { label: cutText(group, 60) }, ...colourings.filter((c) => c.group === group).map((c) => h('option', { value: colourings.indexOf(c) }, cutText(c.name, 60))))));
  const which = h('select', { id: 'which-picture', change: () => { scatterPicture = points.pictures[Number(which.value)]; scatter.home(); recolour(); } },
    ...points.pictures.map((p, i) => h('option', { value: i }, cutText(p.name, 60))));
  const lasso: HTMLButtonElement = h('button', { type: 'button', 'aria-pressed': 'false', click: () => {
    const on = lasso.getAttribute('aria-pressed') !== 'true';
    lasso.setAttribute('aria-pressed', String(on)); scatter.setLasso(on);
  } }, 'Lasso');
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => scatter.draw());
  showLegend(); recolour();

  const shownOf = extra.points.shown < extra.points.of ? ` ${whole(extra.points.shown)} of ${whole(extra.points.of)} samples are shown, drawn at random.` : '';
  const says = main.name.includes('t-SNE') ? 'Neighbours in the fused embedding stay neighbours here (t-SNE); distances between far clusters say little.' : 'The two leading principal components of the fused embedding.';
  const fewer = (stride > 1 ? ` Other pictures and columns have every ${ordinal(stride)} of them.` : '')
    + (extra.points.name_stride > 1 ? ` There was room for every ${ordinal(extra.points.name_stride)} name.` : '');
  const node = h('section', { class: 'card wide', 'aria-labelledby': 'picture-title' },
    h('h2', { id: 'picture-title' }, 'The samples'),
    h('p', { class: 'lead' }, `${says}${shownOf}${fewer}`),
    h('div', { class: 'row control' }, h('label', { for: 'colour-by' }, 'Colour by'), colourBy,
      points.pictures.length > 1 ? h('label', { for: 'which-picture' }, 'Picture') : null, points.pictures.length > 1 ? which : null,
      h('button', { type: 'button', 'aria-label': 'Zoom in', click: () => scatter.zoomBy(1.5) }, '+'),
      h('button', { type: 'button', 'aria-label': 'Zoom out', click: () => scatter.zoomBy(1 / 1.5) }, '\u2212'),
      h('button', { type: 'button', click: () => scatter.home() }, 'Whole'), lasso),
    scatter.element, legend,
    h('p', { class: 'note control', id: 'scatter-keys' }, 'Drag to move, wheel to zoom, Shift and drag to pick. Keys: arrows, plus, minus, 0 for the whole, Enter names the sample in the middle, Escape lets go.'),
    list);
  return { node, colours: Array.from({ length: clusters }, (_, c) => css(colourOf(c))) };
}

export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = h('textarea', { 'aria-hidden': 'true', class: 'hidden' });
    area.value = text;
    document.body.append(area);
    area.select();
    const done = document.execCommand('copy');
    area.remove();
    return done;
  }
}
