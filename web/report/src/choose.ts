// SPDX-License-Identifier: Apache-2.0
// The page of a choice of the number of clusters.
import { lines } from './charts';
import { h, plural, section, seconds, short, tableOf, wide } from './dom';
import { cutText } from './labels';
import { heading, originSection } from './origin';

export function choosePage(data: any, extra: any): Node[] {
  const curve: any[] = data.curve, x = curve.map((p) => p.clusters), views: any[] = data.views;
  const colour = 'var(--accent)', mark = data.suggested ? { x: data.suggested, text: `suggested: ${data.suggested}` } : undefined;
  const axes = (y: string) => ({ x: 'clusters', y, zero: true, wholeX: true, mark });
  const line = data.suggested
    ? `${plural(data.suggested, 'cluster')} suggested for ${plural(data.samples, 'sample')} seen through ${plural(views.length, 'view')}, found in ${seconds(data.seconds.total ?? 0)}.`
    : `Nothing was found: no number of clusters from ${x[0]} to ${x[x.length - 1]} is more than chance for ${plural(data.samples, 'sample')}.`;
  const facts: [string, string][] = [['suggested', data.suggested ? String(data.suggested) : 'none'], ['numbers tried', `${x[0]} to ${x[x.length - 1]}`]];
  if (data.classes) facts.push(['true classes', String(data.classes)]);
  return [
    heading(extra.title ?? 'How many clusters?', line, facts),
    section('Why', null, h('ul', { id: 'reasons' }, ...data.reasons.map((r: string) => h('li', {}, r)))),
    section('Evidence', 'The square of the agreement times the root of what neighbours tell, both beyond chance, times the entropy of as many clusters of equal size.',
      lines([{ name: 'evidence', x, y: curve.map((p) => p.evidence), colour, strong: true }], axes('evidence'), 'Evidence for each number of clusters.')),
    section('What it is made of', 'How far the labels of subsamples agree, and the share of the entropy that samples near each other tell of the labels, beside the same with the values of every column shuffled.',
      lines([{ name: 'agreement', x, y: curve.map((p) => p.agreement), colour, strong: true }], axes('ARI'), 'Mean agreement of the labels of subsamples.'),
      lines([{ name: 'told', x, y: curve.map((p) => p.told), colour, strong: true },
        { name: 'by chance', x, y: curve.map((p) => p.chance), colour: 'var(--quiet)', dashed: true }], axes('share of the entropy'), 'What neighbours tell.')),
    wide(section('Every number', null, tableOf({ head: ['clusters', 'evidence', 'agreement', 'entropy', 'told', 'told by chance', 'clusters used'],
      rows: curve.map((p) => [p.clusters === data.suggested ? `${p.clusters}, suggested` : p.clusters, short(p.evidence, 4), short(p.agreement, 4), short(p.entropy, 4), short(p.told, 4), short(p.chance, 4), p.clusters_used]) }, 'The curve'),
      tableOf({ head: ['view', 'kernel', 'columns'], rows: views.map((v) => [cutText(v.name, 60), v.kernel, v.columns]), numeric: [false, false, true] }, 'Views'))),
    originSection(data, extra),
  ];
}
