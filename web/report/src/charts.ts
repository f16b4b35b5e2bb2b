// SPDX-License-Identifier: Apache-2.0
// Small charts as SVG: bars, lines and heat maps. Each is a figure with its numbers behind it.
import { css, inkOn, rampColour } from './colours';
import { cutText, figure, h, s, short, tip, type Table } from './dom';

// Charts are drawn about as wide as they are shown, so that their letters are as large as others.
const phone = matchMedia('(max-width: 860px)').matches;
const width = phone ? 400 : 640;

export interface Bar { name: string; value: number; text?: string; colour?: string; note?: string }

// Bars from a zero line, negative ones to the left.
export function bars(data: Bar[], caption: string, what: string, most = 60, across = width): HTMLElement {
  const shown = data.slice(0, most), row = 24, left = across < 500 ? 134 : 150, right = 66, width = across;
  const low = Math.min(0, ...shown.map((b) => b.value)), high = Math.max(0, ...shown.map((b) => b.value));
  const span = high - low || 1, x = (v: number) => left + ((v - low) / span) * (width - left - right);
  const chart = s('svg', { viewBox: `0 0 ${width} ${shown.length * row + 4}`, role: 'img', 'aria-label': caption });
  shown.forEach((bar, i) => {
    const y = i * row + 3, from = x(Math.min(0, bar.value)), to = x(Math.max(0, bar.value));
    chart.append(s('g', {}, tip(`${bar.name}: ${bar.text ?? short(bar.value)}${bar.note ? `\n${bar.note}` : ''}`),
      s('text', { x: left - 8, y: y + 13, class: 'label', 'text-anchor': 'end' }, cutText(bar.name, left < 150 ? 17 : 21)),
      s('rect', { x: from, y, width: Math.max(1, to - from), height: row - 7, rx: 2, fill: bar.colour ?? 'var(--accent)' }),
      s('text', { x: to + 6, y: y + 13, class: 'value' }, bar.text ?? short(bar.value))));
  });
  const table: Table = { head: ['', what], rows: data.map((b) => [b.name, b.text ?? short(b.value, 6)]) };
  return figure(chart, data.length > most ? `${caption} The first ${most} of ${data.length}.` : caption, table);
}

export interface Line { name: string; x: number[]; y: (number | null)[]; colour: string; strong?: boolean; dashed?: boolean; band?: number[] }
export interface Axes { x: string; y: string; log?: boolean; mark?: { x: number; text: string }; zero?: boolean; wholeX?: boolean }

function ticks(low: number, high: number, count: number): number[] {
  const raw = (high - low) / count || 1, power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((m) => m * power).find((v) => v >= raw) ?? raw;
  const out: number[] = [];
  for (let v = Math.ceil(low / step - 1e-9) * step; v <= high + step * 1e-9; v += step) out.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return out;
}

const tickText = (v: number) => (v !== 0 && (Math.abs(v) >= 1e5 || Math.abs(v) < 1e-3) ? v.toExponential(0) : String(+v.toPrecision(6)));

export function lines(data: Line[], axes: Axes, caption: string, height = 250): HTMLElement {
  const left = 62, right = 16, top = 14, bottom = 40;
  const points = data.flatMap((l) => l.y.map((y, i) => ({ x: l.x[i], y, band: l.band?.[i] ?? 0 }))
    .filter((p): p is { x: number; y: number; band: number } => p.y !== null && Number.isFinite(p.y) && (!axes.log || p.y > 0)));
  const chart = s('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': caption });
  const scale = (v: number) => (axes.log ? Math.log10(v) : v);
  let [x0, x1] = [Math.min(...points.map((p) => p.x)), Math.max(...points.map((p) => p.x))];
  let [y0, y1] = [Math.min(...points.map((p) => scale(p.y) - p.band)), Math.max(...points.map((p) => scale(p.y) + p.band))];
  if (!points.length) [x0, x1, y0, y1] = [0, 1, 0, 1];
  if (axes.zero && !axes.log) y0 = Math.min(0, y0);
  if (y1 - y0 < 1e-12 * Math.max(1, Math.abs(y1))) [y0, y1] = [y0 - 0.5, y1 + 0.5];
  if (x1 === x0) [x0, x1] = [x0 - 0.5, x1 + 0.5];
  const margin = (y1 - y0) * 0.05;
  [y0, y1] = [axes.zero && y0 === 0 ? 0 : y0 - margin, y1 + margin];
  const x = (v: number) => left + ((v - x0) / (x1 - x0)) * (width - left - right);
  const y = (v: number) => top + (1 - (scale(v) - y0) / (y1 - y0)) * (height - top - bottom);
  for (const t of ticks(y0, y1, 4)) {
    const at = top + (1 - (t - y0) / (y1 - y0)) * (height - top - bottom);
    chart.append(s('line', { x1: left, x2: width - right, y1: at, y2: at, class: 'grid' }),
      s('text', { x: left - 6, y: at + 4, class: 'tick', 'text-anchor': 'end' }, axes.log ? `10^${tickText(t)}` : tickText(t)));
  }
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
    group.append(s('path', { d: path, fill: 'none', stroke: line.colour, 'stroke-width': line.strong ? 2.6 : 1.4, 'stroke-dasharray': line.dashed ? '5 4' : null, opacity: line.strong || data.length < 5 ? 1 : 0.75 }));
    if (kept.length <= 40) for (const p of kept)
      group.append(s('circle', { cx: x(p.x), cy: y(p.v), r: line.strong ? 3.2 : 2, fill: line.colour }, tip(`${line.name}\n${axes.x} ${tickText(p.x)}: ${short(p.v, 4)}`)));
    chart.append(group);
  }
  const all = [...new Set(data.flatMap((l) => l.x))].sort((a, b) => a - b);
  const table: Table = { head: [axes.x, ...data.map((l) => l.name)],
    rows: all.map((v) => [tickText(v), ...data.map((l) => { const i = l.x.indexOf(v); return i < 0 ? '' : short(l.y[i], 6); })]) };
  const key = data.length > 1 && data.length <= 12 ? h('ul', { class: 'key' }, ...data.map((l) => {
    const dot = h('span', { class: l.dashed ? 'stroke dashed' : 'stroke', 'aria-hidden': 'true' });
    dot.style.borderTopColor = l.colour;
    return h('li', {}, dot, l.name);
  })) : null;
  const made = figure(chart, caption, table);
  if (key) made.querySelector('figcaption')?.before(key);
  return made;
}

// Numbers from 0 to 1 (or to `most`) as shades, with the number in each cell where there is room.
export function heat(rows: string[], columns: string[], value: (row: number, column: number) => number | null, caption: string,
  options: { most?: number; text?: (v: number) => string; corner?: string } = {}): HTMLElement {
  const text = options.text ?? ((v: number) => v.toFixed(2)), most = options.most ?? 1, limit = 60;
  const r = Math.min(rows.length, limit), c = Math.min(columns.length, limit);
  const left = phone ? 92 : 130, top = 26, cell = Math.min(64, Math.max(8, (width - left - 4) / Math.max(1, c))), tall = Math.min(30, Math.max(10, cell));
  const chart = s('svg', { viewBox: `0 0 ${width} ${top + r * tall + 4}`, role: 'img', 'aria-label': caption });
  for (let j = 0; j < c; j++) if (cell >= 22 || j % Math.ceil(22 / cell) === 0)
    chart.append(s('text', { x: left + (j + 0.5) * cell, y: top - 8, class: 'tick', 'text-anchor': 'middle' }, cutText(columns[j], Math.max(2, Math.floor(cell / 7))), tip(columns[j])));
  for (let i = 0; i < r; i++) {
    if (tall >= 12 || i % 2 === 0)
      chart.append(s('text', { x: left - 8, y: top + (i + 0.5) * tall + 4, class: 'label', 'text-anchor': 'end' }, cutText(rows[i], phone ? 12 : 17)));
    for (let j = 0; j < c; j++) {
      const v = value(i, j);
      if (v === null || !Number.isFinite(v)) continue;
      const shade = rampColour(v / (most || 1));
      chart.append(s('g', {}, tip(`${rows[i]}, ${columns[j]}: ${text(v)}`),
        s('rect', { x: left + j * cell, y: top + i * tall, width: cell - 1, height: tall - 1, fill: css(shade) }),
        cell >= 29 && tall >= 14 ? s('text', { x: left + (j + 0.5) * cell, y: top + (i + 0.5) * tall + 4, 'text-anchor': 'middle', class: 'cell', fill: inkOn(shade) }, text(v)) : null));
    }
  }
  const table: Table = { head: [options.corner ?? '', ...columns], rows: rows.map((name, i) => [name, ...columns.map((_, j) => { const v = value(i, j); return v === null ? '' : text(v); })]) };
  const cut = rows.length > limit || columns.length > limit;
  return figure(chart, cut ? `${caption} The first ${limit} of each.` : caption, table);
}
