// SPDX-License-Identifier: Apache-2.0
// What leaves the page: charts as SVG and PNG, tables as CSV, and the page itself with the names
// that were given. Everything is made here; nothing is fetched.
import { h, s, type Table } from './dom';

export function download(name: string, content: Blob | string, type = 'text/plain;charset=utf-8'): void {
  const url = URL.createObjectURL(typeof content === 'string' ? new Blob([content], { type }) : content);
  const link = h('a', { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

const bare = (text: string) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-').slice(0, 48).replace(/^-|-$/g, '') || 'chart';

// "onefold-" and the words, as a file's name.
export function fileName(words: string, ending: string): string {
  return `onefold-${bare(words)}.${ending}`;
}

export function csvOf(rows: (string | number)[][]): string {
  return rows.map((row) => row.map((cell) => {
    const text = String(cell).replace(/\u2009/g, '');
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  }).join(',') + '\n').join('');
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

const kept = ['fill', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin', 'paint-order', 'opacity', 'font-size', 'font-family', 'font-weight', 'text-anchor'];

// A drawing that looks the same outside of this page: what the style sheet said is in its elements.
export function standalone(chart: SVGElement, caption: string): SVGElement {
  const copy = chart.cloneNode(true) as SVGElement, from = chart.querySelectorAll('*'), to = copy.querySelectorAll('*');
  from.forEach((element, i) => {
    if (element.tagName === 'title') return;
    const style = getComputedStyle(element);
    for (const name of kept) {
      const value = style.getPropertyValue(name);
      if (value && !(name !== 'fill' && value === 'none') && value !== 'normal') to[i].setAttribute(name, value);
    }
    to[i].removeAttribute('class');
  });
  const [x, y, width, height] = (chart.getAttribute('viewBox') ?? '0 0 640 400').split(' ').map(Number);
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.removeAttribute('class');
  copy.prepend(s('title', {}, caption), s('rect', { x, y, width, height, fill: getComputedStyle(document.documentElement).getPropertyValue('--card').trim() || '#fff' }));
  return copy;
}

export function svgText(drawing: SVGElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(drawing)}\n`;
}

// A drawing as pixels, twice as fine as it is shown.
export async function rasterise(drawing: SVGElement, scale = 2): Promise<Blob> {
  const url = URL.createObjectURL(new Blob([svgText(drawing)], { type: 'image/svg+xml' })), image = new Image();
  try {
    await new Promise((done, failed) => { image.onload = done; image.onerror = () => failed(new Error('the drawing could not be read')); image.src = url; });
    const canvas = h('canvas', { width: Math.ceil(Number(drawing.getAttribute('width')) * scale), height: Math.ceil(Number(drawing.getAttribute('height')) * scale) });
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise<Blob>((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error('there is no room for the picture'))), 'image/png'));
  } finally { URL.revokeObjectURL(url); }
}

// Buttons that save a drawing; it is made when they are pressed.
export function saveButtons(caption: string, drawing: () => SVGElement, rows?: () => (string | number)[][]): HTMLElement {
  const button = (kind: string, press: () => void) => h('button', { type: 'button', class: 'small', 'aria-label': `Save as ${kind}: ${caption}`, click: press }, kind);
  return h('span', { class: 'save control' }, h('span', { 'aria-hidden': 'true' }, 'Save:'),
    button('SVG', () => download(fileName(caption, 'svg'), svgText(drawing()), 'image/svg+xml')),
    button('PNG', () => { rasterise(drawing()).then((blob) => download(fileName(caption, 'png'), blob)); }),
    rows ? button('CSV', () => download(fileName(caption, 'csv'), csvOf(rows()), 'text/csv;charset=utf-8')) : null);
}

// ---- the page itself -----------------------------------------------------------------------

const state = 'kept'; // the element with what a reader put into the page
let blank = '';

// To be called before the page is drawn.
export function rememberBlank(page: HTMLElement): void { blank = page.innerHTML; }

export function readKept(): any {
  try { return JSON.parse(document.getElementById(state)?.textContent || '{}'); } catch { return {}; }
}

// The page as it came, with `what` in it.
export function pageText(what: unknown): string {
  const copy = document.documentElement.cloneNode(true) as HTMLElement, page = copy.querySelector('#page') as HTMLElement;
  for (const name of [...copy.getAttributeNames()]) if (name !== 'lang') copy.removeAttribute(name);
  page.innerHTML = blank;
  page.removeAttribute('data-ready');
  copy.querySelector(`#${state}`)?.remove();
  const element = h('script', { type: 'application/json', id: state });
  element.textContent = JSON.stringify(what).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  page.after(element);
  return `<!doctype html>\n${copy.outerHTML}\n`;
}

export function tableRows(table: Table): (string | number)[][] {
  return [table.head, ...table.rows];
}
