// SPDX-License-Identifier: Apache-2.0
// The page of two fits of the same samples, side by side.
import { strongest, viewShares } from './answers';
import { readBlock } from './blocks';
import { bars, heat } from './charts';
import { clusterColour, css, viewColour } from './colours';
import { h, listed, percent, plural, section, seconds, tableOf, whole, wide, type Child } from './dom';
import { cutText, tellApart } from './labels';
import { agreementOf, assign, diagonal } from './match';
import { heading, originSection } from './origin';
import { numbers, readNames } from './picture';
import { csvOf, download, fileName } from './save';

interface Compared { count: number; label: ((i: number) => number)[]; name: (i: number) => string }

export async function readCompared(extra: any): Promise<Compared> {
  const about = extra.points, both = [await readBlock('labels'), await readBlock('labels-b')], ids = await readBlock('ids');
  const number = ids ? new Uint32Array(ids.buffer.slice(0, ids.length & ~3)) : null;
  return { count: about.shown, label: both.map((bytes) => numbers(bytes ?? new Uint8Array(), about.wide_labels)), name: await readNames(about, (i) => (number ? number[i] : i)) };
}

export function comparePage(data: any, extra: any, points: Compared): Node[] {
  const [a, b]: any[] = data.fits, [first, second]: string[] = tellApart(extra.titles, 40), table: number[][] = extra.contingency;
  const agree = agreementOf(table, b.clusters), of = assign(table, b.clusters), moved = agree.of - agree.same;
  const colour = (fit: number) => (c: number) => css(clusterColour(fit ? (of.indexOf(c) >= 0 ? of.indexOf(c) : a.clusters + c) : c));
  const share = agree.of ? agree.same / agree.of : 1;
  const nodes: Node[] = [heading(`${first} and ${second}`, `Two fits of the same ${plural(agree.of, 'sample')}, side by side.`,
    [['same cluster', percent(share)], ['ARI', agree.ari.toFixed(3)], ['NMI', agree.nmi.toFixed(3)], ['moved', whole(moved)]])];
  const turned = Array.from({ length: b.clusters }, (_, c) => table.map((row) => row[c]));
  const apart = [...comesApart(table, first, second), ...comesApart(turned, second, first)], few = 6;
  nodes.push(h('div', { class: 'answers wide' },
    box('Do they agree?', moved === 0 && a.clusters === b.clusters ? 'They are the same.' : share >= 0.95 ? 'Nearly.' : share >= 0.75 ? 'For the most part.' : share >= 0.5 ? 'In part.' : 'Hardly.',
      h('p', {}, `${percent(share)} of the samples stay in the same cluster when clusters are matched one to one; ${plural(moved, 'sample')} ${moved === 1 ? 'is' : 'are'} elsewhere.`),
      a.scores && b.scores ? h('p', {}, `Of the true classes ${first} has ${percent(a.scores.acc)} right and ${second} ${percent(b.scores.acc)}.`) : null),
    box('Where do they differ?', apart.length ? `${plural(apart.length, 'cluster')} of one ${apart.length === 1 ? 'is' : 'are'} several of the other.` : 'In no cluster as a whole.',
      apart.length ? h('ul', { class: 'groups' }, ...apart.slice(0, few).map((text) => h('li', {}, text))) : h('p', {}, 'Of every cluster at least four of five samples are in one cluster of the other fit.'),
      apart.length > few ? h('p', { class: 'note' }, `and ${apart.length - few} more, in the table below`) : null),
    box('What do they go by?', 'The views that each weighs most.', h('ul', { class: 'groups' }, ...[a, b].map((fit, i) => h('li', {}, h('span', {}, h('strong', {}, [first, second][i]), `: ${loudest(fit)}`)))))));

  const order = diagonal(table, b.clusters);
  nodes.push(section('Cluster by cluster', `Samples of each cluster of ${first} (down) in each of ${second} (across).`,
    heat(table.map((_, c) => `cluster ${c}`), order.map((c) => `cluster ${c}`), (i, j) => table[i][order[j]], `Clusters of ${first} and of ${second}.`, { most: Math.max(1, ...table.map((row) => Math.max(...row))), text: (v) => whole(v), corner: first })));
  nodes.push(section('The two fits', null, tableOf({ head: ['', first, second], rows: rowsOf(a, b), numeric: [false, true, true] }, 'The two fits')));
  nodes.push(h('div', { class: 'pair wide' }, ...[a, b].map((fit, i) => fitCard(fit, [first, second][i], colour(i)))));
  nodes.push(movedSection(points, of, first, second, moved));
  nodes.push(originSection({ onefold: data.onefold }, extra));
  return nodes;
}

function box(question: string, said: string, ...rest: Child[]): HTMLElement {
  const id = question.replace(/\W+/g, '-').toLowerCase();
  return h('section', { class: 'card answer', 'aria-labelledby': id }, h('h2', { id }, question), h('p', { class: 'said' }, said), ...rest);
}

// Clusters of which no cluster of the other fit has four fifths, the largest first, in words.
function comesApart(table: number[][], own: string, other: string): string[] {
  return table.map((row, cluster) => {
    const all = row.reduce((x, y) => x + y, 0);
    return { cluster, all, into: row.map((n, c) => [c, all ? n / all : 0]).filter(([, part]) => part >= 0.1).sort((x, y) => y[1] - x[1]) };
  }).filter((one) => one.all && (one.into[0]?.[1] ?? 0) < 0.8).sort((x, y) => y.all - x.all)
    .map((one) => `cluster ${one.cluster} of ${own}: ${listed(one.into.map(([c, part]) => `${percent(part)} in ${c}`)) || 'spread'} of ${other}`);
}

function loudest(fit: any): string {
  const shares = viewShares(fit.views ?? []), names = tellApart((fit.views ?? []).map((v: any) => v.name), 30);
  if (!shares) return 'does not weigh views';
  const order = shares.map((_, i) => i).sort((x, y) => shares[y] - shares[x]).slice(0, 3);
  return listed(order.map((i) => `${names[i]} ${percent(shares[i])}`));
}

function rowsOf(a: any, b: any): string[][] {
  const rows: string[][] = [], both = (name: string, of: (fit: any) => unknown) => {
    const [x, y] = [of(a), of(b)];
    if (x !== undefined || y !== undefined) rows.push([name, String(x ?? ''), String(y ?? '')]);
  };
  both('method', (f) => f.method);
  both('clusters', (f) => (f.clusters_used < f.clusters ? `${f.clusters} (${f.clusters_used} used)` : f.clusters));
  both('views', (f) => f.views?.length);
  for (const k of ['acc', 'nmi', 'ari']) both(k.toUpperCase(), (f) => f.scores?.[k]?.toFixed(3));
  both('labellings compared', (f) => f.candidates?.length);
  both('seed', (f) => f.seed);
  both('time', (f) => (typeof f.seconds?.total === 'number' ? seconds(f.seconds.total) : undefined));
  return rows;
}

function fitCard(fit: any, title: string, colour: (c: number) => string): HTMLElement {
  const shares = viewShares(fit.views ?? []), apart = new Map(strongest(fit).map((e) => [e.cluster, e.columns]));
  return section(title, `${plural(fit.clusters, 'cluster')} by ${fit.method}. Clusters that are matched have one colour in both.`,
    bars((fit.sizes as number[]).map((n, c) => ({ name: `cluster ${c}`, value: n, text: whole(n), colour: colour(c), note: apart.get(c)?.slice(0, 3).map((one) => `${one.strength > 0 ? 'high' : 'low'} ${one.name}`).join(', ') })), `Sizes of the clusters of ${title}.`, 'samples'),
    shares ? bars(fit.views.map((v: any, i: number) => ({ name: v.name, value: v.weight, colour: css(viewColour(i)) })), `Weights of the views in ${title}.`, 'weight') : null);
}

function movedSection(points: Compared, of: number[], first: string, second: string, moved: number): HTMLElement {
  const all: number[] = [], most = 20;
  for (let i = 0; i < points.count; i++) if (of[points.label[0](i)] !== points.label[1](i)) all.push(i);
  const row = (i: number) => [points.name(i), points.label[0](i), points.label[1](i)];
  return wide(section('Samples that moved', moved ? `Not in the cluster of ${second} that theirs of ${first} is matched with.${all.length > most ? ` The first ${most} of ${whole(all.length)}.` : ''}` : 'None.',
    all.length ? tableOf({ head: ['sample', first, second], rows: all.slice(0, most).map((i) => { const [name, x, y] = row(i); return [cutText(String(name), 80), x, y]; }) }, 'Samples that moved') : null,
    h('div', { class: 'row control' }, h('button', { type: 'button', click: () => download(fileName('two fits labels', 'csv'),
      csvOf([['sample', first, second, 'moved'], ...Array.from({ length: points.count }, (_, i) => [...row(i), of[points.label[0](i)] !== points.label[1](i) ? 1 : 0])]), 'text/csv;charset=utf-8') }, 'Download both labellings (CSV)'))));
}
