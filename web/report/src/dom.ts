// SPDX-License-Identifier: Apache-2.0
// Elements from names, attributes and children. Text is always text: nothing is ever parsed as HTML.

export type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | null | undefined | ((event: Event) => void)>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name, value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child));
}

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function s(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(element, attributes, children);
  return element;
}

// A hover text that every browser shows.
export function tip(text: string): SVGElement {
  return s('title', {}, text);
}

let sections = 0;

// Gives a part of the page the whole width.
export function wide(part: HTMLElement): HTMLElement {
  part.classList.add('wide');
  return part;
}

// A part of the page with its heading.
export function section(title: string, lead: string | null, ...children: Child[]): HTMLElement {
  const id = `part-${++sections}`;
  return h('section', { 'aria-labelledby': id, class: 'card' },
    h('h2', { id }, title), lead ? h('p', { class: 'lead' }, lead) : null, ...children);
}

export interface Table { head: string[]; rows: (string | number)[][]; numeric?: boolean[] }

export function tableOf(table: Table, caption: string): HTMLElement {
  const numeric = (i: number) => (table.numeric ? table.numeric[i] : i > 0);
  return h('div', { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': caption },
    h('table', {}, h('caption', { class: 'hidden' }, caption),
      h('thead', {}, h('tr', {}, ...table.head.map((text, i) =>
        h('th', { scope: 'col', class: numeric(i) ? 'number' : null }, text)))),
      h('tbody', {}, ...table.rows.map((row) => h('tr', {}, ...row.map((cell, i) =>
        i === 0 ? h('th', { scope: 'row' }, cell)
          : h('td', { class: numeric(i) ? 'number' : null }, cell)))))));
}

// A chart, and behind a switch the numbers it shows: for screen readers, and for copying.
export function figure(chart: Node, caption: string, table: Table): HTMLElement {
  const most = 200;
  const cut = table.rows.length > most
    ? { ...table, rows: table.rows.slice(0, most) } : table;
  return h('figure', {}, chart, h('figcaption', {}, caption),
    h('details', { class: 'control' }, h('summary', {}, 'The numbers'),
      tableOf(cut, caption),
      cut === table ? null : h('p', { class: 'note' }, `The first ${most} of ${whole(table.rows.length)} rows.`)));
}

// ---- numbers for people --------------------------------------------------------------------

export function whole(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+(?!\d))/g, '\u2009');
}

export function short(n: number | null | undefined, digits = 3): string {
  if (n === null || n === undefined || !Number.isFinite(n)) return 'none';
  if (n === 0) return '0';
  const size = Math.abs(n);
  if (size >= 1e6 || size < 1e-3) return n.toExponential(2);
  return size >= 1000 ? n.toFixed(1) : n.toFixed(digits);
}

export function percent(share: number): string {
  return `${(100 * share).toFixed(share > 0 && share < 0.01 ? 2 : share < 0.1 ? 1 : 0)} %`;
}

export function seconds(t: number): string {
  if (t < 1) return `${Math.max(1, Math.round(t * 1000))} ms`;
  if (t < 120) return `${t.toFixed(1)} s`;
  return t < 7200 ? `${(t / 60).toFixed(1)} min` : `${(t / 3600).toFixed(1)} h`;
}

export function bytes(n: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let i = 0;
  for (; n >= 1000 && i + 1 < units.length; i++) n /= 1000;
  return `${i && n < 100 ? n.toFixed(1) : Math.round(n)} ${units[i]}`;
}

export function cutText(text: string, most: number): string {
  const letters = Array.from(text.slice(0, 4 * most + 4));
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}\u2026` : text;
}

export function plural(n: number, word: string): string {
  return `${whole(n)} ${word}${n === 1 ? '' : 's'}`;
}

export function ordinal(n: number): string {
  const last = n % 100 > 10 && n % 100 < 14 ? 0 : n % 10;
  return `${whole(n)}${last === 1 ? 'st' : last === 2 ? 'nd' : last === 3 ? 'rd' : 'th'}`;
}
