// SPDX-License-Identifier: Apache-2.0
// Pictures of the pages for docs/: node test/pictures.mjs FOLDER, with pages made from the digits.
import { copyFileSync, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { folder, open, run, startBrowser } from './browser.mjs';

const out = resolve(process.argv[2] ?? '../../docs/report'), digits = resolve('../../data/digits/digits.mat');
mkdirSync(out, { recursive: true });
copyFileSync(digits, join(folder, 'digits.mat'));
run('fit', 'digits.mat', '--clusters', '10', '--method', 'onefold', '-q', '--labels', 'l.csv', '--model', 'digits.onefold', '--report', 'fit.html');
run('choose', 'digits.mat', '--min', '6', '--max', '14', '-q', '--report', 'choose.html');
run('predict', 'digits.onefold', 'digits.mat', '-q', '--labels', 'p.csv', '--report', 'predict.html');
run('bench', 'digits.mat', '--methods', 'onefold,os-lfmvc-cs,avg-kkm,sb-kkm,mkkm', '--repeats', '3', '-q', '--report', 'bench.html');
const browser = await startBrowser();
const looks = [['light', {}], ['dark', { dark: true }], ['phone', { phone: true }], ['print', { print: true }]];
for (const kind of ['fit', 'choose', 'predict', 'bench'])
  for (const [look, options] of looks) {
    const page = await open(browser, `${kind}.html`, options);
    await page.screenshot({ path: join(out, `${kind}-${look}.png`), fullPage: look === 'full' });
    await page.close();
  }
await browser.close();
