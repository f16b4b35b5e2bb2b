// SPDX-License-Identifier: Apache-2.0
// The page of a fit.
import { bars, heat, lines } from './charts';
import { clusterColour, css } from './colours';
import { cutText, h, percent, plural, section, seconds, short, tableOf, whole, wide } from './dom';
import { heading, originSection, scoresText } from './origin';
import { pictureSection, type Points } from './picture';

export function fitPage(data: any, extra: any, points: Points | null): Node[] {
  const views: any[] = data.views, k: number = data.clusters, nodes: Node[] = [], scores = data.scores;
  const used = data.clusters_used < k ? ` (${data.clusters_used} of them used)` : '';
  const ranked = views.filter((v) => v.weight > 0).sort((a, b) => b.weight - a.weight);
  const loud = ranked.length > 1 && ranked[0].weight < 1.01 * ranked[1].weight ? undefined : ranked[0];
  const line = `${plural(data.samples, 'sample')} seen through ${plural(views.length, 'view')}, put into ${plural(k, 'cluster')}${used} in ${seconds(data.seconds?.total ?? data.seconds?.fit ?? 0)}.`
    + (scores ? ` Against the truth: ${scoresText(scores)}.` : '') + (loud && views.length > 1 ? ` ${cutText(loud.name, 40)} weighs most.` : '')
    + (data.converged === false ? ' It had not settled when the iterations ran out.' : '');
  const facts: [string, string][] = [['samples', whole(data.samples)], ['clusters', String(k)], ['views', String(views.length)], ['method', data.method]];
  if (scores) facts.push(['ACC', scores.acc.toFixed(4)], ['NMI', scores.nmi.toFixed(4)], ['ARI', scores.ari.toFixed(4)]);
  if (typeof extra.confidence?.mean === 'number') facts.push(['mean confidence', extra.confidence.mean.toFixed(3)]);
  nodes.push(heading(extra.title ?? 'A fit', line, facts));
  // a note that begins so says what was done, not what went wrong
  if (data.note) nodes.push(h('p', { class: /^(chosen: |on )/.test(data.note) ? 'note' : 'notice' }, data.note));

  let colours: string[] = Array.from({ length: k }, (_, c) => css(clusterColour(c)));
  if (points?.pictures.length) {
    const made = pictureSection(points, data, extra);
    nodes.push(made.node); colours = made.colours;
  } else nodes.push(section('The samples', extra.points?.why ?? 'There is no embedding to draw the samples from.'));

  const clusters = Array.from({ length: k }, (_, c) => `cluster ${c}`), sizes: number[] = data.sizes;
  nodes.push(section('Sizes', null, bars(sizes.map((n, c) => ({ name: clusters[c], value: n, text: whole(n), colour: colours[c], note: percent(n / data.samples) })), 'Samples in each cluster.', 'samples')));
  if (views.some((v) => v.weight > 0))
    nodes.push(section('Which view did what', 'The weight is the view\u2019s part in the fusion. Agreement is how far the labels it would give by itself match the fused ones (NMI).',
      bars(views.map((v, i) => ({ name: v.name, value: v.weight, colour: css(clusterColour(i)), note: `${v.kernel} kernel, ${plural(v.columns, 'column')}, ${v.storage}` })), 'Weight of each view.', 'weight'),
      views.some((v) => typeof v.agreement === 'number') ? bars(views.map((v, i) => ({ name: v.name, value: v.agreement ?? 0, colour: css(clusterColour(i)) })), 'Agreement of each view with the fused labels.', 'NMI') : null));
  if (data.agreement?.clusters)
    nodes.push(section('View by cluster', 'How well a view by itself finds each cluster: Jaccard index with its best match. A light cell is a cluster that the view sees.',
      heat(views.map((v) => v.name), clusters.map((_, c) => String(c)), (v, c) => data.agreement.clusters[c]?.[v] ?? null, 'Agreement of each view with each cluster.', { corner: 'view' }),
      views.length > 1 && data.agreement.views ? heat(views.map((v) => v.name), views.map((v) => v.name), (a, b) => data.agreement.views[a]?.[b] ?? null, 'Agreement of the views with each other (NMI).', { corner: 'view' }) : null));

  const apart: any[] = (data.explain ?? []).map((of: any[], cluster: number) => ({ cluster, columns: of.flatMap((v: any) => v.columns.map((c: any) => ({ ...c, view: v.view })))
    .sort((a: any, b: any) => Math.abs(b.strength) - Math.abs(a.strength)) })).filter((entry: any) => entry.columns.length);
  if (apart.length)
    nodes.push(wide(section('What sets the clusters apart', 'Correlation of a column with belonging to the cluster: to the right it is larger there than elsewhere, to the left smaller.',
      h('div', { class: 'grid-3' }, ...apart.slice(0, 40).map((entry) => h('div', { class: 'apart' }, h('h3', {}, `cluster ${entry.cluster}`),
        bars(entry.columns.map((c: any) => ({ name: c.name, value: c.strength, colour: colours[entry.cluster], note: c.view })), `Columns that set cluster ${entry.cluster} apart.`, 'strength', 8, 400)))),
      apart.length > 40 ? h('p', { class: 'note' }, `The first 40 of ${apart.length} clusters.`) : null)));

  const traces: number[][] = extra.traces?.length ? extra.traces : data.trace?.length ? [data.trace] : [];
  if (traces.length) {
    const best = extra.traces?.length ? data.best_restart : 0;
    const order = traces.map((_, r) => r).filter((r) => r !== best && traces[r].length).concat(traces[best] ? [best] : []);
    nodes.push(section('Restarts', `${plural(data.restarts, 'restart')}; the one with the largest objective, ${short(data.objective, 4)}, was kept${data.converged ? '' : ', though it had not settled'}.`,
      lines(order.map((r) => ({ name: r === best ? `restart ${r}, kept` : `restart ${r}`, x: traces[r].map((_, t) => t + 1), y: traces[r], colour: r === best ? 'var(--accent)' : 'var(--quiet)', strong: r === best })),
        { x: 'iteration', y: 'objective', wholeX: true }, 'Objective after each iteration; the restart that was kept is drawn strongly.'),
      data.runs?.length > 1 ? tableOf({ head: ['restart', 'objective', 'iterations', 'clusters used'], rows: data.runs.map((run: any, r: number) => [r === data.best_restart ? `${r}, kept` : r, short(run.objective, 6), run.iterations, run.clusters_used]) }, 'Restarts') : null));
  }
  if (extra.contingency)
    nodes.push(section('Against the truth', scoresText(scores), heat(clusters, extra.classes, (c, t) => extra.contingency[c]?.[t] ?? null, 'Samples of each cluster (down) in each true class (across).',
      { most: extra.contingency.flat().reduce((a: number, b: number) => Math.max(a, b), 1), text: (v) => whole(v), corner: 'cluster' })));
  const spectra: number[][] = extra.spectra ?? [];
  if (spectra.some((v) => v?.length))
    nodes.push(section('Spectra', 'Eigenvalues of each view\u2019s kernel, relative to its largest. A fall after the number of clusters says that the view has about that many.',
      lines(spectra.map((values, i) => ({ name: views[i].name, x: values.map((_, r) => r + 1), y: values.map((v) => (values[0] > 0 ? v / values[0] : null)), colour: css(clusterColour(i)), strong: true })),
        { x: 'eigenvalue', y: 'relative size', zero: true, wholeX: true, mark: { x: k + 0.5, text: `after ${k}` } }, `Leading eigenvalues of each view; the line is at ${plural(k, 'cluster')}.`)));
  const patterns: any[] = extra.missing ?? [];
  if (patterns.length > 1)
    nodes.push(section('Missing views', 'Which views samples have, commonest first.',
      heat(patterns.map((p) => plural(p.count, 'sample')), views.map((v) => v.name), (r, v) => patterns[r].views[v], 'Patterns of views: 1 where samples have it.', { text: (v) => (v ? 'has' : 'lacks'), corner: 'samples' })));
  if (extra.confidence?.histogram) nodes.push(confidenceSection(extra));
  nodes.push(originSection(data, extra));
  return nodes;
}

export function confidenceSection(extra: any): HTMLElement {
  const c = extra.confidence, bins: number[] = c.histogram, doubtful: any[] = extra.doubtful ?? [];
  return section('How far to trust it', 'Confidence is the margin between a sample\u2019s two best clusters, from 0 to 1.',
    bars(bins.map((n, i) => ({ name: `${(i / bins.length).toFixed(1)} to ${((i + 1) / bins.length).toFixed(1)}`, value: n, text: whole(n) })), 'Samples by confidence.', 'samples'),
    doubtful.length ? h('h3', {}, 'Most doubtful samples') : null,
    doubtful.length ? tableOf({ head: ['sample', 'cluster', 'confidence'], rows: doubtful.map((d) => [cutText(d.name ?? `sample ${d.sample + 1}`, 80), d.label, short(d.confidence, 4)]) }, 'Most doubtful samples') : null);
}
