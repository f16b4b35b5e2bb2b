// SPDX-License-Identifier: Apache-2.0
// Colours that people with any kind of colour vision can tell apart, as far as twenty can be: ten
// hues that differ in lightness too, then the same ten lighter or darker. Views have colours of
// their own, so that a view is never taken for a cluster.

export type Rgb = [number, number, number];

const hues: Rgb[] = [
  [0x00, 0x72, 0xb2], [0xe6, 0x9f, 0x00], [0x00, 0x9e, 0x73], [0xcc, 0x58, 0x8b], [0x56, 0xb4, 0xe9],
  [0xc4, 0x47, 0x00], [0x7a, 0x4f, 0xb5], [0x8a, 0x8a, 0x1f], [0x8c, 0x56, 0x3c], [0x6b, 0x7a, 0x8c],
];
export const colourCount = 2 * hues.length;

function mix(a: Rgb, b: Rgb, part: number): Rgb {
  return a.map((v, i) => Math.round(v + (b[i] - v) * part)) as Rgb;
}

export function clusterColour(slot: number): Rgb {
  const base = hues[slot % hues.length];
  return slot % colourCount < hues.length ? base
    : slot % 2 ? mix(base, [0, 0, 0], 0.42) : mix(base, [255, 255, 255], 0.5);
}

// Dull tones that no cluster has; lines of views differ in their dashes too.
const tones: Rgb[] = [[0x8d, 0x7f, 0xb8], [0x4f, 0x8f, 0x88], [0xb5, 0x72, 0x7a], [0x7f, 0x91, 0x65], [0xa9, 0x8a, 0x5c], [0x7f, 0x90, 0xbd]];

export function viewColour(view: number): Rgb {
  return tones[view % tones.length];
}

export function viewDash(view: number): string | undefined {
  return [undefined, '7 3', '2 3', '9 3 2 3'][Math.floor(view / tones.length + view) % 4];
}

const ramp: Rgb[] = [[0x2b, 0x1a, 0x5e], [0x3a, 0x52, 0x9b], [0x27, 0x8f, 0x9e], [0x4d, 0xbf, 0x7a], [0xf2, 0xe0, 0x4b]];

// From dark to light: 0 to 1.
export function rampColour(t: number): Rgb {
  const at = Math.min(1, Math.max(0, t)) * (ramp.length - 1), i = Math.min(ramp.length - 2, Math.floor(at));
  return mix(ramp[i], ramp[i + 1], at - i);
}

export function css(colour: Rgb): string {
  return `rgb(${colour[0]} ${colour[1]} ${colour[2]})`;
}

// Black or white, whichever is read better on a colour: one of them has a contrast of 4.58 at least.
export function inkOn(colour: Rgb): string {
  const [r, g, b] = colour.map((v) => (v <= 10 ? v / 255 / 12.92 : ((v / 255 + 0.055) / 1.055) ** 2.4));
  const light = 0.2126 * r + 0.7152 * g + 0.0722 * b;
  return (light + 0.05) / 0.05 > 1.05 / (light + 0.05) ? '#000' : '#fff';
}

// Colours of clusters. Up to twenty each has its own; beyond, clusters that share one lie far apart.
export function assignColours(centres: [number, number][]): number[] {
  if (centres.length <= colourCount) return centres.map((_, c) => c);
  const slots: number[] = [];
  for (let c = 0; c < centres.length; c++) {
    const near = new Float64Array(colourCount).fill(Infinity);
    for (let o = 0; o < c; o++) {
      const d = (centres[o][0] - centres[c][0]) ** 2 + (centres[o][1] - centres[c][1]) ** 2;
      near[slots[o]] = Math.min(near[slots[o]], d);
    }
    let best = 0;
    for (let slot = 1; slot < colourCount; slot++) if (near[slot] > near[best]) best = slot;
    slots.push(best);
  }
  return slots;
}
