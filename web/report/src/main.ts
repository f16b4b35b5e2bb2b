// SPDX-License-Identifier: Apache-2.0
// The report page: reads what the page holds and shows the page of its kind.
import { benchPage } from './bench';
import { readSummary } from './blocks';
import { choosePage } from './choose';
import { comparePage, readCompared } from './compare';
import { h } from './dom';
import { fitPage } from './fit';
import { readPoints } from './picture';
import { predictPage } from './predict';
import { rememberBlank } from './save';

// Runs of parts that are not wide go into two columns that end together, so that no hole is left.
function arrange(page: HTMLElement): void {
  page.querySelectorAll(':scope > .columns').forEach((old) => old.replaceWith(...[...old.querySelectorAll<HTMLElement>(':scope > div > section')].sort((a, b) => Number(a.style.order) - Number(b.style.order))));
  const runs: HTMLElement[][] = [[]];
  for (const child of page.children as Iterable<Element> & HTMLCollection) {
    if (child instanceof HTMLElement && child.matches('section:not(.wide)')) runs[runs.length - 1].push(child);
    else if (runs[runs.length - 1].length) runs.push([]);
  }
  for (const run of runs.filter((r) => r.length)) {
    const sides = [h('div', {}), h('div', {})], heights = run.map((part) => part.offsetHeight), filled = [0, 0];
    run[0].before(h('div', { class: 'columns' }, ...sides));
    run.forEach((part, i) => {
      const side = run.length === 1 || filled[0] <= filled[1] ? 0 : 1;
      filled[side] += heights[i];
      part.style.order = String(i);
      sides[side].append(part);
    });
    if (!sides[1].children.length) sides[1].remove();
  }
}

async function show(): Promise<void> {
  const page = document.getElementById('page') as HTMLElement;
  rememberBlank(page);
  const { kind, data, extra } = readSummary();
  const nodes = kind === 'fit' ? fitPage(data, extra, await readPoints(extra)) : kind === 'compare' ? comparePage(data, extra, await readCompared(extra))
    : kind === 'choose' ? choosePage(data, extra) : kind === 'bench' ? benchPage(data, extra) : predictPage(data, extra);
  page.replaceChildren(...nodes, h('footer', {}, `Made by onefold ${data.onefold}. This page holds all it shows and asks nothing of any network.`));
  arrange(page);
  document.addEventListener('onefold-arrange', () => arrange(page));
  page.setAttribute('data-ready', 'yes');
}

show().catch((error) => {
  const page = document.getElementById('page') as HTMLElement;
  page.replaceChildren(h('p', { class: 'notice' }, `This page could not be shown: ${error instanceof Error ? error.message : error}. It needs a browser of 2023 or later.`));
  throw error;
});
