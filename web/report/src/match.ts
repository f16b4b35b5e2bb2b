// SPDX-License-Identifier: Apache-2.0
// Two labellings of the same samples: which cluster of one is which of the other, and how far they agree.

// Rows to columns, one to one, with the largest sum (the Hungarian method); -1 for a row without one.
export function assign(table: number[][], columns: number): number[] {
  const n = Math.max(table.length, columns), most = Math.max(0, ...table.map((row) => Math.max(0, ...row)));
  const cost = (i: number, j: number) => most - (table[i]?.[j] ?? 0);
  const u = new Float64Array(n + 1), v = new Float64Array(n + 1), of = new Int32Array(n + 1), way = new Int32Array(n + 1);
  for (let i = 1; i <= n; i++) {
    const least = new Float64Array(n + 1).fill(Infinity), used = new Uint8Array(n + 1);
    let j0 = 0;
    of[0] = i;
    do {
      used[j0] = 1;
      let delta = Infinity, next = 0;
      for (let j = 1; j <= n; j++) if (!used[j]) {
        const now = cost(of[j0] - 1, j - 1) - u[of[j0]] - v[j];
        if (now < least[j]) { least[j] = now; way[j] = j0; }
        if (least[j] < delta) { delta = least[j]; next = j; }
      }
      for (let j = 0; j <= n; j++) if (used[j]) { u[of[j]] += delta; v[j] -= delta; } else least[j] -= delta;
      j0 = next;
    } while (of[j0]);
    for (; j0; j0 = way[j0]) of[j0] = of[way[j0]];
  }
  const out: number[] = new Array(table.length).fill(-1);
  for (let j = 1; j <= columns; j++) if (of[j] <= table.length) out[of[j] - 1] = j - 1;
  return out;
}

// Columns in the order in which the matched cells lie on the diagonal, the others after them.
export function diagonal(table: number[][], columns: number): number[] {
  const big = Math.max(table.length, columns) > 300, order: number[] = [];
  const of = big ? table.map((row) => row.indexOf(Math.max(...row))) : assign(table, columns);
  for (const j of of) if (j >= 0 && !order.includes(j)) order.push(j);
  for (let j = 0; j < columns; j++) if (!order.includes(j)) order.push(j);
  return order;
}

const pairs = (n: number) => (n * (n - 1)) / 2;
const sum = (list: number[]) => list.reduce((a, b) => a + b, 0);

export interface Agreement { same: number; of: number; ari: number; nmi: number }

// Of a table of counts: samples in matched clusters, adjusted Rand index, and mutual information
// over the larger entropy, as `onefold score` has them.
export function agreementOf(table: number[][], columns: number): Agreement {
  const rows = table.map(sum), across = Array.from({ length: columns }, (_, j) => sum(table.map((row) => row[j]))), n = sum(rows);
  const of = assign(table, columns), same = sum(table.map((row, i) => (of[i] < 0 ? 0 : row[of[i]])));
  const together = sum(table.map((row) => sum(row.map(pairs)))), a = sum(rows.map(pairs)), b = sum(across.map(pairs));
  const chance = n > 1 ? (a * b) / pairs(n) : 0, most = (a + b) / 2;
  const entropy = (counts: number[]) => -sum(counts.filter((c) => c > 0).map((c) => (c / n) * Math.log(c / n)));
  const mutual = sum(table.map((row, i) => sum(row.map((c, j) => (c ? (c / n) * Math.log((c * n) / (rows[i] * across[j])) : 0)))));
  const larger = Math.max(entropy(rows), entropy(across));
  return { same, of: n, ari: most === chance ? 1 : (together - chance) / (most - chance), nmi: larger > 0 ? Math.min(1, mutual / larger) : 1 };
}
