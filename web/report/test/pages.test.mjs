// SPDX-License-Identifier: Apache-2.0
// The pages in a real browser, without a network: they open, say what the command says, do what they
// offer, and run nothing that a name brings along.
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { accessibilityProblems, folder, onefold, open, run, startBrowser } from './browser.mjs';

let browser, json;

before(async () => {
  run('synth', 'data.npz', '--samples', '600', '--views', '3', '--clusters', '6', '--missing', '0.1', '--seed', '3', '-q');
  run('synth', 'whole.npz', '--samples', '200', '--views', '2', '--clusters', '3', '-q');
  const fit = ['fit', 'data.npz', '--method', 'os-lfmvc-cs', '--clusters', '6', '--restarts', '3', '--threads', '2'];
  json = { fit: JSON.parse(run(...fit, '--json', '--report', 'fit.html', '--model', 'model.onefold')) };
  json.default = JSON.parse(run('fit', 'data.npz', '--clusters', '6', '--threads', '2', '--json', '--parts', 'parts.npy', '--report', 'default.html'));
  json.choose = JSON.parse(run('choose', 'data.npz', '--min', '4', '--max', '7', '--json', '--report', 'choose.html'));
  json.predict = JSON.parse(run('predict', 'model.onefold', 'data.npz', '--json', '--report', 'predict.html'));
  json.bench = JSON.parse(run('bench', 'whole.npz', '--methods', 'os-lfmvc-cs,avg-kkm,sb-kkm', '--repeats', '2', '--json', '--report', 'bench.html'));
  browser = await startBrowser();
});
after(async () => browser?.close());

const fact = (page, name) => page.locator(`dd[data-fact="${name}"]`).innerText();

for (const kind of ['fit', 'default', 'choose', 'predict', 'bench'])
  test(`the page of ${kind} opens offline, says nothing is wrong, and is accessible`, async () => {
    for (const dark of [false, true]) {
      const page = await open(browser, `${kind}.html`, { dark });
      assert.deepEqual(page.complaints, []);
      assert.equal(await page.locator('.notice').count(), 0, 'something is said to be wrong');
      assert.ok((await page.locator('section').count()) >= 3);
      assert.deepEqual(await accessibilityProblems(page), []);
      await page.close();
    }
    const phone = await open(browser, `${kind}.html`, { phone: true });
    assert.ok(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'scrolls sideways on a phone');
    await phone.close();
    const print = await open(browser, `${kind}.html`, { print: true });
    assert.equal(await print.locator('.control:visible').count(), 0, 'controls are printed');
    await print.close();
  });

test('the numbers are those of --json', async () => {
  const page = await open(browser, 'fit.html');
  assert.equal(await fact(page, 'ACC'), json.fit.scores.acc.toFixed(3));
  assert.equal(await fact(page, 'NMI'), json.fit.scores.nmi.toFixed(3));
  const held = await page.evaluate(() => JSON.parse(document.getElementById('summary').textContent));
  for (const key of ['samples', 'clusters', 'clusters_used', 'objective', 'sizes', 'scores', 'views', 'trace', 'runs', 'agreement'])
    assert.deepEqual(held.data[key], json.fit[key], key);
  const table = await page.evaluate(() => [...document.querySelectorAll('table')].find((t) => t.caption.textContent.startsWith('Samples in each cluster')).innerText);
  const said = await page.evaluate(() => [...[...document.querySelectorAll('table')].find((t) => t.caption.textContent.startsWith('Samples in each')).tBodies[0].rows].map((r) => Number(r.cells[1].textContent.replace(/\D/g, ''))));
  assert.deepEqual(said, json.fit.sizes, table);
  const counted = held.extra.contingency.map((row) => row.reduce((a, b) => a + b, 0));
  assert.deepEqual(counted, json.fit.sizes);
  await page.close();
  const choose = await open(browser, 'choose.html');
  assert.equal(await fact(choose, 'suggested'), String(json.choose.suggested || 'none'));
  assert.deepEqual(await choose.locator('#reasons li').allInnerTexts(), json.choose.reasons);
  await choose.close();
  const predict = await open(browser, 'predict.html');
  assert.equal(await fact(predict, 'ACC'), json.predict.scores.acc.toFixed(3));
  assert.equal(await fact(predict, 'far away'), String(json.predict.far));
  await predict.close();
  const bench = await open(browser, 'bench.html');
  const first = await bench.locator('#methods').first().locator('tbody tr').first().innerText();
  assert.ok(first.includes(json.bench.methods[0].default.acc.mean.toFixed(4)), first);
  await bench.close();
});

// A section of a page by its heading: is there a drawing, and the rows of its last table.
const part = (page, title) => page.evaluate((wanted) => {
  const found = [...document.querySelectorAll('section')].find((s) => s.querySelector('h2')?.textContent === wanted);
  if (!found) return null;
  return { drawn: found.querySelectorAll('svg').length, text: found.innerText,
    tables: [...found.querySelectorAll('table')].map((t) => [...t.tBodies[0].rows].map((r) => [...r.cells].map((c) => c.textContent))) };
}, title);

test('every part of a page is there, with its numbers behind the drawing', async () => {
  writeFileSync(join(folder, 'named.csv'), ['id,height,weight,noise', ...Array.from({ length: 60 }, (_, i) => `s${i},${i < 30 ? 1 : 9}.${i % 7},${i < 30 ? 5 : 6}.${i % 5},${(i * 37) % 11}`)].join('\n') + '\n');
  run('fit', 'named.csv', '--clusters', '2', '--explain', '2', '--labels', 'named-labels.csv', '--report', 'named.html');
  const named = await open(browser, 'named.html');
  const apart = await part(named, 'What sets the clusters apart');
  assert.equal(apart.drawn, 2);
  assert.ok(apart.tables.every((rows) => rows[0][0] === 'height'), JSON.stringify(apart.tables));
  await named.close();

  const fit = await open(browser, 'fit.html');
  const restarts = await part(fit, 'Restarts');
  assert.ok(restarts.drawn > 0 && restarts.tables.at(-1).length === json.fit.runs.length);
  assert.deepEqual(restarts.tables.at(-1).filter((row) => row[0].includes('kept')).map((row) => parseInt(row[0])), [json.fit.best_restart + 1]); // people count from 1
  const missing = await part(fit, 'Missing views');
  const lacks = missing.tables[0].filter((row) => row.slice(1).includes('lacks') || row.slice(1).includes('0'));
  assert.ok(missing.tables[0].length > 1 && lacks.length === missing.tables[0].length - 1, JSON.stringify(missing.tables));
  for (const title of ['Sizes', 'Which view did what', 'View by cluster', 'Against the truth', 'Spectra', 'How far to trust it'])
    assert.ok((await part(fit, title))?.tables.length > 0, title);
  const origin = await part(fit, 'Where it comes from');
  for (const wanted of [`onefold ${json.fit.onefold}`, 'seed', 'most memory', 'time: total', 'Every option']) assert.ok(origin.text.includes(wanted), wanted);
  await fit.close();

  const pool = await open(browser, 'default.html'), how = await part(pool, 'How it was chosen');
  assert.ok(how.text.includes(json.default.note.slice(1)), how.text);
  assert.deepEqual(how.tables[0].map((row) => row.at(-1)), json.default.candidates.map((c) => (c.chosen ? 'chosen' : '')));
  assert.deepEqual(how.tables[0].map((row) => row.slice(1, 3)), json.default.candidates.map((c) => [c.agreement.toFixed(3), c.score.toFixed(3)]));
  await pool.close();

  const choose = await open(browser, 'choose.html');
  for (const title of ['Evidence', 'What it is made of']) assert.ok((await part(choose, title)).drawn > 0, title);
  assert.equal((await part(choose, 'Every number')).tables[0].length, 4);
  await choose.close();

  const bench = await open(browser, 'bench.html');
  for (const title of ['Time', 'Convergence']) assert.ok((await part(bench, title)).drawn > 0, title);
  const traced = json.bench.methods.map((m) => json.bench.cells[m.default_cell].trace).filter((t) => t.length > 1);
  const shown = (await part(bench, 'Convergence')).tables;
  assert.equal(shown.length, traced.length);
  assert.ok(Math.abs(Number(shown[0].at(-1)[1]) / traced[0].at(-1) - 1) < 1e-3, shown[0].at(-1).join());
  const names = json.bench.methods.map((m) => m.name);
  assert.deepEqual((await part(bench, 'Agreement')).tables[0].map((row) => row[0]), names);
  assert.ok((await part(bench, 'Sensitivity')).tables[0].length > 1);
  await bench.close();

  const predict = await open(browser, 'predict.html');
  assert.ok((await part(predict, 'Distance to what was seen')).drawn > 0);
  await predict.close();
});

test('files are named with their SHA-256, and the command can be run again', async () => {
  const page = await open(browser, 'fit.html');
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256').update(readFileSync(join(folder, 'data.npz'))).digest('hex');
  assert.ok((await page.locator('main').innerText()).includes(hash));
  const command = await page.locator('#command').innerText();
  assert.match(command, /^\S*onefold fit data\.npz --method os-lfmvc-cs --clusters 6/);
  await page.close();
});

// The pixels of the picture, as one number.
const pixels = (page) => page.evaluate(() => {
  const canvas = document.querySelector('canvas'), data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let sum = 0;
  for (let i = 0; i < data.length; i += 4) sum = (sum * 31 + data[i] + 7 * data[i + 1] + 49 * data[i + 2]) % 1000000007;
  return sum;
});
const settle = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 20)))));

for (const kind of ['fit', 'default']) test(`colours and pictures switch: ${kind}`, async () => {
  const page = await open(browser, `${kind}.html`);
  const seen = new Set([await pixels(page)]);
  const choices = await page.locator('#colour-by option').allInnerTexts();
  for (const wanted of ['cluster', 'true class', 'confidence', 'view that speaks loudest']) assert.ok(choices.includes(wanted), `${wanted} of ${choices}`);
  for (const name of ['true class', 'confidence', 'view that speaks loudest']) {
    await page.locator('#colour-by').selectOption({ label: name });
    await settle(page);
    seen.add(await pixels(page));
  }
  assert.ok(seen.size >= 3, 'pictures in other colours look the same');
  const pictures = await page.locator('#which-picture option').allInnerTexts();
  assert.equal(pictures.length, 2 + json[kind].views.length, String(pictures));
  for (let i = 1; i < pictures.length; i++) {
    await page.locator('#which-picture').selectOption(String(i));
    await settle(page);
    const now = await pixels(page);
    assert.ok(!seen.has(now), pictures[i]);
    seen.add(now);
  }
  await page.close();
});

for (const kind of ['fit', 'default']) test(`hover names a sample, its cluster, confidence and the parts of the views: ${kind}`, async () => {
  const page = await open(browser, `${kind}.html`), told = json[kind];
  await page.locator('canvas').scrollIntoViewIfNeeded();
  const box = await page.locator('canvas').boundingBox();
  let text = '';
  for (let k = 0; k < 400 && !text; k++) {
    await page.mouse.move(box.x + box.width * (0.25 + 0.5 * ((k * 0.618) % 1)), box.y + box.height * (0.1 + 0.8 * (k / 400)));
    if (await page.locator('.bubble').isVisible()) text = await page.locator('.bubble').innerText();
  }
  assert.match(text, /sample \d+/);
  const sample = Number(text.match(/sample (\d+)/)[1]) - 1, cluster = Number(text.match(/cluster (\d+)/)[1]);
  assert.equal(cluster, told.labels[sample]);
  assert.ok(Math.abs(Number(text.match(/confidence ([\d.]+)/)[1]) - told.confidence[sample]) < 0.008, text);
  for (const view of told.views) assert.ok(text.includes(view.name), text);
  if (told.view_parts) {
    const parts = told.view_parts[sample].map((part) => Math.max(part, 0)), all = parts.reduce((a, b) => a + b, 0);
    told.views.forEach((view, v) => {
      const line = text.split('\n').find((l) => l.startsWith(`${view.name} `));
      if (line.endsWith('missing')) assert.equal(parts[v], 0, text);
      else assert.ok(Math.abs(parseFloat(line.slice(view.name.length + 1)) - (100 * parts[v]) / all) <= 3, `${text} of ${parts}`);
    });
  }
  await page.close();
});

test('a lasso lists names and copies them', async () => {
  const page = await open(browser, 'fit.html');
  await page.locator('canvas').scrollIntoViewIfNeeded();
  const box = await page.locator('canvas').boundingBox();
  await page.getByRole('button', { name: 'Lasso' }).click();
  await page.mouse.move(box.x + 4, box.y + 4);
  await page.mouse.down();
  for (const [x, y] of [[1, 0], [1, 1], [0, 1], [0, 0]]) await page.mouse.move(box.x + 4 + x * (box.width - 8), box.y + 4 + y * (box.height - 8), { steps: 4 });
  await page.mouse.up();
  await settle(page);
  assert.match(await page.locator('.picked h3').innerText(), /^600 samples picked/);
  assert.equal(await page.locator('.names li').count(), 300);
  await page.evaluate(() => { globalThis.copied = ''; document.addEventListener('copy', () => { globalThis.copied = String(document.getSelection()); }); Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (t) => { globalThis.copied = t; } } }); });
  await page.getByRole('button', { name: 'Copy names' }).click();
  await settle(page);
  assert.equal((await page.evaluate(() => globalThis.copied)).split('\n').length, 600);
  await page.getByRole('button', { name: 'Let go' }).click();
  assert.equal(await page.locator('.picked h3').count(), 0);
  await page.close();
});

test('the legend hides a cluster; zoom, pan and keys move the picture', async () => {
  const page = await open(browser, 'fit.html');
  const whole = await pixels(page), button = page.locator('.legend button[aria-pressed]').first();
  await button.click();
  await settle(page);
  const hidden = await pixels(page);
  assert.notEqual(hidden, whole);
  assert.equal(await button.getAttribute('aria-pressed'), 'false');
  await button.click();
  await settle(page);
  assert.equal(await pixels(page), whole);
  const view = () => page.evaluate(() => globalThis.onefoldScatter.view);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  assert.ok((await view()).zoom > 1.4);
  await page.getByRole('button', { name: 'Whole' }).click();
  await page.locator('canvas').scrollIntoViewIfNeeded();
  const box = await page.locator('canvas').boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.wheel(0, -300);
  await settle(page);
  assert.ok((await view()).zoom > 1.2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2 + 80, box.y + box.height / 2, { steps: 3 });
  await page.mouse.up();
  assert.ok((await view()).cx < 0.5);
  await page.locator('canvas').focus();
  await page.keyboard.press('0');
  assert.deepEqual(await view(), { zoom: 1, cx: 0.5, cy: 0.5 });
  await page.keyboard.press('ArrowRight');
  assert.ok((await view()).cx > 0.5);
  await page.keyboard.press('+');
  assert.ok((await view()).zoom > 1.3);
  await page.keyboard.press('Enter');
  assert.match(await page.locator('.bubble').innerText(), /sample/);
  await page.close();
});

test('the best of a grid is one setting, of methods that have a grid', async () => {
  const page = await open(browser, 'bench.html'), cells = json.bench.cells;
  const rows = await page.locator('#methods').nth(1).locator('tbody tr').allInnerTexts();
  const tuned = json.bench.methods.filter((m) => m.best);
  assert.equal(rows.length, 2 * tuned.length);
  for (const [i, m] of tuned.entries()) {
    const best = cells[m.best.acc.cell];
    assert.ok(rows[2 * i].includes(best.only_view ? `view ${best.only_view} ` : best.setting), rows[2 * i]);
    for (const measure of ['acc', 'nmi', 'purity', 'ari']) {
      const scores = best.scores[measure];
      assert.ok(rows[2 * i].includes((scores.reduce((a, b) => a + b, 0) / scores.length).toFixed(4)), measure);
    }
    assert.ok(rows[2 * i + 1].includes(m.median.acc.mean.toFixed(4)));
  }
  await page.close();
});

test('the table of methods sorts, and its best are bold', async () => {
  const page = await open(browser, 'bench.html');
  const table = page.locator('#methods').first(), names = () => table.locator('tbody th').allInnerTexts();
  await table.getByRole('button', { name: 'ACC' }).click();
  const means = Object.fromEntries(json.bench.methods.map((m) => [m.name, m.default.acc.mean]));
  const mean = (n) => means[n.split(/\s/)[0]], order = (await names()).map(mean);
  assert.deepEqual(order, [...order].sort((a, b) => b - a));
  assert.equal(await table.locator('thead th').nth(1).getAttribute('aria-sort'), 'descending');
  await table.getByRole('button', { name: 'ACC' }).click();
  assert.deepEqual((await names()).map(mean), [...order].sort((a, b) => a - b));
  assert.ok(await table.locator('tbody strong').count());
  await page.close();
});

test('names that are markup are shown as text, and nothing of them runs', async () => {
  const evil = '</script><img src=x onerror=globalThis.ran=1><script>globalThis.ran=1</script>', quiet = evil.replaceAll('/', '\u2215');
  const rows = Array.from({ length: 60 }, (_, i) => [i % 3 + Math.sin(i * 12.9) * 0.2, (i % 3) * 2 + Math.cos(i * 7.1) * 0.2]);
  const file = `${quiet.slice(0, 60)}.csv`;
  writeFileSync(join(folder, file), `"${evil}","b<b>&"\n${rows.map((r) => r.join(',')).join('\n')}\n`);
  writeFileSync(join(folder, 'truth.txt'), `${rows.map((_, i) => `${evil.replaceAll(' ', '_')}${i % 3}`).join('\n')}\n`);
  run('fit', file, '--clusters', '3', '--truth', 'truth.txt', '--explain', '2', '-q', '--report', 'evil.html', '--labels', 'l.csv');
  const page = await open(browser, 'evil.html');
  await settle(page);
  assert.deepEqual(page.complaints, []);
  assert.equal(await page.evaluate(() => globalThis.ran), undefined);
  assert.equal(await page.locator('img').count(), 0);
  assert.ok((await page.locator('main').innerText()).includes('onerror=globalThis.ran'));
  const options = await page.locator('#colour-by option').allInnerTexts();
  assert.ok(options.some((o) => o.startsWith('</script><img')), String(options));
  await page.close();
});

test('strange fits make pages that still read well', async () => {
  run('synth', 'many.npz', '--samples', '700', '--views', '2', '--clusters', '500', '-q');
  writeFileSync(join(folder, 'two.csv'), '1,2\n5,6\n');
  const long = 'n'.repeat(10000);
  writeFileSync(join(folder, 'long.csv'), `${long}a,${long}b\n${Array.from({ length: 40 }, (_, i) => `${i % 2},${(i % 2) * 3 + i / 100}`).join('\n')}\n`);
  const tries = [['many', 'many.npz', '--clusters', '500', '--method', 'avg-kkm', '--restarts', '1'], ['one', 'whole.npz', '--clusters', '1'], ['two', 'two.csv', '--clusters', '2'],
    ['long', 'long.csv', '--clusters', '2', '--explain', '2'], ['plain', 'whole.npz', '--clusters', '3', '--method', 'avg-kkm']];
  for (const [name, ...words] of tries) {
    try {
      run('fit', ...words, '-q', '--labels', 'l.csv', '--report', `${name}.html`);
    } catch (error) { // refused, with the usual sentence and nothing left behind
      assert.match(String(error.stderr), /^onefold: /, name);
      assert.throws(() => statSync(join(folder, `${name}.html`)), name);
      console.log(`${name}: ${String(error.stderr).trim().split('\n')[0]}`);
      continue;
    }
    const page = await open(browser, `${name}.html`, { phone: true });
    assert.deepEqual(page.complaints, [], name);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} scrolls sideways`);
    assert.deepEqual(await accessibilityProblems(page), [], name);
    await page.close();
  }
});

// A table of `n` samples with ids like barcodes, in `clusters` groups.
function writeTable(name, n, columns, clusters, first = 0) {
  const parts = [`id,${Array.from({ length: columns }, (_, i) => `c${first + i}`).join(',')}\n`];
  let state = 12345;
  const random = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
  for (let j = 0; j < n; j++) {
    const word = Math.imul(j + 1, 2654435761) >>> 0; // odd: no two alike
    let line = `${Array.from({ length: 16 }, (_, k) => 'ACGT'[(word >>> (2 * k)) & 3]).join('')}-1`;
    for (let c = 0; c < columns; c++) line += `,${(((j % clusters) >> (first + c) % 3) & 1) * 4 + (random() >>> 16) / 16384}`;
    parts.push(`${line}\n`);
  }
  writeFileSync(join(folder, name), parts.join(''));
}

test('samples are called by their names: hover, lasso, copies, doubtful ones, predictions', async () => {
  writeTable('named.csv', 300, 4, 3);
  writeTable('named2.csv', 300, 4, 3, 1);
  const told = JSON.parse(run('fit', 'named.csv', 'named2.csv', '--clusters', '3', '--restarts', '2', '--json', '--model', 'named.onefold', '--report', 'named.html'));
  const names = readFileSync(join(folder, 'named.csv'), 'utf8').trim().split('\n').slice(1).map((line) => line.split(',')[0]);
  const page = await open(browser, 'named.html');
  assert.deepEqual(page.complaints, []);
  await page.locator('canvas').scrollIntoViewIfNeeded();
  await page.locator('canvas').focus();
  await page.keyboard.press('Enter');
  const [name, cluster] = (await page.locator('.bubble').innerText()).split('\n');
  assert.equal(cluster, `cluster ${told.labels[names.indexOf(name)]}`);
  const box = await page.locator('canvas').boundingBox();
  await page.getByRole('button', { name: 'Lasso' }).click();
  await page.mouse.move(box.x + 4, box.y + 4);
  await page.mouse.down();
  for (const [x, y] of [[1, 0], [1, 1], [0, 1], [0, 0]]) await page.mouse.move(box.x + 4 + x * (box.width - 8), box.y + 4 + y * (box.height - 8), { steps: 4 });
  await page.mouse.up();
  await settle(page);
  assert.ok((await page.locator('.names li').first().innerText()).startsWith(names[0]));
  await page.evaluate(() => { Object.defineProperty(navigator, 'clipboard', { value: { writeText: async (t) => { globalThis.copied = t; } } }); });
  await page.getByRole('button', { name: 'Copy names' }).click();
  await settle(page);
  assert.deepEqual((await page.evaluate(() => globalThis.copied)).split('\n'), names);
  const least = told.confidence.indexOf(Math.min(...told.confidence));
  const doubtful = await page.evaluate(() => [...document.querySelectorAll('table')].find((t) => t.caption.textContent === 'Most doubtful samples').tBodies[0].rows[0].cells[0].textContent);
  assert.equal(doubtful, names[least]);
  await page.close();
  run('predict', 'named.onefold', 'named.csv', 'named2.csv', '-q', '--labels', 'l.csv', '--report', 'named-predict.html');
  const predict = await open(browser, 'named-predict.html');
  const farthest = await predict.evaluate(() => [...document.querySelectorAll('table')].find((t) => t.caption.textContent === 'Farthest samples').tBodies[0].rows[0].cells[0].textContent);
  assert.ok(names.includes(farthest), farthest);
  await predict.close();
});

test('every method has its pictures, spectra and agreement', async () => {
  for (const method of ['onefold', 'avg-kkm', 'sb-kkm', 'mkkm']) {
    const told = JSON.parse(run('fit', 'whole.npz', '--clusters', '3', '--method', method, '--json', '--report', 'method.html'));
    const page = await open(browser, 'method.html');
    assert.deepEqual(page.complaints, [], method);
    const pictures = await page.locator('#which-picture option').allInnerTexts();
    assert.equal(pictures.filter((p) => p.endsWith('by itself')).length, told.views.length, method);
    const headings = await page.locator('h2').allInnerTexts();
    for (const wanted of ['Spectra', 'View by cluster']) assert.ok(headings.includes(wanted), `${method}: ${headings}`);
    await page.close();
  }
});

test('more samples than a page shows: 200000 of them, in few bytes, and one painting a frame', { timeout: 600000 }, async () => {
  writeTable('large.csv', 210000, 2, 4);
  writeFileSync(join(folder, 'large-truth.txt'), Array.from({ length: 210000 }, (_, i) => `t${i % 4}\n`).join(''));
  run('fit', 'large.csv', '--truth', 'large-truth.txt', '--clusters', '4', '--method', 'os-lfmvc-cs', '--kernel', 'linear', '--restarts', '1', '--max-iter', '5', '-q', '--labels', 'l.npy', '--report', 'large.html');
  const size = statSync(join(folder, 'large.html')).size, text = readFileSync(join(folder, 'large.html'), 'latin1');
  assert.ok(size < 4e6, `${size} bytes`);
  assert.match(text, /"shown":200000,"of":210000/);
  const page = await open(browser, 'large.html');
  assert.deepEqual(page.complaints, []);
  // However often a frame moves the picture, it is painted once, by one call; no point has a call of its own.
  const counted = await page.evaluate(async () => {
    const scatter = globalThis.onefoldScatter, first = scatter.frames, calls = {}, kind = CanvasRenderingContext2D.prototype;
    const next = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    for (const name of Object.getOwnPropertyNames(kind)) {
      const { value } = Object.getOwnPropertyDescriptor(kind, name);
      if (typeof value !== 'function' || name === 'constructor') continue;
      kind[name] = function (...words) { calls[name] = (calls[name] ?? 0) + 1; return value.apply(this, words); };
    }
    for (let turn = 0; turn < 4; turn++) {
      for (let k = 0; k < 10; k++) scatter.panBy(3, 1);
      await next();
    }
    return { painted: scatter.frames - first, images: calls.putImageData, calls: Object.values(calls).reduce((a, b) => a + b, 0), moved: scatter.view.cx };
  });
  console.log(`210000 samples: ${(size / 1e6).toFixed(2)} MB, open in ${page.opened.toFixed(2)} s, ${JSON.stringify(counted)}`);
  assert.notEqual(counted.moved, 0.5);
  assert.equal(counted.painted, 4);
  assert.equal(counted.images, 4);
  assert.ok(counted.calls <= 40, `${counted.calls} calls of the canvas`);
  await page.close();
});

test('an existing page is replaced whole or stays; no page where there is no room', () => {
  const before = readFileSync(join(folder, 'fit.html'));
  assert.throws(() => run('fit', 'data.npz', '--clusters', '6', '-q', '--report', 'no/such/place.html'));
  assert.throws(() => run('fit', 'data.npz', '--clusters', '6000', '-q', '--report', 'fit.html'));
  assert.deepEqual(readFileSync(join(folder, 'fit.html')), before);
  assert.ok(onefold);
});
