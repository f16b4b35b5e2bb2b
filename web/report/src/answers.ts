// SPDX-License-Identifier: Apache-2.0
// The first screen of a fit: how many clusters and how sure, which views tell them, and what sets
// each apart, in words.
import type { ClusterNames } from './clusters';
import { css, viewColour } from './colours';
import { h, listed, percent, plural, whole, type Child } from './dom';
import { cutText, tellApart } from './labels';

const nothing = 0.02; // a view with less of the weight tells nothing
const between = 0.1, clear = 0.5; // of confidence

function answer(question: string, said: string, ...rest: Child[]): HTMLElement {
  const id = `answer-${question.replace(/\W+/g, '-').toLowerCase()}`;
  return h('section', { class: 'card answer', 'aria-labelledby': id }, h('h2', { id }, question), h('p', { class: 'said' }, said), ...rest);
}

// Shares of the weight; null where the method gives none.
export function viewShares(views: any[]): number[] | null {
  const weights = views.map((v) => Math.max(0, v.weight ?? 0)), all = weights.reduce((a, b) => a + b, 0);
  return all > 0 ? weights.map((w) => w / all) : null;
}

// Whether the fit says that its clusters are no more than chance.
export function isEmpty(data: any): boolean {
  return data.finding?.verdict === 'no more than chance';
}

function howMany(data: any, extra: any, called: ClusterNames): HTMLElement {
  const k: number = data.clusters, sizes: number[] = data.sizes ?? [], n: number = data.samples, lines: string[] = [];
  const used = sizes.map((size, c) => ({ size, c })).filter((one) => one.size > 0).sort((a, b) => b.size - a.size);
  const large = used[0], small = used[used.length - 1];
  if (used.length > 1) lines.push(`The largest, ${cutText(called.of(large.c), 40)}, has ${plural(large.size, 'sample')} (${percent(large.size / n)}); the smallest, ${cutText(called.of(small.c), 40)}, has ${whole(small.size)} (${percent(small.size / n)}).`);
  const bins: number[] | undefined = extra.confidence?.histogram;
  if (bins && k > 1) {
    const all = bins.reduce((a, b) => a + b, 0) || 1, width = 1 / bins.length;
    const sure = bins.filter((_, i) => (i + 0.5) * width > clear).reduce((a, b) => a + b, 0), doubt = bins.filter((_, i) => (i + 0.5) * width < between).reduce((a, b) => a + b, 0);
    lines.push(`For ${percent(sure / all)} of the samples the cluster is clear; ${doubt ? `${plural(doubt, 'sample')} (${percent(doubt / all)}) ${doubt === 1 ? 'lies' : 'lie'} between two clusters` : 'none lies between two clusters'}.`);
  } else if (k > 1) lines.push('This method does not say how sure it is of a sample.');
  if (data.scores) lines.push(`${percent(data.scores.acc)} of the samples are in the cluster of their true class.`);
  const compared: number = data.candidates?.length ?? 0;
  if (compared > 1) lines.push(`This is the best of ${compared} labellings that were compared.`);
  if (data.converged === false) lines.push('The fit had not settled when its iterations ran out: give it more.');
  const finding = data.finding, empty = isEmpty(data);
  if (finding && finding.verdict !== 'not judged') lines.unshift(`${empty ? 'They are no more than chance' : 'They are more than chance'}: labels of subsamples agree at ${finding.stable.toFixed(2)}, at ${finding.chance.toFixed(2)} in samples of one cloud; neighbours tell ${percent(finding.told)} of the labels, ${percent(finding.told_chance)} there.`);
  const said = `${empty ? 'Nothing was found: these are ' : ''}${plural(k, 'cluster')}${empty ? ' of one cloud' : ''}${data.clusters_used < k ? `, ${data.clusters_used} of them used` : ''}`;
  return answer('How many clusters, and how sure?', said, ...lines.map((line) => h('p', {}, line)));
}

function whichViews(data: any): HTMLElement {
  const views: any[] = data.views ?? [], shares = viewShares(views), names = tellApart(views.map((v) => v.name), 32), most = 8;
  const title = 'Which views tell them?';
  if (isEmpty(data)) return answer(title, 'No view tells anything beyond chance.', h('p', {}, 'Neighbours tell as much of the clusters that the same method makes of one cloud of samples.'));
  if (views.length < 2) return answer(title, `There is one view: ${names[0] ?? 'none'}.`, h('p', {}, 'Views that each see the samples in their own way can be fitted together.'));
  const alone = (i: number) => (typeof views[i].agreement === 'number' ? `By itself it gives labels that agree with these by ${views[i].agreement.toFixed(2)} (NMI).` : '');
  if (!shares) {
    const order = views.map((_, i) => i).filter((i) => typeof views[i].agreement === 'number').sort((a, b) => views[b].agreement - views[a].agreement);
    return answer(title, order.length ? `${names[order[0]]} comes nearest by itself.` : 'This method does not weigh views.',
      order.length ? h('ul', { class: 'shares' }, ...order.slice(0, most).map((i) => share(names[i], views[i].name, views[i].agreement, views[i].agreement.toFixed(2), i, ''))) : null,
      order.length ? h('p', { class: 'note' }, 'Agreement (NMI) of the labels that a view gives by itself with these; this method does not weigh views.') : null);
  }
  const order = shares.map((_, i) => i).sort((a, b) => shares[b] - shares[a]), telling = order.filter((i) => shares[i] >= nothing), silent = order.filter((i) => shares[i] < nothing);
  const even = telling.length > 1 && shares[telling[0]] < 1.15 * shares[telling[telling.length - 1]];
  const leaders = telling.filter((i) => shares[i] > 0.9 * shares[telling[0]]).slice(0, 4);
  const said = telling.length === 1 ? `${names[telling[0]]} alone tells them.`
    : even ? `${telling.length === views.length ? (views.length === 2 ? 'Both views' : `All ${views.length} views`) : listed(telling.map((i) => names[i]))} tell about as much.`
      : leaders.length > 1 ? `${listed(leaders.map((i) => names[i]))} tell most.` : `${names[telling[0]]} tells most.`;
  const quiet = even && !silent.length ? '' : silent.length ? `${listed(silent.slice(0, 5).map((i) => names[i]))}${silent.length > 5 ? ` and ${silent.length - 5} more` : ''} ${silent.length === 1 ? 'tells' : 'tell'} nothing.` : 'Every view tells something.';
  return answer(title, said, quiet ? h('p', {}, quiet) : null,
    h('ul', { class: 'shares' }, ...order.slice(0, most).map((i) => share(names[i], views[i].name, shares[i], percent(shares[i]), i, alone(i)))),
    order.length > most ? h('p', { class: 'note' }, `and ${order.length - most} more, below`) : null);
}

function share(name: string, whole: string, part: number, text: string, view: number, note: string): HTMLElement {
  const bar = h('span', { class: 'part' });
  bar.style.width = `${Math.max(0.5, 100 * Math.min(1, part))}%`;
  bar.style.background = css(viewColour(view));
  return h('li', { title: `${whole}: ${text}. ${note}` }, h('span', { class: 'who' }, name), h('span', { class: 'how' }, text), h('span', { class: 'track', 'aria-hidden': 'true' }, bar));
}

// The columns of each cluster, strongest first: of all views together.
export function strongest(data: any): { cluster: number; columns: { name: string; strength: number; view: string }[] }[] {
  return (data.explain ?? []).map((of: any[], cluster: number) => ({ cluster, columns: of.flatMap((v: any) => v.columns.map((c: any) => ({ ...c, view: v.view })))
    .sort((a: any, b: any) => Math.abs(b.strength) - Math.abs(a.strength)) })).filter((entry: any) => entry.columns.length);
}

function whatApart(data: any, called: ClusterNames, colours: string[]): HTMLElement {
  const title = 'What sets each cluster apart?', sizes: number[] = data.sizes ?? [], apart = new Map(strongest(data).map((e) => [e.cluster, e.columns])), most = 7;
  const order = sizes.map((_, c) => c).filter((c) => sizes[c] > 0).sort((a, b) => sizes[b] - sizes[a]);
  const shown = order.slice(0, most).map((c) => (apart.get(c) ?? []).filter((one) => Math.abs(one.strength) >= 0.1).slice(0, 3));
  const all = [...new Set(shown.flat().map((one) => one.name))], short = new Map(tellApart(all, 26).map((text, i) => [all[i], text]));
  const views: any[] = data.views ?? [], seen: number[][] | undefined = data.agreement?.clusters;
  const item = (c: number, text: string, whole: string) => {
    const dot = h('span', { class: 'dot', 'aria-hidden': 'true' });
    dot.style.background = colours[c];
    return h('li', { title: whole }, dot, h('span', {}, h('strong', {}, cutText(called.of(c), 40)), ` ${text}`));
  };
  const more = order.length > most ? h('p', { class: 'note' }, `and ${order.length - most} more, below`) : null;
  if (all.length)
    return answer(title, 'The columns that differ most.', h('ul', { class: 'groups' }, ...order.slice(0, most).map((c, i) => {
      const high = shown[i].filter((one) => one.strength > 0), low = shown[i].filter((one) => one.strength < 0), say = (list: typeof high) => listed(list.map((one) => short.get(one.name) ?? one.name));
      const text = [high.length ? `high ${say(high)}` : '', low.length ? `low ${say(low)}` : ''].filter(Boolean).join('; ') || 'no single column';
      return item(c, text, shown[i].map((one) => `${one.name} (${one.view})`).join(', '));
    })), more);
  if (seen && views.length > 1) {
    const names = tellApart(views.map((v) => v.name), 26);
    return answer(title, 'Columns have no names here, so this says which view sees each best.', h('ul', { class: 'groups' }, ...order.slice(0, most).map((c) => {
      const best = seen[c].reduce((b, v, i) => (v > (seen[c][b] ?? -1) ? i : b), 0);
      return item(c, `seen best in ${names[best]} (${(seen[c][best] ?? 0).toFixed(2)})`, views[best].name);
    })), more);
  }
  return answer(title, 'Columns have no names here.', h('p', {}, 'Tables with a header, or a container with names of its columns, show which of them set clusters apart.'));
}

export function answers(data: any, extra: any, called: ClusterNames, colours: string[]): HTMLElement {
  return h('div', { class: 'answers wide' }, howMany(data, extra, called), whichViews(data), whatApart(data, called, colours));
}
