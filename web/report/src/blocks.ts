// SPDX-License-Identifier: Apache-2.0
// What the page holds: a summary in JSON, and blocks of numbers, deflated and in base64.

export async function readBlock(name: string): Promise<Uint8Array | null> {
  const element = document.getElementById(`block-${name}`);
  if (!element) return null;
  const text = atob((element.textContent ?? '').trim());
  const packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) packed[i] = text.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function words(bytes: Uint8Array | null): Uint16Array | null {
  if (!bytes) return null;
  const out = new Uint16Array(bytes.length >> 1);
  for (let i = 0; i < out.length; i++) out[i] = bytes[2 * i] | (bytes[2 * i + 1] << 8);
  return out;
}

export function readSummary(): any {
  return JSON.parse(document.getElementById('summary')?.textContent ?? '{}');
}
