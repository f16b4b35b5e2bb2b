// SPDX-License-Identifier: Apache-2.0
// The head of a page, and its end: where it came from and how to run it again.
import { bytes, h, seconds, section, tableOf, wide, type Child } from './dom';
import { cutText } from './labels';
import { copyText } from './save';
import { themeSwitch } from './theme';

export function originSection(data: any, extra: any): HTMLElement {
  const origin = extra.origin ?? {}, parts: Child[] = [];
  if (origin.command) {
    const said = h('span', { role: 'status' });
    parts.push(h('h3', {}, 'Run it again'), h('pre', { tabindex: 0, role: 'group', 'aria-label': 'The command' }, h('code', { id: 'command' }, origin.command)),
      h('div', { class: 'row control' }, h('button', { type: 'button', click: () => copyText(origin.command).then((ok) => { said.textContent = ok ? 'copied' : 'select the line and copy it'; }) }, 'Copy'), said));
  }
  if (origin.files?.length)
    parts.push(h('h3', {}, 'Files'), tableOf({ head: ['file', 'size', 'SHA-256'], rows: origin.files.map((f: any) => [cutText(f.path, 200), f.bytes === null ? 'not read again' : bytes(f.bytes), f.sha256 ?? 'none']), numeric: [false, true, false] }, 'Files that were read'));
  const facts: [string, string][] = [['version', `onefold ${data.onefold}`]];
  if (data.seed !== undefined) facts.push(['seed', String(data.seed)]);
  if (data.threads) facts.push(['threads', String(data.threads)]);
  for (const [name, t] of Object.entries(data.seconds ?? {})) if (typeof t === 'number' && t >= 0) facts.push([`time: ${name}`, seconds(t)]);
  if (data.peak_bytes) facts.push(['most memory', bytes(data.peak_bytes)]);
  if (data.machine) facts.push(['machine', `${data.machine.processor}, ${data.machine.cores} cores, ${bytes(data.machine.memory_bytes)}`]);
  const run = h('div', {}, h('h3', {}, 'The run'), tableOf({ head: ['', ''], rows: facts, numeric: [false, false] }, 'Version, seed, times and memory'));
  parts.push(origin.options?.length
    ? h('div', { class: 'two' }, h('div', {}, h('h3', {}, 'Options'), tableOf({ head: ['option', 'value'], rows: origin.options.map((o: [string, string]) => [o[0], cutText(String(o[1]), 200)]), numeric: [false, false] }, 'Every option')), run) : run);
  return wide(section('Where it comes from', null, ...parts));
}

export function scoresText(scores: any): string {
  return ['acc', 'nmi', 'purity', 'ari', 'f'].filter((k) => typeof scores?.[k] === 'number').map((k) => `${k.toUpperCase().replace('PURITY', 'purity')} ${scores[k].toFixed(3)}`).join(' \u00b7 ');
}

export function heading(title: string, line: string, facts: [string, string][]): HTMLElement {
  document.title = `${cutText(title, 80)} \u00b7 Onefold`;
  return h('header', {}, h('div', { class: 'brand' }, h('p', {}, 'Onefold'), themeSwitch()), h('h1', { title: title.slice(0, 400) }, cutText(title, 120)), h('p', { class: 'summary', id: 'summary-line' }, line),
    h('dl', { class: 'facts' }, ...facts.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', { 'data-fact': name }, value)))));
}
