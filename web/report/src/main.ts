// SPDX-License-Identifier: Apache-2.0
// The report page: reads what the page holds and shows the page of its kind.
import { benchPage } from './bench';
import { readSummary } from './blocks';
import { choosePage } from './choose';
import { h } from './dom';
import { fitPage } from './fit';
import { readPoints } from './picture';
import { predictPage } from './predict';

async function show(): Promise<void> {
  const page = document.getElementById('page') as HTMLElement;
  const { kind, data, extra } = readSummary();
  const nodes = kind === 'fit' ? fitPage(data, extra, await readPoints(extra))
    : kind === 'choose' ? choosePage(data, extra) : kind === 'bench' ? benchPage(data, extra) : predictPage(data, extra);
  page.replaceChildren(...nodes, h('footer', {}, `Made by onefold ${data.onefold}. This page holds all it shows and asks nothing of any network.`));
  page.setAttribute('data-ready', 'yes');
}

show().catch((error) => {
  const page = document.getElementById('page') as HTMLElement;
  page.replaceChildren(h('p', { class: 'notice' }, `This page could not be shown: ${error instanceof Error ? error.message : error}. It needs a browser of 2023 or later.`));
  throw error;
});
