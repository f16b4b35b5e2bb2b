// SPDX-License-Identifier: Apache-2.0
// The page of a fit.
import { answers, strongest, viewShares } from './answers';
import { bars, heat, lines } from './charts';
import { ClusterNames } from './clusters';
import { clusterColour, css, viewColour, viewDash } from './colours';
import { h, percent, plural, section, seconds, short, tableOf, whole, wide } from './dom';
import { cutText, tellApart } from './labels';
import { diagonal } from './match';
import { heading, originSection, scoresText } from './origin';
import { pictureSection, type PictureSection, type Points } from './picture';
import { csvOf, download, fileName, pageText, readKept } from './save';

// Names for clusters, the labels to take away, and the page itself with both.
function workSection(data: any, extra: any, points: Points, called: ClusterNames, colours: string[], picture: PictureSection | null): HTMLElement {
  const sizes: number[] = data.sizes ?? [], said = h('span', { role: 'status' }), most = 200, used = sizes.map((_, c) => c).filter((c) => sizes[c] > 0);
  const inputs = used.slice(0, most).map((c) => {
    const dot = h('span', { class: 'dot', 'aria-hidden': 'true' }), input = h('input', { type: 'text', id: `name-${c}`, value: called.own(c), maxlength: 200, placeholder: 'a name', change: () => called.set(c, input.value) });
    dot.style.background = colours[c];
    return h('div', { class: 'row' }, dot, h('label', { for: `name-${c}` }, `cluster ${c}`), input);
  });
  const labels = () => {
    const picked = new Set(picture?.picked() ?? []), classes: string[] = extra.classes ?? [];
    const head = ['sample', 'cluster', 'name', ...(points.confidence ? ['confidence'] : []), ...(points.truth ? ['true_class'] : []), 'picked'];
    return csvOf([head, ...Array.from({ length: points.count }, (_, i) => {
      const c = points.label(i), sure = points.confidence?.[i], t = points.truth?.(i) ?? -1;
      return [points.name(i), c, called.own(c), ...(points.confidence ? [sure === undefined || sure === 255 ? '' : (sure / 250).toFixed(3)] : []), ...(points.truth ? [t < 0 ? '' : classes[t] ?? ''] : []), picked.has(i) ? 1 : 0];
    })]);
  };
  const part = extra.points.shown < extra.points.of ? ` The page holds ${whole(extra.points.shown)} of ${whole(extra.points.of)} samples: the command's --labels writes all.` : '';
  return wide(section('Work with it', `Names that you give to clusters are shown everywhere on the page and stay in a page that you save. Labels are saved with these names and with what is picked in the picture.${part}`,
    h('fieldset', { class: 'naming control' }, h('legend', {}, 'Names of the clusters'), ...inputs),
    used.length > most ? h('p', { class: 'note' }, `The first ${most} of ${used.length} clusters.`) : null,
    h('div', { class: 'row control' },
      h('button', { type: 'button', click: () => { download(fileName(`${extra.title ?? 'fit'} labels`, 'csv'), labels(), 'text/csv;charset=utf-8'); said.textContent = 'labels saved'; } }, 'Download the labels (CSV)'),
      h('button', { type: 'button', click: () => { download(fileName(extra.title ?? 'fit', 'html'), pageText({ names: called.kept(), picked: (picture?.picked() ?? []).slice(0, 50000) }), 'text/html;charset=utf-8'); said.textContent = 'page saved'; } }, 'Save this page'), said)));
}

// A note that begins so says what was done, not what went wrong; 'chosen: ' and
// 'kernels that are given: ' are in fits kept by earlier versions.
const done = /^(best of |one labelling, |precomputed kernels: |kernels that are given: |chosen: |on )/;

export function fitPage(data: any, extra: any, points: Points | null): Node[] {
  const views: any[] = data.views ?? [], k: number = data.clusters, kept = readKept(), called = new ClusterNames(k, kept), scores = data.scores;
  const facts: [string, string][] = [['method', data.method]];
  if (data.candidates?.length > 1) facts.push(['labellings compared', String(data.candidates.length)]);
  if (scores) facts.push(['ACC', scores.acc.toFixed(3)], ['NMI', scores.nmi.toFixed(3)], ['ARI', scores.ari.toFixed(3)]);
  if (data.seconds?.total ?? data.seconds?.fit) facts.push(['time', seconds(data.seconds.total ?? data.seconds.fit)]);
  const told = tellApart(views.map((v) => v.name), 40), line = `${plural(data.samples, 'sample')} seen through ${plural(views.length, 'view')}${views.length && views.length <= 6 ? `: ${told.join(', ')}` : ''}.`;
  const nodes: Node[] = [heading(extra.title ?? 'A fit', line, facts)];
  if (data.note && !done.test(data.note)) nodes.push(h('p', { class: 'notice' }, data.note));

  const picture = points?.pictures.length ? pictureSection(points, data, extra, called) : null;
  const colours = picture?.colours ?? Array.from({ length: k }, (_, c) => css(clusterColour(c)));
  let top = answers(data, extra, called, colours), rest = parts(data, extra, called, colours, points);
  nodes.push(top);
  if (picture) nodes.push(picture.node);
  const work = points ? workSection(data, extra, points, called, colours, picture) : null;
  if (work) nodes.push(work);
  called.onChange(() => {
    const before = top, gone = rest;
    top = answers(data, extra, called, colours); rest = parts(data, extra, called, colours, points);
    before.replaceWith(top);
    gone.forEach((node) => node.remove());
    work?.after(...rest);
    picture?.renamed();
    document.dispatchEvent(new Event('onefold-arrange'));
  });
  if (picture && Array.isArray(kept.picked) && kept.picked.length) picture.pick(kept.picked.filter((i: unknown) => typeof i === 'number' && i < (points as Points).count));
  return [...nodes, ...rest];
}

function parts(data: any, extra: any, called: ClusterNames, colours: string[], points: Points | null): HTMLElement[] {
  const views: any[] = data.views ?? [], k: number = data.clusters, nodes: HTMLElement[] = [], clusters = called.all(), sizes: number[] = data.sizes ?? [], shares = viewShares(views);
  nodes.push(section('Sizes', null, bars(sizes.map((n, c) => ({ name: clusters[c], value: n, text: whole(n), colour: colours[c], note: percent(n / data.samples) })), 'Samples in each cluster.', 'samples')));
  const agreed = views.some((v) => typeof v.agreement === 'number');
  if (shares || agreed)
    nodes.push(section('Which view did what', `${shares ? 'The weight is the view\u2019s part in the labels. ' : ''}${agreed ? 'Agreement is how far the labels that a view would give by itself match these (NMI).' : ''}`,
      shares ? bars(views.map((v, i) => ({ name: v.name, value: v.weight, colour: css(viewColour(i)), note: `${v.kernel} kernel, ${plural(v.columns, 'column')}, ${v.storage}` })), 'Weight of each view.', 'weight') : null,
      agreed ? bars(views.map((v, i) => ({ name: v.name, value: v.agreement ?? 0, colour: css(viewColour(i)) })), 'Agreement of each view with the labels.', 'NMI') : null));
  if (data.agreement?.clusters)
    nodes.push(section('View by cluster', 'How well a view by itself finds each cluster: Jaccard index with its best match. A light cell is a cluster that the view sees.',
      heat(views.map((v) => v.name), clusters.map((_, c) => called.short(c)), (v, c) => data.agreement.clusters[c]?.[v] ?? null, 'Agreement of each view with each cluster.', { corner: 'view' }),
      views.length > 1 && data.agreement.views ? heat(views.map((v) => v.name), views.map((v) => v.name), (a, b) => data.agreement.views[a]?.[b] ?? null, 'Agreement of the views with each other (NMI).', { corner: 'view' }) : null));
  if (extra.contingency) {
    const table: number[][] = extra.contingency, order = diagonal(table, extra.classes.length);
    nodes.push(section('Against the truth', scoresText(data.scores), heat(clusters, order.map((t) => extra.classes[t]), (c, t) => table[c]?.[order[t]] ?? null, 'Samples of each cluster (down) in each true class (across).',
      { most: table.flat().reduce((a: number, b: number) => Math.max(a, b), 1), text: (v) => whole(v), corner: 'cluster' })));
  } else if (data.scores) nodes.push(section('Against the truth', scoresText(data.scores)));
  const apart = strongest(data);
  if (apart.length)
    nodes.push(wide(section('What sets the clusters apart', 'Correlation of a column with belonging to the cluster: to the right it is larger there than elsewhere, to the left smaller.',
      h('div', { class: 'grid-3' }, ...apart.slice(0, 40).map((entry) => h('div', { class: 'apart' }, h('h3', {}, called.of(entry.cluster)),
        bars(entry.columns.map((c) => ({ name: c.name, value: c.strength, colour: colours[entry.cluster], note: c.view })), `Columns that set ${called.of(entry.cluster)} apart.`, 'strength', 8, 400)))),
      apart.length > 40 ? h('p', { class: 'note' }, `The first 40 of ${apart.length} clusters.`) : null)));
  if (extra.confidence?.histogram) nodes.push(confidenceSection(extra, called, points));
  const patterns: any[] = extra.missing ?? [];
  if (patterns.length > 1)
    nodes.push(section('Missing views', 'Which views samples have, most common first.',
      heat(patterns.map((p) => plural(p.count, 'sample')), views.map((v) => v.name), (r, v) => patterns[r].views[v], 'Patterns of views: 1 where samples have it.', { text: (v) => (v ? 'has' : 'lacks'), corner: 'samples' })));
  nodes.push(...howSections(data, extra, views, k));
  nodes.push(originSection(data, extra));
  return nodes;
}

// How the labels were reached: for readers who want to check the method.
function howSections(data: any, extra: any, views: any[], k: number): HTMLElement[] {
  const nodes: HTMLElement[] = [], candidates: any[] = data.candidates ?? [], why = done.test(data.note ?? '') ? String(data.note).replace(/^chosen: /, '') : '';
  if (candidates.length > 1 || why)
    nodes.push(section('How it was chosen', why ? `${why[0].toUpperCase()}${why.slice(1)}.` : null, candidates.length > 1 ? tableOf({ head: ['labelling', 'agreement of subsamples (ARI)', 'score', ''],
      rows: candidates.map((c) => [cutText(c.name, 80), ...[c.agreement, c.score].map((x) => (typeof x === 'number' ? x.toFixed(3) : '')), c.chosen ? 'chosen' : '']), numeric: [false, true, true, false] }, 'Labellings compared') : null));
  const traces: number[][] = extra.traces?.length ? extra.traces : data.trace?.length ? [data.trace] : [], runs: any[] = data.runs ?? [];
  if (traces.some((trace) => trace.length > 1)) {
    const best = extra.traces?.length ? data.best_restart ?? 0 : 0, order = traces.map((_, r) => r).filter((r) => r !== best && traces[r].length).concat(traces[best] ? [best] : []);
    nodes.push(section('Restarts', `${plural(data.restarts ?? traces.length, 'restart')}; ${typeof data.objective === 'number' ? `the one with the largest objective, ${short(data.objective, 4)},` : `number ${best + 1}`} was kept${data.converged === false ? ', though it had not settled' : ''}.`,
      lines(order.map((r) => ({ name: r === best ? `restart ${r + 1}, kept` : `restart ${r + 1}`, x: traces[r].map((_, t) => t + 1), y: traces[r], colour: r === best ? 'var(--accent)' : 'var(--quiet)', strong: r === best })),
        { x: 'iteration', y: 'objective', wholeX: true }, 'Objective after each iteration; the restart that was kept is drawn strongly.'),
      runs.length > 1 ? tableOf({ head: ['restart', 'objective', 'iterations', 'clusters used'], rows: runs.map((run: any, r: number) => [r === data.best_restart ? `${r + 1}, kept` : r + 1, short(run.objective, 6), run.iterations ?? '', run.clusters_used ?? '']) }, 'Restarts') : null));
  }
  const spectra: number[][] = extra.spectra ?? [];
  if (spectra.some((v) => v?.length))
    nodes.push(section('Spectra', 'Eigenvalues of each view\u2019s kernel, relative to its largest. A fall after the number of clusters says that the view has about that many.',
      lines(spectra.map((values, i) => ({ name: views[i].name, x: values.map((_, r) => r + 1), y: values.map((v) => (values[0] > 0 ? v / values[0] : null)), colour: css(viewColour(i)), dashed: viewDash(i), strong: true })),
        { x: 'eigenvalue', y: 'relative size', zero: true, wholeX: true, mark: { x: k + 0.5, text: `after ${k}` } }, `Leading eigenvalues of each view; the line is at ${plural(k, 'cluster')}.`)));
  return nodes;
}

export function confidenceSection(extra: any, called?: ClusterNames, points: Points | null = null): HTMLElement {
  const c = extra.confidence, bins: number[] = c.histogram, doubtful: any[] = (extra.doubtful ?? []).slice(0, 10);
  return section('How far to trust it', 'Confidence is the margin between a sample\u2019s two best clusters, from 0 to 1.',
    bars(bins.map((n, i) => ({ name: `${(i / bins.length).toFixed(1)} to ${((i + 1) / bins.length).toFixed(1)}`, value: n, text: whole(n) })), 'Samples by confidence.', 'samples'),
    doubtful.length ? h('h3', {}, 'Most doubtful samples') : null,
    doubtful.length ? tableOf({ head: ['sample', 'cluster', 'confidence'], rows: doubtful.map((d) => [cutText(d.name ?? (points && extra.points.shown === extra.points.of ? points.name(d.sample) : `sample ${d.sample + 1}`), 80), called?.short(d.label) ?? d.label, short(d.confidence, 3)]) }, 'Most doubtful samples') : null);
}
