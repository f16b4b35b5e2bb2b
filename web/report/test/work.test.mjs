// SPDX-License-Identifier: Apache-2.0
// What a reader does with a page: finds samples, names clusters, saves charts, labels and the page,
// switches the scheme, uses the keyboard alone, and lays two fits side by side.
import assert from 'node:assert/strict';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { inflateSync } from 'node:zlib';
import { accessibilityProblems, folder, open, run, startBrowser } from './browser.mjs';

let browser, json;
const names = Array.from({ length: 90 }, (_, i) => `plot-${String(i).padStart(3, '0')}`), kinds = ['oats', 'rye', 'wheat'];

before(async () => {
  const row = (i, k) => [names[i], ...[0, 1, 2].map((c) => ((i % 3 === c ? 6 : 0) + Math.sin(i * 12.9898 + 7 * c + k)).toFixed(3))].join(',');
  for (const [file, k] of [['soil', 1], ['leaf', 2]]) writeFileSync(join(folder, `${file}.csv`), `plot,${['a', 'b', 'c'].map((c) => `${file} ${c}`)}\n${names.map((_, i) => row(i, k)).join('\n')}\n`);
  writeFileSync(join(folder, 'crops.csv'), `plot,crop\n${names.map((n, i) => `${n},${kinds[i % 3]}`).join('\n')}\n`);
  const fit = ['fit', 'soil.csv', 'leaf.csv', '--truth', 'crops.csv', '--explain', '2'];
  json = { three: JSON.parse(run(...fit, '--clusters', '3', '--json', '--report', 'three.html')), two: JSON.parse(run(...fit, '--clusters', '2', '--json')) };
  for (const name of ['three', 'two']) writeFileSync(join(folder, `${name}.json`), JSON.stringify(json[name]));
  run('report', 'three.json', 'two.json', 'both.html');
  run('report', 'three.json', 'one.html', '-q');
  browser = await startBrowser();
});
after(async () => browser?.close());

// Presses something and reads the file that comes of it.
async function saved(page, press) {
  await page.waitForTimeout(150); // the browser lets a page save ten files a second
  const [download] = await Promise.all([page.waitForEvent('download'), press()]);
  const path = join(folder, `saved-${download.suggestedFilename()}`);
  await download.saveAs(path);
  return { name: download.suggestedFilename(), path, text: () => readFileSync(path, 'utf8') };
}
const button = (page, name) => page.getByRole('button', { name, exact: false }).first();

test('search finds a sample, names it in the picture, and Enter picks all that were found', async () => {
  const page = await open(browser, 'three.html');
  await page.getByLabel('Find a sample').fill('PLOT-017');
  assert.equal(await page.locator('.found button').count(), 1);
  await page.locator('.found button').click();
  const bubble = await page.locator('.bubble').innerText();
  assert.ok(bubble.startsWith('plot-017'), bubble);
  assert.ok(bubble.includes(`cluster ${json.three.labels[17]}`), bubble);
  await page.getByLabel('Find a sample').fill('plot-01');
  assert.match(await page.locator('[role=search] [role=status]').innerText(), /^10 samples found/);
  await page.getByLabel('Find a sample').press('Enter');
  assert.match(await page.locator('.picked h3').innerText(), /^10 samples picked/);
  await page.getByLabel('Find a sample').fill('no such');
  assert.match(await page.locator('[role=search] [role=status]').innerText(), /^no sample/);
  await page.close();
});

// Width and height of a PNG, and how many colours its first rows have.
function readPng(bytes) {
  assert.equal(bytes.subarray(1, 4).toString(), 'PNG');
  const data = [];
  for (let at = 8; at < bytes.length;) {
    const size = bytes.readUInt32BE(at);
    if (bytes.subarray(at + 4, at + 8).toString() === 'IDAT') data.push(bytes.subarray(at + 8, at + 8 + size));
    at += size + 12;
  }
  return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20), values: new Set(inflateSync(Buffer.concat(data))).size };
}

test('every chart can be saved as SVG, PNG and CSV, in either scheme', async () => {
  for (const dark of [false, true]) {
    const page = await open(browser, 'three.html', { dark }), figures = page.locator('figure'), count = await figures.count();
    assert.ok(count >= 6);
    for (const kind of ['SVG', 'PNG', 'CSV']) assert.equal(await figures.getByRole('button', { name: `Save as ${kind}` }).count(), count);
    for (let i = 0; i < count; i++) {
      const svg = await saved(page, () => figures.nth(i).getByRole('button', { name: 'Save as SVG' }).click());
      assert.match(svg.text(), /^<\?xml[^]*<svg [^]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
      assert.ok(!/var\(--|class=/.test(svg.text()), 'leans on the style of the page');
      const well = await page.evaluate((text) => { const d = new DOMParser().parseFromString(text, 'image/svg+xml'); return !d.querySelector('parsererror') && d.querySelectorAll('text').length > 0 && [...d.querySelectorAll('text')].every((t) => t.getAttribute('fill') && t.getAttribute('font-size')); }, svg.text());
      assert.ok(well, svg.name);
    }
    const png = await saved(page, () => figures.first().getByRole('button', { name: 'Save as PNG' }).click()), read = readPng(readFileSync(png.path));
    assert.ok(read.width >= 1000 && read.height > 100 && read.values > 8, JSON.stringify(read));
    const csv = await saved(page, () => figures.first().getByRole('button', { name: 'Save as CSV' }).click());
    assert.deepEqual(csv.text().trim().split('\n').slice(1).map((line) => Number(line.split(',')[1])), json.three.sizes);
    const whole = page.locator('section', { has: page.locator('canvas') });
    const scene = await saved(page, () => whole.getByRole('button', { name: 'Save as SVG' }).click());
    assert.ok((scene.text().match(/<circle/g) ?? []).length >= 90 + 3, 'points and a key');
    assert.ok(scene.text().includes('>cluster 0</text>'));
    assert.ok(readPng(readFileSync((await saved(page, () => whole.getByRole('button', { name: 'Save as PNG' }).click())).path)).values > 8);
    assert.deepEqual(page.complaints, []);
    await page.close();
  }
});

test('names of clusters are shown everywhere, stay in the saved page, and go with the labels', async () => {
  const page = await open(browser, 'three.html'), evil = '</script><b>"rye", & more';
  await page.locator('#name-1').fill('wheat-like');
  await page.locator('#name-1').press('Tab');
  await page.locator('#name-2').fill(evil);
  await page.locator('#name-2').press('Enter');
  for (const part of ['.answers', '.legend']) assert.ok((await page.locator(part).innerText()).includes('wheat-like'), part);
  assert.ok((await page.locator('section', { hasText: 'Sizes' }).locator('text').allTextContents()).some((t) => t.includes('wheat-like')));
  assert.equal(await page.locator('.columns').count() > 0, true, 'laid out anew');
  await page.getByLabel('Find a sample').fill('plot-00');
  await page.getByLabel('Find a sample').press('Enter');

  const labels = await saved(page, () => button(page, 'Download the labels').click());
  const lines = labels.text().trim().split('\n');
  assert.equal(lines[0], 'sample,cluster,name,confidence,true_class,picked');
  assert.equal(lines.length, 91);
  lines.slice(1).forEach((line, i) => {
    const c = json.three.labels[i], name = c === 1 ? 'wheat-like' : c === 2 ? `"${evil.replaceAll('"', '""')}"` : '';
    assert.ok(line.startsWith(`${names[i]},${c},${name},`), line);
    assert.ok(line.endsWith(`,${kinds[i % 3]},${i < 10 ? 1 : 0}`), line);
  });

  const kept = await saved(page, () => button(page, 'Save this page').click());
  await page.close();
  assert.match(kept.name, /\.html$/);
  const again = await open(browser, `saved-${kept.name}`);
  assert.deepEqual(again.complaints, []);
  assert.equal(await again.locator('#name-1').inputValue(), 'wheat-like');
  assert.equal(await again.locator('#name-2').inputValue(), evil);
  assert.ok((await again.locator('.answers').innerText()).includes('wheat-like'));
  assert.match(await again.locator('.picked h3').innerText(), /^10 samples picked/);
  assert.equal(await again.locator('canvas').count(), 1);
  assert.ok(Math.abs(statSync(kept.path).size - statSync(join(folder, 'three.html')).size) < 2000, 'the saved page is the page');
  const twice = await saved(again, () => button(again, 'Save this page').click());
  assert.equal(twice.text(), kept.text());
  await again.close();
});

test('colour by true classes, with the colours of the clusters they are matched with', async () => {
  const page = await open(browser, 'three.html');
  const colours = () => page.evaluate(() => Object.fromEntries([...document.querySelectorAll('.legend button[aria-pressed]')].map((b) => [b.querySelectorAll('span')[1].textContent, b.querySelector('.dot').style.background])));
  const clusters = await colours();
  await page.locator('#colour-by').selectOption({ label: 'true class' });
  const classes = await colours();
  assert.deepEqual(Object.keys(classes).sort(), kinds);
  kinds.forEach((kind, k) => assert.equal(classes[kind], clusters[`cluster ${json.three.labels[k]}`], kind));
  await page.close();
});

test('columns of a table about the samples are coloured by their words', async () => {
  const sites = ['east', 'north', 'south'], site = (i) => sites[i % 7 % 3], ids = Array.from({ length: 90 }, (_, i) => `p${i}`);
  for (const name of ['first', 'second'])
    writeFileSync(join(folder, `${name}.csv`), ['id,a,b,c', ...ids.map((id, i) => `${id},${[0, 1, 2].map((c) => ((i % 3 === c ? 9 : 0) + Math.sin(i * (c + 2) + name.length)).toFixed(3))}`), ''].join('\n'));
  writeFileSync(join(folder, 'about.csv'), ['id,site,kind', ...ids.map((id, i) => `${id},${i === 8 ? '' : site(i)},kind ${i % 2 ? 'odd' : 'even'}`).reverse(), ''].join('\n')); // in another order
  run('fit', 'first.csv', 'second.csv', 'about.csv', '--clusters', '3', '-q', '--labels', 'l.npy', '--report', 'words.html');
  const words = await open(browser, 'words.html');
  assert.ok((await words.locator('#colour-by optgroup').evaluateAll((all) => all.map((g) => g.label))).includes('About the samples'));
  await words.locator('#colour-by').selectOption({ label: 'site' });
  const counted = await words.locator('.legend button[aria-pressed]').allInnerTexts();
  assert.deepEqual(counted.map((text) => [text.match(/east|north|south/)?.[0], Number(text.match(/\d+/)?.[0])]).filter(([word]) => word).sort(),
    sites.map((word) => [word, ids.filter((_, i) => i !== 8 && site(i) === word).length]), String(counted));
  for (const i of [5, 8, 33]) {
    await words.evaluate((at) => globalThis.onefoldScatter.show(at), i);
    const said = await words.locator('.bubble').innerText();
    assert.match(said, new RegExp(`p${i}\\b`));
    assert.match(said, new RegExp(`site ${i === 8 ? 'missing' : site(i)}`));
  }
  assert.deepEqual(words.complaints, []);
  await words.close();
});

test('the switch turns the scheme, whatever the reader\u2019s is', async () => {
  const page = await open(browser, 'three.html'), ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.getByRole('button', { name: 'Switch to the dark scheme' }).click();
  const dark = await ground();
  assert.notEqual(dark, light);
  const corner = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done([...document.querySelector('canvas').getContext('2d').getImageData(1, 1, 1, 1).data])))));
  assert.ok(corner[0] < 60, `the picture stays light: ${corner}`);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.getByRole('button', { name: 'Switch to the light scheme' }).click();
  assert.equal(await ground(), light);
  await page.evaluate(() => localStorage.clear());
  await page.close();
});

test('the keyboard alone reaches and does everything', async () => {
  const page = await open(browser, 'three.html'), seen = new Set();
  for (let i = 0; i < 400; i++) {
    await page.keyboard.press('Tab');
    const at = await page.evaluate(() => { const e = document.activeElement; return e === document.body ? null : { id: e.id || e.getAttribute('aria-label') || e.textContent.slice(0, 40), ring: getComputedStyle(e).outlineStyle }; });
    if (!at || (seen.has(at.id) && at.id === 'theme')) break;
    assert.notEqual(at.ring, 'none', `${at.id} shows no focus`);
    seen.add(at.id);
  }
  for (const wanted of ['theme', 'colour-by', 'which-picture', 'find-sample', 'name-0', 'Download the labels (CSV)', 'Save this page', 'Picture of the samples in two dimensions', 'Lasso']) assert.ok(seen.has(wanted), `${wanted} of ${[...seen]}`);
  await page.locator('canvas').focus();
  await page.keyboard.press('Enter');
  const name = (await page.locator('.bubble').innerText()).split('\n')[0];
  await page.keyboard.press('Space');
  assert.ok((await page.locator('.names li').allInnerTexts()).some((line) => line.startsWith(name)));
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('.picked h3').count(), 0);
  await page.close();
});

test('two fits side by side: how far they agree, what comes apart, who moved', async () => {
  for (const options of [{}, { dark: true }, { phone: true }]) {
    const page = await open(browser, 'both.html', options);
    assert.deepEqual(page.complaints, []);
    assert.deepEqual(await accessibilityProblems(page), []);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    await page.close();
  }
  const page = await open(browser, 'both.html');
  writeFileSync(join(folder, 'a.txt'), json.two.labels.join('\n') + '\n');
  writeFileSync(join(folder, 'b.txt'), json.three.labels.join('\n') + '\n');
  const score = JSON.parse(run('score', 'b.txt', 'a.txt', '--json')).scores, fact = (name) => page.locator(`dd[data-fact="${name}"]`).innerText();
  assert.equal(await fact('ARI'), score.ari.toFixed(3));
  assert.equal(await fact('NMI'), score.nmi.toFixed(3));
  const moved = Number(await fact('moved'));
  assert.equal(moved, 90 - Math.round(score.acc * 90));
  const table = await page.evaluate(() => [...[...document.querySelectorAll('table')].find((t) => t.caption.textContent.startsWith('Clusters of')).tBodies[0].rows].map((r) => [...r.cells].slice(1).map((c) => Number(c.textContent))));
  assert.equal(table.flat().reduce((a, b) => a + b, 0), 90);
  const labels = (await saved(page, () => button(page, 'Download both labellings').click())).text().trim().split('\n').slice(1).map((line) => line.split(','));
  assert.deepEqual(labels.map((l) => l[0]), names);
  assert.deepEqual(labels.map((l) => Number(l[1])), json.three.labels);
  assert.deepEqual(labels.map((l) => Number(l[2])), json.two.labels);
  assert.equal(labels.filter((l) => l[3] === '1').length, moved);
  assert.match(await page.locator('.answers').innerText(), /are several of the other|is several of the other/);
  await page.close();
});

test('samples of two fits are matched by name; other samples are refused', async () => {
  const turned = { ...json.two }, order = names.map((_, i) => names.length - 1 - i);
  for (const key of ['labels', 'confidence', 'sample_names']) if (turned[key]) turned[key] = order.map((i) => json.two[key][i]);
  writeFileSync(join(folder, 'turned.json'), JSON.stringify(turned));
  run('report', 'three.json', 'turned.json', 'turned.html', '-q');
  const [a, b] = await Promise.all(['both', 'turned'].map(async (name) => { const page = await open(browser, `${name}.html`), text = await page.locator('.facts').innerText(); await page.close(); return text; }));
  assert.equal(a, b);
  const other = { ...json.two, sample_names: names.map((n) => `x${n}`) };
  writeFileSync(join(folder, 'other.json'), JSON.stringify(other));
  assert.throws(() => run('report', 'three.json', 'other.json', 'other.html'), (error) => /mixes two runs/.test(error.stderr) && error.status === 3);
  delete other.run; // as of a version that had no number of a run
  writeFileSync(join(folder, 'other.json'), JSON.stringify(other));
  assert.throws(() => run('report', 'three.json', 'other.json', 'other.html'), (error) => /of different samples/.test(error.stderr) && error.status === 3);
  assert.throws(() => statSync(join(folder, 'other.html')));
});

test('the page of a fit that was kept as JSON has all but the picture', async () => {
  const page = await open(browser, 'one.html');
  assert.deepEqual(page.complaints, []);
  assert.deepEqual(await accessibilityProblems(page), []);
  assert.equal(await page.locator('canvas').count(), 0);
  for (const wanted of ['Sizes', 'Which view did what', 'How far to trust it', 'Work with it']) assert.ok((await page.locator('h2').allInnerTexts()).includes(wanted), wanted);
  assert.match(await page.locator('.answers').innerText(), /3 clusters/);
  const lines = (await saved(page, () => button(page, 'Download the labels').click())).text().trim().split('\n').slice(1);
  assert.deepEqual(lines.map((line) => Number(line.split(',')[1])), json.three.labels);
  assert.deepEqual(lines.map((line) => line.split(',')[0]), names);
  await page.close();
});
