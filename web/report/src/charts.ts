// SPDX-License-Identifier: Apache-2.0
// Small charts as SVG: bars, lines and heat maps. Each is a figure with its numbers behind it, and
// can be saved. Names have as much room as they need, up to half of the chart.
import { css, inkOn, rampColour } from './colours';
import { h, s, short, tableOf, tip, whole, type Table } from './dom';
import { fitNames, widthOf } from './labels';
import { saveButtons, standalone, tableRows } from './save';

// Charts are drawn about as wide as they are shown, so that their letters are as large as others.
const phone = matchMedia('(max-width: 860px)').matches;
const width = phone ? 400 : 560;
const small = 11.5;

const widest = (texts: string[], size?: number) => texts.reduce((most, text) => Math.max(most, widthOf(text.slice(0, 200), size)), 0);
const named = (short: string, whole: string, attributes: Record<string, string | number>) => s('text', attributes, tip(whole), short);

// A chart, and behind a switch the numbers it shows: for screen readers, and for copying.
export function figure(chart: SVGElement, caption: string, table: Table): HTMLElement {
  const most = 200, cut = table.rows.length > most ? { ...table, rows: table.rows.slice(0, most) } : table;
  return h('figure', {}, chart as unknown as Node, h('figcaption', {}, caption),
    h('div', { class: 'tools control' }, saveButtons(caption, () => standalone(chart, caption), () => tableRows(table)),
      h('details', {}, h('summary', {}, 'The numbers'), tableOf(cut, caption),
        cut === table ? null : h('p', { class: 'note' }, `The first ${most} of ${whole(table.rows.length)} rows.`))));
}

export interface Bar { name: string; value: number; text?: string; colour?: string; note?: string }

// Bars from a zero line, negative ones to the left.
export function bars(data: Bar[], caption: string, what: string, most = 60, across = width): HTMLElement {
  const shown = data.slice(0, most), row = 24, width = across, texts = shown.map((b) => b.text ?? short(b.value));
  const names = fitNames(shown.map((b) => b.name), across * 0.46 - 10), left = Math.max(40, widest(names) + 12), right = widest(texts) + 12;
  const low = Math.min(0, ...shown.map((b) => b.value)), high = Math.max(0, ...shown.map((b) => b.value));
  const behind = low < 0 ? right : 0; // values of negative bars stand to the left of them
  const span = high - low || 1, x = (v: number) => left + behind + ((v - low) / span) * (width - left - right - behind);
  const chart = s('svg', { viewBox: `0 0 ${width} ${shown.length * row + 4}`, role: 'img', 'aria-label': caption });
  shown.forEach((bar, i) => {
    const y = i * row + 3, from = x(Math.min(0, bar.value)), to = x(Math.max(0, bar.value)), minus = bar.value < 0;
    chart.append(s('g', {}, tip(`${bar.name}: ${texts[i]}${bar.note ? `\n${bar.note}` : ''}`),
      named(names[i], bar.name, { x: left - 8, y: y + 13, class: 'label', 'text-anchor': 'end' }),
      s('rect', { x: from, y, width: Math.max(1, to - from), height: row - 7, rx: 2, fill: bar.colour ?? 'var(--accent)' }),
      s('text', { x: minus ? from - 6 : to + 6, y: y + 13, class: 'value', 'text-anchor': minus ? 'end' : 'start' }, texts[i])));
  });
  const table: Table = { head: ['', what], rows: data.map((bar) => [bar.name, bar.text ?? short(bar.value)]) };
  if (data.some((bar) => bar.note)) { table.head.push('note'); table.rows.forEach((cells, i) => cells.push(data[i].note ?? '')); table.numeric = [false, true, false]; }
  return figure(chart, data.length > most ? `${caption} The first ${most} of ${data.length}.` : caption, table);
}

export interface Line { name: string; x: number[]; y: (number | null)[]; colour: string; strong?: boolean; dashed?: boolean | string; band?: number[] }
export interface Axes { x: string; y: string; log?: boolean; mark?: { x: number; text: string }; zero?: boolean; wholeX?: boolean }

function ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / count || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((v) => v >= raw) ?? raw;
  const out: number[] = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) out.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return out;
}

const tickText = (v: number) => (v !== 0 && (Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3) ? v.toExponential(0) : String(+v.toPrecision(6)));

// The key of a chart, drawn in it so that it is saved with it; returns how high it is.
function drawKey(chart: SVGElement, data: Line[]): number {
  if (data.length < 2 || data.length > 12) return 0;
  const names = fitNames(data.map((l) => l.name), width * 0.46);
  let x = 4, y = 14;
  data.forEach((line, i) => {
    const wide = 30 + widthOf(names[i]) + 16;
    if (x > 4 && x + wide > width) { x = 4; y += 20; }
    chart.append(s('line', { x1: x, x2: x + 22, y1: y - 4, y2: y - 4, stroke: line.colour, 'stroke-width': 3, 'stroke-dasharray': dashes(line) }),
      named(names[i], line.name, { x: x + 28, y, class: 'key' }));
    x += wide;
  });
  return y + 10;
}

const dashes = (line: Line) => (typeof line.dashed === 'string' ? line.dashed : line.dashed ? '5 4' : null);

export function lines(data: Line[], axes: Axes, caption: string, plot = 236): HTMLElement {
  const points = data.flatMap((l) => l.y.map((y, i) => ({ x: l.x[i], y, band: l.band?.[i] ?? 0 }))
    .filter((p): p is { x: number; y: number; band: number } => p.y !== null && Number.isFinite(p.y) && (!axes.log || p.y > 0)));
  const chart = s('svg', { role: 'img', 'aria-label': caption }), key = drawKey(chart, data), top = key + 14, height = key + plot;
  chart.setAttribute('viewBox', `0 0 ${width} ${height}`);
  const scale = (v: number) => (axes.log ? Math.log10(v) : v);
  let [x0, x1] = [Math.min(...points.map((p) => p.x)), Math.max(...points.map((p) => p.x))];
  let [y0, y1] = [Math.min(...points.map((p) => scale(p.y) - p.band)), Math.max(...points.map((p) => scale(p.y) + p.band))];
  if (!points.length) [x0, x1, y0, y1] = [0, 1, 0, 1];
  if (axes.zero && !axes.log) y0 = Math.min(0, y0);
  if (y1 - y0 < 1e-12 * Math.max(1, Math.abs(y1))) [y0, y1] = [y0 - 0.5, y1 + 0.5];
  if (x1 === x0) [x0, x1] = [x0 - 0.5, x1 + 0.5];
  const spare = (y1 - y0) * 0.05;
  [y0, y1] = [axes.zero && y0 === 0 ? 0 : y0 - spare, y1 + spare];
  const marks = ticks(y0, y1, 4), texts = marks.map((t) => (axes.log ? `10^${tickText(t)}` : tickText(t)));
  const left = 26 + widest(texts, small), right = 16, bottom = 40;
  const x = (v: number) => left + ((v - x0) / (x1 - x0)) * (width - left - right);
  const y = (v: number) => top + (1 - (scale(v) - y0) / (y1 - y0)) * (height - top - bottom);
  marks.forEach((t, i) => {
    const at = top + (1 - (t - y0) / (y1 - y0)) * (height - top - bottom);
    chart.append(s('line', { x1: left, x2: width - right, y1: at, y2: at, class: 'grid' }),
      s('text', { x: left - 6, y: at + 4, class: 'tick', 'text-anchor': 'end' }, texts[i]));
  });
  for (const t of ticks(x0, x1, 8)) if (!axes.wholeX || Number.isInteger(t))
    chart.append(s('text', { x: x(t), y: height - bottom + 16, class: 'tick', 'text-anchor': 'middle' }, tickText(t)));
  chart.append(s('text', { x: (left + width - right) / 2, y: height - 6, class: 'axis', 'text-anchor': 'middle' }, axes.x),
    s('text', { x: 13, y: (top + height - bottom) / 2, class: 'axis', 'text-anchor': 'middle', transform: `rotate(-90 13 ${(top + height - bottom) / 2})` }, axes.y));
  if (axes.mark)
    chart.append(s('line', { x1: x(axes.mark.x), x2: x(axes.mark.x), y1: top, y2: height - bottom, class: 'mark' }),
      s('text', { x: x(axes.mark.x) + (x(axes.mark.x) > width * 0.75 ? -5 : 5), y: top + 10, class: 'value', 'text-anchor': x(axes.mark.x) > width * 0.75 ? 'end' : 'start' }, axes.mark.text));
  for (const line of data) {
    const kept = line.y.map((v, i) => ({ x: line.x[i], v, i })).filter((p): p is { x: number; v: number; i: number } => p.v !== null && Number.isFinite(p.v) && (!axes.log || p.v > 0));
    const path = kept.map((p, i) => `${i ? 'L' : 'M'}${x(p.x).toFixed(1)} ${y(p.v).toFixed(1)}`).join('');
    const group = s('g', {}, tip(line.name));
    if (line.band && kept.length) {
      const band = line.band;
      const up = kept.map((p) => `${x(p.x).toFixed(1)},${y(p.v + band[p.i]).toFixed(1)}`), down = kept.map((p) => `${x(p.x).toFixed(1)},${y(p.v - band[p.i]).toFixed(1)}`).reverse();
      group.append(s('polygon', { points: [...up, ...down].join(' '), fill: line.colour, opacity: 0.14 }));
    }
    group.append(s('path', { d: path, fill: 'none', stroke: line.colour, 'stroke-width': line.strong ? 2.6 : 1.4, 'stroke-dasharray': dashes(line), opacity: line.strong || data.length < 5 ? 1 : 0.75 }));
    if (kept.length <= 40) for (const p of kept)
      group.append(s('circle', { cx: x(p.x), cy: y(p.v), r: line.strong ? 3.2 : 2, fill: line.colour }, tip(`${line.name}\n${axes.x} ${tickText(p.x)}: ${short(p.v, 4)}`)));
    chart.append(group);
  }
  const all = [...new Set(data.flatMap((l) => l.x))].sort((a, b) => a - b);
  return figure(chart, caption, { head: [axes.x, ...data.map((l) => l.name)],
    rows: all.map((v) => [tickText(v), ...data.map((l) => { const i = l.x.indexOf(v); return i < 0 ? '' : short(l.y[i], 6); })]) });
}

// Numbers from 0 to 1 (or to `most`) as shades, with the number in each cell where there is room.
export function heat(rows: string[], columns: string[], value: (row: number, column: number) => number | null, caption: string,
  options: { most?: number; text?: (v: number) => string; corner?: string } = {}): HTMLElement {
  const text = options.text ?? ((v: number) => v.toFixed(2)), most = options.most ?? 1, limit = 60;
  const r = Math.min(rows.length, limit), c = Math.min(columns.length, limit);
  const names = fitNames(rows.slice(0, r), width * 0.34), left = Math.max(30, widest(names) + 12);
  const cell = Math.min(72, Math.max(6, (width - left - 4) / Math.max(1, c))), tall = Math.min(30, Math.max(10, cell));
  const lying = widest(columns.slice(0, c), small) <= cell - 4, skip = Math.ceil(13 / cell);
  const heads = lying ? columns.slice(0, c) : fitNames(columns.slice(0, c), 130, (t) => widthOf(t, small)), top = lying ? 24 : widest(heads, small) + 14;
  const chart = s('svg', { viewBox: `0 0 ${width} ${top + r * tall + 4}`, role: 'img', 'aria-label': caption });
  for (let j = 0; j < c; j++) if (lying || j % skip === 0) {
    const x = left + (j + 0.5) * cell + (lying ? 0 : 4), y = top - 7;
    chart.append(named(heads[j], columns[j], lying ? { x, y, class: 'tick', 'text-anchor': 'middle' } : { x, y, class: 'tick', 'text-anchor': 'start', transform: `rotate(-90 ${x} ${y})` }));
  }
  for (let i = 0; i < r; i++) {
    if (tall >= 12 || i % 2 === 0)
      chart.append(named(names[i], rows[i], { x: left - 8, y: top + (i + 0.5) * tall + 4, class: 'label', 'text-anchor': 'end' }));
    for (let j = 0; j < c; j++) {
      const v = value(i, j);
      if (v === null || !Number.isFinite(v)) continue;
      const shade = rampColour(v / (most || 1)), said = text(v);
      chart.append(s('g', {}, tip(`${rows[i]}, ${columns[j]}: ${said}`),
        s('rect', { x: left + j * cell, y: top + i * tall, width: cell - 1, height: tall - 1, fill: css(shade) }),
        widthOf(said, small) <= cell - 4 && tall >= 14 ? s('text', { x: left + (j + 0.5) * cell - 0.5, y: top + (i + 0.5) * tall + 4, 'text-anchor': 'middle', class: inkOn(shade) === '#000' ? 'cell on-light' : 'cell on-dark' }, said) : null));
    }
  }
  const table: Table = { head: [options.corner ?? '', ...columns], rows: rows.map((name, i) => [name, ...columns.map((_, j) => { const v = value(i, j); return v === null ? '' : text(v); })]) };
  return figure(chart, rows.length > limit || columns.length > limit ? `${caption} The first ${limit} of each.` : caption, table);
}
