// SPDX-License-Identifier: Apache-2.0
// What the tests of the pages share: the command, a browser that has no network, and what it said.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';

export const onefold = resolve(process.env.ONEFOLD ?? '../../build/release/cli/onefold');
export const folder = mkdtempSync(join(tmpdir(), 'onefold-report-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

// Runs the command in the folder; its standard output.
export function run(...words) {
  return execFileSync(onefold, words, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28, env: { ...process.env, OMP_WAIT_POLICY: 'passive' }, stdio: ['ignore', 'pipe', 'pipe'] });
}

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--force-color-profile=srgb'];

export async function startBrowser() {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  return chromium.launchPersistentContext(join(folder, 'profile'), { executablePath, args: flags, offline: true, viewport: { width: 1280, height: 900 } });
}

// Opens a page of the folder and waits until it is drawn. What it complained of, and what it asked
// the network for, is kept in page.complaints.
export async function open(browser, name, options = {}) {
  const page = await browser.newPage();
  page.complaints = [];
  page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) page.complaints.push(message.text()); });
  page.on('pageerror', (error) => page.complaints.push(String(error)));
  page.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url())) page.complaints.push(`asked for ${request.url()}`); });
  await page.emulateMedia({ colorScheme: options.dark ? 'dark' : 'light', media: options.print ? 'print' : 'screen' });
  if (options.phone) await page.setViewportSize({ width: 390, height: 844 });
  const began = performance.now();
  await page.goto(pathToFileURL(join(folder, name)).href);
  await page.waitForSelector('main[data-ready]', { timeout: 60000 });
  page.opened = (performance.now() - began) / 1000;
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  return page;
}

export async function accessibilityProblems(page) {
  const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
  await page.evaluate(source);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.filter((v) => ['serious', 'critical'].includes(v.impact)).map((v) => `${v.id}: ${v.help}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(' | ')}`);
}
