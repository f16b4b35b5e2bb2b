// SPDX-License-Identifier: Apache-2.0
// The page of a choice of the number of clusters.
import { lines } from './charts';
import { css, viewColour, viewDash } from './colours';
import { h, plural, section, seconds, short, tableOf, wide } from './dom';
import { cutText } from './labels';
import { heading, originSection } from './origin';

export function choosePage(data: any, extra: any): Node[] {
  const curve: any[] = data.curve, x = curve.map((p) => p.clusters), views: any[] = data.views;
  const colour = 'var(--accent)', mark = data.suggested ? { x: data.suggested, text: `suggested: ${data.suggested}` } : undefined;
  const axes = (y: string) => ({ x: 'clusters', y, zero: true, wholeX: true, mark });
  const line = data.suggested
    ? `${plural(data.suggested, 'cluster')} suggested for ${plural(data.samples, 'sample')} seen through ${plural(views.length, 'view')}, found in ${seconds(data.seconds.total ?? 0)}.`
    : `No number of clusters from ${x[0]} to ${x[x.length - 1]} stands out for ${plural(data.samples, 'sample')}.`;
  const facts: [string, string][] = [['suggested', data.suggested ? String(data.suggested) : 'none'], ['subsamples', String(data.subsamples)]];
  if (data.classes) facts.push(['true classes', String(data.classes)]);
  return [
    heading(extra.title ?? 'How many clusters?', line, facts),
    section('Why', null, h('ul', { id: 'reasons' }, ...data.reasons.map((r: string) => h('li', {}, r)))),
    section('Evidence', 'How much of what lies above chance was reached, by the lesser of the two curves below.',
      lines([{ name: 'evidence', x, y: curve.map((p) => p.evidence), colour, strong: true }], axes('evidence'), 'Evidence for each number of clusters.')),
    section('Stability', 'How far labels of runs on subsamples agree with each other, and the same for samples without clusters.',
      lines([{ name: 'stability', x, y: curve.map((p) => p.stability), band: curve.map((p) => p.deviation ?? 0), colour, strong: true },
        { name: 'by chance', x, y: curve.map((p) => p.chance), colour: 'var(--quiet)', dashed: true }], axes('adjusted Rand index'), 'Agreement over subsamples; the band is one deviation.'),
      lines([{ name: 'weakest cluster', x, y: curve.map((p) => p.weakest), colour, strong: true },
        { name: 'by chance', x, y: curve.map((p) => p.weakest_chance), colour: 'var(--quiet)', dashed: true }], axes('Jaccard index'), 'How far the least stable cluster comes back.')),
    section('Gaps', 'How far the eigenvalues of each view fall at this number.',
      lines(views.map((v, i) => ({ name: v.name, x, y: curve.map((p) => p.gaps?.[i] ?? null), colour: css(viewColour(i)), dashed: viewDash(i), strong: v.gap_clusters === data.suggested })), axes('relative fall'), 'Fall of each view\u2019s eigenvalues.')),
    section('Objective', null, lines([{ name: 'objective', x, y: curve.map((p) => p.objective), colour, strong: true }], { ...axes('objective'), zero: false }, 'Objective of the run on all samples.')),
    wide(section('Every number', null, tableOf({ head: ['clusters', 'evidence', 'stability', 'stability by chance', 'weakest', 'weakest by chance', 'clusters used', 'objective'],
      rows: curve.map((p) => [p.clusters === data.suggested ? `${p.clusters}, suggested` : p.clusters, short(p.evidence, 4), short(p.stability, 4), short(p.chance, 4), short(p.weakest, 4), short(p.weakest_chance, 4), p.clusters_used, short(p.objective, 4)]) }, 'The curve'),
      tableOf({ head: ['view', 'kernel', 'columns', 'falls most at'], rows: views.map((v) => [cutText(v.name, 60), v.kernel, v.columns, v.gap_clusters ?? '']), numeric: [false, false, true, true] }, 'Views'))),
    originSection(data, extra),
  ];
}
