// SPDX-License-Identifier: Apache-2.0
// Names in little room: the part that tells them apart is kept, and the whole is on hover.

let pen: CanvasRenderingContext2D | null = null, family = '';

// How wide a text is, in pixels at this size.
export function widthOf(text: string, size = 12.5): number {
  if (!pen) {
    pen = document.createElement('canvas').getContext('2d');
    family = getComputedStyle(document.body).fontFamily;
  }
  if (!pen) return text.length * size * 0.6;
  pen.font = `${size}px ${family}`;
  return pen.measureText(text).width;
}

// As many letters as have room, by `make`, which shortens a name to so many of them.
function longest(letters: string[], room: number, make: (kept: number) => string, width: (text: string) => number): number {
  let low = 1, high = letters.length - 1;
  while (low < high) {
    const kept = (low + high + 1) >> 1;
    if (width(make(kept)) <= room) low = kept; else high = kept - 1;
  }
  return low;
}

// Which letters tell a name from the one that is most like it: from and to.
function core(name: string[], others: string[][]): [number, number] {
  let best: [number, number] = [0, name.length], most = -1;
  for (const other of others) {
    const least = Math.min(name.length, other.length);
    let before = 0, after = 0;
    while (before < least && name[before] === other[before]) before++;
    while (after < least - before && name[name.length - 1 - after] === other[other.length - 1 - after]) after++;
    if (before + after > most && (before < name.length || other.length !== name.length)) { most = before + after; best = [Math.min(before, name.length - 1), Math.max(name.length - after, Math.min(before, name.length - 1) + 1)]; }
  }
  return best;
}

// Every name within `room`. One that is too long loses letters, at its middle or elsewhere, where the
// names keep what they do not have in common, or at least stay different.
export function fitNames(names: string[], room: number, width: (text: string) => number = widthOf): string[] {
  const most = 400; // letters of a name that are looked at
  const letters = names.map((name) => {
    const all = Array.from(name.length > 4 * most ? name.slice(0, 2 * most) + name.slice(-2 * most) : name);
    return all.length > most ? [...all.slice(0, most / 2), ...all.slice(-most / 2)] : all;
  });
  const long = letters.map((name) => width(name.join('')) > room);
  if (!long.includes(true)) return names;
  const others = [...new Map(letters.filter((_, i) => long[i]).map((l) => [l.join(''), l])).values()], alone = others.length < 2;
  const cores = letters.map((l, i) => (long[i] && !alone && others.length <= 300 ? core(l, others) : [0, l.length] as [number, number]));
  const shapes = names.map((_, i) => (long[i] ? shorter(letters[i], cores[i], room, width) : null));
  const made = names.map((name, i) => shapes[i]?.find((shape) => shape.whole)?.text ?? shapes[i]?.[0].text ?? name);
  const ways = [made, ...[0, 1, 2, 3, 4, 5].map((s) => names.map((name, i) => shapes[i]?.[s].text ?? name))], told = ways.map((way) => new Set(way).size);
  return ways[told.indexOf(Math.max(...told))];
}

// The shapes that a name can be shortened to: beginning and end in five proportions, or what lies
// around its letters `from` to `to`; `whole` where those are all there.
function shorter(l: string[], [from, to]: [number, number], room: number, width: (text: string) => number): { text: string; whole: boolean }[] {
  const shapes = [0.5, 0.75, 0.25, 1, 0].map((tail) => {
    const end = (kept: number) => Math.min(kept, Math.round(kept * tail)), make = (kept: number) => `${l.slice(0, kept - end(kept)).join('')}\u2026${end(kept) ? l.slice(-end(kept)).join('') : ''}`;
    const kept = longest(l, room, make, width);
    return { text: make(kept), whole: to <= kept - end(kept) || from >= l.length - end(kept) };
  });
  const size = to - from, around = (kept: number) => {
    const start = Math.max(0, from - Math.floor(Math.max(0, kept - size) / 2)), stop = Math.min(l.length, start + kept);
    return `${start ? '\u2026' : ''}${l.slice(start, stop).join('')}${stop < l.length ? '\u2026' : ''}`;
  };
  const kept = longest(l, room, around, width);
  return [...shapes, { text: around(kept), whole: kept >= size }];
}

// The same, by letters.
export function tellApart(names: string[], most: number): string[] {
  return fitNames(names, most, (text) => Array.from(text).length);
}

export function cutText(text: string, most: number): string {
  return tellApart([text], most)[0];
}
