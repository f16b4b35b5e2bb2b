// SPDX-License-Identifier: Apache-2.0
// The page of new samples labelled by a model.
import { bars } from './charts';
import { clusterColour, css } from './colours';
import { h, percent, plural, section, seconds, short, tableOf, whole } from './dom';
import { cutText } from './labels';
import { confidenceSection } from './fit';
import { heading, originSection } from './origin';

export function predictPage(data: any, extra: any): Node[] {
  const sizes: number[] = data.sizes, training = data.training ?? {}, far = extra.distance;
  const line = `${plural(data.samples, 'new sample')} put into ${plural(data.clusters, 'cluster')} by a model of ${plural(training.samples, 'sample')} in ${seconds(data.seconds?.predict ?? 0)}.`
    + (data.far ? ` ${plural(data.far, 'sample')} further from what was seen than any training sample.` : ' None is further from what was seen than the training samples.');
  const facts: [string, string][] = [['far away', whole(data.far)]];
  if (data.scores) facts.push(['ACC', data.scores.acc.toFixed(3)], ['NMI', data.scores.nmi.toFixed(3)]);
  if (typeof extra.confidence?.mean === 'number') facts.push(['mean confidence', extra.confidence.mean.toFixed(3)]);
  const nodes: Node[] = [heading(extra.title ?? 'New samples', line, facts),
    section('Sizes', null, bars(sizes.map((n, c) => ({ name: `cluster ${c}`, value: n, text: whole(n), colour: css(clusterColour(c)), note: percent(data.samples ? n / data.samples : 0) })), 'New samples in each cluster.', 'samples'))];
  if (extra.confidence?.histogram) nodes.push(confidenceSection(extra));
  if (far?.histogram) {
    const bins: number[] = far.histogram, at = (v: number) => Math.min(bins.length - 1, Math.floor(v * bins.length));
    nodes.push(section('Distance to what was seen', `From 0, as the model has seen it, to 1. Training samples have ${short(training.distance_mean)} on average and ${short(training.distance_most)} at most; the new ones ${short(far.mean)} and ${short(far.most)}.`,
      bars(bins.map((n, i) => ({ name: `${(i / bins.length).toFixed(2)} to ${((i + 1) / bins.length).toFixed(2)}`, value: n, text: whole(n) + (i === at(training.distance_mean) ? ' \u2190 training mean' : '') + (i === at(training.distance_most) ? ' \u2190 training most' : ''), colour: i > at(training.distance_most) ? css(clusterColour(5)) : undefined })), 'New samples by distance; where the training samples lie is marked.', 'samples'),
      extra.farthest?.length ? h('h3', {}, 'Farthest samples') : null,
      extra.farthest?.length ? tableOf({ head: ['sample', 'cluster', 'distance'], rows: extra.farthest.map((d: any) => [cutText(d.name ?? `sample ${d.sample + 1}`, 80), d.label, short(d.distance, 4)]) }, 'Farthest samples') : null));
  }
  nodes.push(originSection(data, extra));
  return nodes;
}
