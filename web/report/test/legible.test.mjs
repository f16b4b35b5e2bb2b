// SPDX-License-Identifier: Apache-2.0
// What a reader sees: contrast, names, figures that add up, no holes, colours that mean one thing.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { faintTexts, folder, onefold, open, run, startBrowser } from './browser.mjs';

let browser, json;

before(async () => {
  execFileSync('python3', [resolve('../../examples/pages.py'), onefold, folder], { stdio: 'ignore' });
  run('synth', 'data.npz', '--samples', '300', '--views', '3', '--clusters', '6', '--missing', '0.1', '--seed', '3', '-q');
  json = JSON.parse(run('fit', 'data.npz', '--method', 'os-lfmvc-cs', '--clusters', '6', '--restarts', '3', '--json', '--parts', 'parts.npy', '--report', 'fit.html', '--model', 'm.onefold'));
  run('choose', 'data.npz', '--min', '4', '--max', '7', '-q', '--report', 'choose.html');
  run('predict', 'm.onefold', 'data.npz', '-q', '--labels', 'l.csv', '--report', 'predict.html');
  run('bench', 'data.npz', '--methods', 'os-lfmvc-cs,onefold', '--repeats', '2', '-q', '--report', 'bench.html');
  browser = await startBrowser();
});
after(async () => browser?.close());

const pages = ['fit', 'cells', 'patients', 'digits', 'two-fits', 'choose', 'predict', 'bench'];

// What leaves its chart, and names that are shortened to the same text.
function cutLabels() {
  const bad = [];
  for (const chart of document.querySelectorAll('figure svg')) {
    const box = chart.getBoundingClientRect(), names = new Map();
    for (const text of chart.querySelectorAll('text')) {
      const own = text.getBoundingClientRect();
      if (own.left < box.left - 1 || own.right > box.right + 1 || own.top < box.top - 1 || own.bottom > box.bottom + 1) bad.push(`${chart.getAttribute('aria-label')}: "${text.lastChild.textContent}" leaves the chart`);
      const whole = text.querySelector('title')?.textContent, kind = text.getAttribute('class');
      if (!whole) continue;
      const key = `${kind} ${text.lastChild.textContent}`;
      if (names.has(key) && names.get(key) !== whole) bad.push(`${whole} and ${names.get(key)} are both "${text.lastChild.textContent}"`);
      names.set(key, whole);
    }
  }
  return bad;
}

// Columns that do not end together, and gaps within them and between the parts of a page.
function holes() {
  const bad = [...document.querySelectorAll('.columns')].flatMap((columns) => {
    const sides = [...columns.children].map((side) => [...side.children].map((part) => part.getBoundingClientRect())), ends = sides.map((side) => side.at(-1).bottom);
    const gaps = sides.flatMap((side) => side.slice(1).map((box, i) => box.top - side[i].bottom));
    return [...(Math.max(...ends) - Math.min(...ends) > 2 ? [`columns end ${ends}`] : []), ...gaps.filter((gap) => gap > 30)];
  });
  [...document.querySelectorAll('main > *')].map((part) => part.getBoundingClientRect()).forEach((box, i, all) => { if (i && box.top - all[i - 1].bottom >= 40) bad.push(`a hole before part ${i}`); });
  return bad;
}

// Each page is opened once for each scheme and size, and looked at for all of this.
for (const name of pages)
  test(`${name}: every text has a contrast of 4.5 to 1, no label is cut, names stay apart, no holes`, async () => {
    for (const options of [{}, { dark: true }, { phone: true }, { phone: true, dark: true }]) {
      const page = await open(browser, `${name}.html`, options);
      if (!options.dark) { // what lies where does not depend on the scheme
        assert.deepEqual(await page.evaluate(cutLabels), []);
        const cut = await page.evaluate(() => [...document.querySelectorAll('.scroll')].filter((part) => part.offsetParent && !part.closest('details') && part.scrollWidth > part.clientWidth + 1).map((part) => part.getAttribute('aria-label')));
        if (!options.phone) {
          assert.deepEqual(cut, [], 'a table is cut off');
          assert.deepEqual(await page.evaluate(holes), []);
        }
      }
      const { looked, out } = await faintTexts(page);
      assert.ok(looked > 60, `${looked} texts`);
      assert.deepEqual(out, [], JSON.stringify(options));
      await page.close();
    }
  });

test('what appears on use has a contrast of 4.5 to 1 too: a named sample, what was found and picked, other colours', async () => {
  for (const options of [{}, { dark: true }]) {
    const page = await open(browser, 'cells.html', options), faint = async () => (await faintTexts(page)).out;
    await page.getByLabel('Find a sample').fill('AC');
    await page.getByLabel('Find a sample').press('Enter');
    assert.ok((await page.locator('.found button').count()) > 1 && (await page.locator('.names li').count()) > 1);
    await page.locator('.found button').first().click();
    assert.ok(await page.locator('.bubble').isVisible());
    assert.deepEqual(await faint(), [], `found and picked, ${JSON.stringify(options)}`);
    const choices = await page.locator('#colour-by option').allInnerTexts();
    for (const label of ['true class', 'view that speaks loudest', choices.at(-1)]) { // classes, views, a scale
      await page.locator('#colour-by').selectOption({ label });
      assert.deepEqual(await faint(), [], `coloured by ${label}, ${JSON.stringify(options)}`);
    }
    await page.close();
  }
});

test('the number of restarts is one figure: among the options, the rows and the line of the command', async () => {
  const page = await open(browser, 'fit.html');
  const [option, rows] = await page.evaluate(() => [
    [...[...document.querySelectorAll('table')].find((t) => t.caption.textContent === 'Every option').rows].find((r) => r.cells[0].textContent === 'restarts').cells[1].textContent,
    [...[...document.querySelectorAll('section')].find((s) => s.querySelector('h2')?.textContent === 'Restarts').querySelectorAll('table')].at(-1).tBodies[0].rows.length]);
  assert.deepEqual([Number(option), rows], [3, 3]);
  assert.match(await page.locator('#command').innerText(), /--restarts 3\b/);
  await page.close();
});

test('names that begin alike, end alike or are long keep what tells them apart', async () => {
  const rows = Array.from({ length: 80 }, (_, i) => [i % 2 ? 5 : 1, i % 2 ? 3 : 9, i % 2 ? 2 : 7].map((v, k) => v + Math.sin(i * 12.9 + k)));
  const head = ['paper before row one of the sheet that was measured by hand', 'paper before row two of the sheet that was measured by hand', 'ENSG00000000000000000000000000000000000000000000000000000000000167286_CD3D'];
  writeFileSync(join(folder, 'alike.csv'), `${head.join(',')}\n${rows.map((r) => r.join(',')).join('\n')}\n`);
  run('fit', 'alike.csv', '--clusters', '2', '-q', '--labels', 'l.csv', '--report', 'alike.html');
  const page = await open(browser, 'alike.html');
  const shown = await page.evaluate(() => { const bars = [...document.querySelectorAll('.apart svg')][0]; return [...bars.querySelectorAll('text.label')].map((t) => [t.lastChild.textContent, t.querySelector('title').textContent]); });
  assert.equal(new Set(shown.map(([short]) => short)).size, 3, JSON.stringify(shown));
  assert.deepEqual(shown.map(([, whole]) => whole).sort(), [...head].sort());
  for (const part of ['CD3D', 'one', 'two']) assert.ok(shown.some(([short]) => short.includes(part)), `${part} of ${JSON.stringify(shown)}`);
  await page.close();
});

test('the first screen says how many and how sure, which views tell, and what sets clusters apart', async () => {
  const page = await open(browser, 'cells.html');
  const held = await page.evaluate(() => JSON.parse(document.getElementById('summary').textContent)), { data } = held;
  const said = await page.locator('.answer').allInnerTexts();
  assert.equal(said.length, 3);
  assert.ok(await page.evaluate(() => [...document.querySelectorAll('.answer')].every((a) => a.getBoundingClientRect().bottom < 900)), 'below the first screen');
  assert.match(said[0], /5 clusters/);
  assert.match(said[0], /of the samples the cluster is clear/);
  const quiet = data.views.filter((v) => v.weight < 0.02).map((v) => v.name), telling = data.views.filter((v) => v.weight >= 0.02);
  for (const name of quiet) assert.match(said[1].match(/[^\n]* nothing\./)[0], new RegExp(`\\b${name}\\b`));
  assert.ok(quiet.includes('plate'), 'the view of noise is not said to tell nothing');
  for (const view of telling) assert.ok(!said[1].match(/[^\n]* nothing\./)[0].includes(view.name), said[1]);
  const markers = data.explain.map((of) => of.flatMap((v) => v.columns).sort((a, b) => Math.abs(b.strength) - Math.abs(a.strength))[0].name);
  for (const name of markers) assert.ok(said[2].includes(name), `${name} of ${said[2]}`);
  assert.ok(!(await page.locator('header').innerText()).match(/\d\.\d{4}/), 'four decimals at the top');
  assert.ok(!(await page.locator('header').innerText()).includes('graph of'), 'jargon at the top');
  await page.close();
});

test('figures that a fit of another version leaves out leave their parts out', async () => {
  const page = await open(browser, 'fit.html');
  const text = await page.evaluate(() => {
    const s = JSON.parse(document.getElementById('summary').textContent);
    for (const key of ['objective', 'restarts', 'best_restart', 'iterations', 'trace', 'runs', 'converged', 'agreement', 'candidates', 'note']) delete s.data[key];
    s.extra.traces = [];
    return document.documentElement.outerHTML.replace(/(<script[^>]*id="summary">)[^<]*/, (_, tag) => tag + JSON.stringify(s).replaceAll('<', '\\u003c')).replace(/<main[^]*<\/main>/, '<main id="page"></main>');
  });
  await page.close();
  writeFileSync(join(folder, 'less.html'), `<!doctype html>\n${text}`);
  const less = await open(browser, 'less.html');
  assert.deepEqual(less.complaints, []);
  const body = await less.locator('main').innerText();
  assert.ok(!/undefined|NaN|null/.test(body), body.match(/.{30}(undefined|NaN|null).{30}/)?.[0]);
  assert.ok(!(await less.locator('h2').allInnerTexts()).includes('Restarts'));
  await less.close();
});

test('views and clusters have no colour in common', async () => {
  const page = await open(browser, 'digits.html');
  const [views, clusters] = await page.evaluate(() => ['Which view did what', 'Sizes'].map((title) => [...[...document.querySelectorAll('section')].find((s) => s.querySelector('h2').textContent === title).querySelectorAll('rect')].map((r) => r.getAttribute('fill').match(/\d+/g).map(Number))));
  assert.ok(views.length >= 4 && clusters.length === 10);
  for (const v of views) for (const c of clusters) assert.ok(Math.hypot(...v.map((x, i) => x - c[i])) > 30, `${v} and ${c}`);
  await page.close();
});

test('the table against the truth lies on its diagonal', async () => {
  const page = await open(browser, 'cells.html');
  const rows = await page.evaluate(() => [...[...document.querySelectorAll('table')].find((t) => t.caption.textContent.startsWith('Samples of each cluster')).tBodies[0].rows].map((r) => [...r.cells].slice(1).map((c) => Number(c.textContent.replace(/\D/g, '')))));
  const held = await page.evaluate(() => JSON.parse(document.getElementById('summary').textContent).data);
  const trace = rows.reduce((sum, row, i) => sum + row[i], 0);
  assert.ok(Math.abs(trace / held.samples - held.scores.acc) < 1e-9, `${trace} of ${held.samples}, ACC ${held.scores.acc}`);
  await page.close();
});

test('shares on hover add up to 100 %', async () => {
  const page = await open(browser, 'fit.html');
  await page.locator('canvas').scrollIntoViewIfNeeded();
  const sums = await page.evaluate((views) => Array.from({ length: 300 }, (_, i) => {
    globalThis.onefoldScatter.show(i);
    return [...document.querySelectorAll('.bubble div')].map((d) => d.textContent).filter((line) => views.some((v) => line.startsWith(`${v} `)) && line.endsWith('%')).reduce((sum, line) => sum + parseFloat(line.match(/([\d.]+)\s%/)[1]), 0);
  }), json.views.map((v) => v.name));
  assert.equal(sums.length, 300);
  for (const sum of sums) assert.ok(Math.abs(sum - 100) < 0.01, `${sum}`);
  await page.close();
});

test('up to four clusters have a t-SNE too, and files that options name are listed', async () => {
  const page = await open(browser, 'patients.html');
  const pictures = await page.locator('#which-picture option').allInnerTexts();
  for (const wanted of ['all views, principal components', 'all views, t-SNE']) assert.ok(pictures.includes(wanted), String(pictures));
  const files = await page.evaluate(() => [...[...document.querySelectorAll('table')].find((t) => t.caption.textContent === 'Files that were read').rows].map((r) => [...r.cells].map((c) => c.textContent)));
  assert.ok(files.some(([path]) => path === 'diagnoses.csv'), JSON.stringify(files));
  const [size, hash] = await page.evaluate(() => { const row = [...document.querySelectorAll('table')].find((t) => t.caption.textContent === 'Files that were read').rows[0];
    return [1, 2].map((i) => { const range = document.createRange(); range.selectNodeContents(row.cells[i]); const b = range.getBoundingClientRect(); return [b.left, b.right]; }); });
  assert.ok(hash[0] - size[1] >= 8, `size and SHA-256 touch: ${size} ${hash}`);
  const options = await page.evaluate(() => [...[...document.querySelectorAll('table')].find((t) => t.caption.textContent === 'Every option').rows].map((r) => r.cells[0].textContent));
  assert.ok(!options.includes('restarts'), 'an option that had no part in the fit');
  await page.close();
});

// However fast the machine is: a frame of ten thousand samples is one painting by a few calls of the canvas.
test('ten thousand samples move by one painting a frame', { timeout: 300000 }, async () => {
  run('synth', 'ten.npz', '--samples', '10000', '--views', '3', '--clusters', '8', '-q');
  run('fit', 'ten.npz', '--clusters', '8', '--method', 'os-lfmvc-cs', '--kernel', 'linear', '--restarts', '1', '-q', '--labels', 'l.npy', '--report', 'ten.html');
  const page = await open(browser, 'ten.html');
  const counted = await page.evaluate(async () => {
    const scatter = globalThis.onefoldScatter, kind = CanvasRenderingContext2D.prototype, first = scatter.frames;
    let calls = 0;
    for (const name of Object.getOwnPropertyNames(kind)) {
      const { value } = Object.getOwnPropertyDescriptor(kind, name);
      if (typeof value === 'function' && name !== 'constructor') kind[name] = function (...words) { calls++; return value.apply(this, words); };
    }
    for (let turn = 0; turn < 30; turn++) {
      scatter.panBy(Math.sin(turn / 3) * 3, 1);
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
    return { painted: scatter.frames - first, calls };
  });
  console.log(`10000 samples: open in ${page.opened.toFixed(2)} s, ${JSON.stringify(counted)}`);
  assert.equal(counted.painted, 30);
  assert.ok(counted.calls <= 60, `${counted.calls} calls of the canvas`);
  await page.close();
});
