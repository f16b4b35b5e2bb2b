// SPDX-License-Identifier: Apache-2.0
// The page of methods compared on one data set.
import { bars, heat, lines } from './charts';
import { clusterColour, css } from './colours';
import { bytes, h, plural, section, seconds, short, wide } from './dom';
import { cutText } from './labels';
import { heading, originSection } from './origin';

const measures = ['acc', 'nmi', 'purity', 'ari'], titles: Record<string, string> = { acc: 'ACC', nmi: 'NMI', purity: 'purity', ari: 'ARI' };

interface Row { name: string; setting: string; figures: (number | null)[]; deviations: number[]; time: number | null; memory: number | null; why: string }

// Columns that sort when their heading is pressed; the best figure of each is bold.
function sortable(rows: Row[], scored: boolean): HTMLElement {
  const heads = ['method', ...(scored ? measures.map((m) => titles[m]) : []), 'time of a run', 'memory'];
  const value = (row: Row, c: number): number | string | null => (c === 0 ? row.name : scored && c <= measures.length ? row.figures[c - 1] : c === heads.length - 2 ? row.time : row.memory);
  const upward = (c: number) => c === 0 || c >= heads.length - 2;
  const best = heads.map((_, c) => (c === 0 ? null : rows.map((r) => value(r, c) as number | null).filter((v): v is number => v !== null).sort((a, b) => (upward(c) ? a - b : b - a))[0] ?? null));
  const body = h('tbody', {});
  let by = -1, rising = false;
  const show = () => {
    const order = rows.map((_, i) => i);
    if (by >= 0) order.sort((a, b) => {
      const u = value(rows[a], by), v = value(rows[b], by);
      if (u === null || v === null) return u === v ? a - b : u === null ? 1 : -1;
      return ((typeof u === 'string' ? u.localeCompare(v as string) : u - (v as number)) || a - b) * (rising ? 1 : -1);
    });
    body.replaceChildren(...order.map((i) => {
      const row = rows[i];
      return h('tr', {}, h('th', { scope: 'row' }, row.name, row.setting ? h('small', {}, ` ${row.setting}`) : ''), ...heads.slice(1).map((_, k) => {
        const c = k + 1, v = value(row, c) as number | null, strong = v !== null && v === best[c];
        const text = v === null ? (c === 1 ? cutText(row.why || 'none', 60) : '') : scored && c <= measures.length ? `${v.toFixed(4)} \u00b1 ${row.deviations[c - 1].toFixed(4)}` : c === heads.length - 2 ? seconds(v) : bytes(v);
        return h('td', { class: 'number', title: v === null ? row.why : null }, strong ? h('strong', {}, text) : text);
      }));
    }));
    header.querySelectorAll('th').forEach((th, c) => th.setAttribute('aria-sort', c !== by ? 'none' : rising ? 'ascending' : 'descending'));
  };
  const header = h('tr', {}, ...heads.map((text, c) => h('th', { scope: 'col', class: c ? 'number' : null }, h('button', { type: 'button', class: 'plain', click: () => {
    rising = by === c ? !rising : upward(c); by = c; show();
  } }, text))));
  show();
  return h('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Methods compared' }, h('table', { id: 'methods' }, h('caption', { class: 'hidden' }, 'Methods compared'), h('thead', {}, header), body));
}

// A row for each method; of the best or median setting, for each method that has a grid.
function rowsOf(data: any, which: 'default' | 'best' | 'median'): Row[] {
  return data.methods.filter((m: any) => m[which] || which === 'default').map((m: any) => {
    const figures = m[which], cell = data.cells[which === 'default' ? m.default_cell : figures.acc.cell];
    const ok = cell?.status === 'ok', view = cell?.only_view ? `view ${cell.only_view} (${data.data.views[cell.only_view - 1].name})` : '';
    return { name: m.name, setting: which === 'default' ? view : `${which} of ${m.tried}: ${view || cell.setting}`, figures: measures.map((k) => figures?.[k]?.mean ?? null), deviations: measures.map((k) => figures?.[k]?.deviation ?? 0),
      time: ok ? cell.seconds.total : null, memory: ok ? cell.peak_bytes ?? null : null, why: ok ? '' : cell?.reason ?? '' };
  });
}

// Which methods have a grid, how the best of it was chosen, and how many settings are about as good.
function bestText(data: any): string {
  const tuned = data.methods.filter((m: any) => m.best), others = data.methods.filter((m: any) => !m.best).map((m: any) => m.name);
  return `The settings of largest and of median mean ACC of ${tuned.map((m: any) => m.name).join(', ')}, chosen with the true labels, which nobody has in earnest: read them as what tuning could reach. `
    + `Other settings within one standard error of the best: ${tuned.map((m: any) => `${m.name} ${m.near_best} of ${m.tried - 1}`).join(', ')}.`
    + (others.length ? ` Without a grid here: ${others.join(', ')}.` : '');
}

export function benchPage(data: any, extra: any): Node[] {
  const rows = rowsOf(data, 'default'), names = rows.map((r) => r.name), done = rows.filter((r) => r.time !== null);
  const winner = data.scored ? done.filter((r) => r.figures[0] !== null).sort((a, b) => (b.figures[0] as number) - (a.figures[0] as number))[0] : undefined;
  const info = data.data, nodes: Node[] = [heading(extra.title ?? info.name ?? 'Methods compared',
    `${plural(data.methods.length, 'method')} on ${plural(info.samples, 'sample')} seen through ${plural(info.views.length, 'view')}, ${plural(data.settings.clusters, 'cluster')}.`
    + (winner ? ` ${winner.name} scores highest at its default: ACC ${(winner.figures[0] as number).toFixed(3)}.` : ' There are no true labels, so there are no scores.'),
    [['repeats', String(data.settings.repeats)], ...(info.truth ? [['truth', info.truth] as [string, string]] : [])])];
  nodes.push(wide(section('At their defaults', `Mean and deviation over ${plural(data.settings.repeats, 'repeat')}; the best of each column is bold. Press a heading to sort.`, sortable(rows, data.scored))));
  if (data.scored && data.methods.some((m: any) => m.best))
    nodes.push(wide(section('Best of a grid', bestText(data), sortable([...rowsOf(data, 'best'), ...rowsOf(data, 'median')].sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name)), true))));
  if (done.length)
    nodes.push(section('Time', 'Seconds of one run at the default, from features in memory to labels, on a logarithmic scale.', logBars(done)));
  const traced = data.methods.map((m: any, i: number) => ({ m, i, cell: data.cells[m.default_cell] })).filter((t: any) => t.cell?.trace?.length > 1);
  if (traced.length)
    nodes.push(section('Convergence', 'The objective of each method after each iteration, at its default.', h('div', {}, ...traced.map((t: any) => {
      const trace: number[] = t.cell.trace;
      return lines([{ name: t.m.name, x: trace.map((_, k) => k + 1), y: trace, colour: css(clusterColour(t.i)), strong: true }],
        { x: 'iteration', y: 'objective', wholeX: true }, `The objective of ${t.m.name} after each iteration.`, 150);
    }))));
  const s = data.sensitivity;
  if (s?.cells && data.scored)
    nodes.push(section('Sensitivity', 'ACC of the paper\u2019s method over the rows of a base partition (down) and anchors (across), both in clusters.',
      heat(s.times.map((t: number) => `k = ${t} x`), s.times.map((t: number) => `m = ${t} x`), (i, j) => mean(data.cells[s.cells[i][j]]?.scores?.acc), 'Mean ACC of each pair.', { text: (v) => v.toFixed(3), corner: 'k' })));
  if (data.agreement?.length > 1)
    nodes.push(section('Agreement', 'NMI of the labels that two methods give.', heat(names, names, (i, j) => data.agreement[i]?.[j] ?? null, 'Agreement between methods.', { corner: 'method' })));
  const failed = data.cells.filter((c: any) => c.status !== 'ok');
  if (failed.length) nodes.push(section('What did not run', null, h('ul', {}, ...failed.slice(0, 30).map((c: any) => h('li', {}, `${c.method}, ${c.setting}: ${c.reason}`)))));
  nodes.push(originSection(data, extra));
  return nodes;
}

function mean(figures: number[] | undefined): number | null {
  return figures?.length ? figures.reduce((a, b) => a + b, 0) / figures.length : null;
}

function logBars(rows: Row[]): HTMLElement {
  const least = Math.min(...rows.map((r) => Math.max(1e-6, r.time as number))), floor = Math.floor(Math.log10(least));
  return bars(rows.map((r, i) => ({ name: r.name, value: Math.log10(Math.max(1e-6, r.time as number)) - floor + 0.1, text: seconds(r.time as number), colour: css(clusterColour(i)), note: short(r.time) })), 'Time of a fit; each step of the same length is ten times as long.', 'seconds');
}
