// SPDX-License-Identifier: Apache-2.0
// Builds the page and puts it, deflated, into src/report/page_data.inc. With --check nothing is
// written: it fails where what is there does not inflate to what the sources give.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync, inflateSync } from 'node:zlib';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url)), target = join(here, '../../src/report/page_data.inc');
const made = await build({
  entryPoints: [join(here, 'src/main.ts'), join(here, 'src/page.css')], outdir: '/', bundle: true, minify: true, write: false,
  format: 'iife', target: 'es2022', charset: 'ascii', legalComments: 'none', logLevel: 'warning', absWorkingDir: here,
});
const part = (ending) => made.outputFiles.find((file) => file.path.endsWith(ending)).text.trim();
const js = part('.js'), css = part('.css');
if (/<\/script|<!--/i.test(js)) throw new Error('the script would end its own element');
const hash = (text) => `sha256-${createHash('sha256').update(text, 'utf8').digest('base64')}`;
const page = readFileSync(join(here, 'page.html'), 'utf8').replace('%SCRIPT%', () => hash(js)).replace('%STYLE%', () => hash(css))
  .replace('%CSS%', () => css).replace('%JS%', () => js);

if (process.argv.includes('--check')) {
  const kept = Uint8Array.from(readFileSync(target, 'utf8').replace(/\/\*[^]*?\*\//g, '').match(/\d+/g), Number);
  if (inflateSync(kept).toString('utf8') !== page) {
    console.error('src/report/page_data.inc is not what web/report gives: run npm run build in web/report');
    process.exit(1);
  }
  console.log(`the page in src/report is what its sources give (${page.length} bytes, ${kept.length} deflated)`);
} else {
  const packed = deflateSync(Buffer.from(page, 'utf8'), { level: 9 });
  let text = '/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by web/report/build.mjs from the sources there: not to be edited. */\n';
  for (let i = 0; i < packed.length; i += 24) text += `${[...packed.subarray(i, i + 24)].join(',')},\n`;
  writeFileSync(target, text);
  console.log(`${page.length} bytes, ${packed.length} deflated`);
}
