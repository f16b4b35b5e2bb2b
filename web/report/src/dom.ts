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
  return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': caption },
    h('table', {}, h('caption', { class: 'hidden' }, caption),
      table.head.some((text) => text) ? h('thead', {}, h('tr', {}, ...table.head.map((text, i) =>
        h(text ? 'th' : 'td', { scope: text ? 'col' : null, class: numeric(i) ? 'number' : null }, text)))) : null,
      h('tbody', {}, ...table.rows.map((row) => h('tr', {}, ...row.map((cell, i) =>
        i === 0 ? h('th', { scope: 'row' }, cell)
          : h('td', { class: numeric(i) ? 'number' : null }, cell)))))));
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

// "a, b and c"
export function listed(words: string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words[words.length - 1]}`;
}

// Never 100 % or 0 % of what is not all or nothing.
export function percent(share: number): string {
  if (share <= 0 || share >= 1) return `${Math.round(100 * share)}\u00a0%`;
  const edge = Math.min(share, 1 - share);
  return edge < 0.0005 ? (share < 0.5 ? 'under 0.1\u00a0%' : 'over 99.9\u00a0%') : `${(100 * share).toFixed(edge < 0.01 || share < 0.1 ? 1 : 0)}\u00a0%`;
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

export function plural(n: number, word: string): string {
  return `${whole(n)} ${word}${n === 1 ? '' : 's'}`;
}

export function ordinal(n: number): string {
  const last = n % 100 > 10 && n % 100 < 14 ? 0 : n % 10;
  return `${whole(n)}${last === 1 ? 'st' : last === 2 ? 'nd' : last === 3 ? 'rd' : 'th'}`;
}
