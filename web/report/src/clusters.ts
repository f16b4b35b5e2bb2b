// SPDX-License-Identifier: Apache-2.0
// The names that a reader gives to clusters. They stay in a page that is saved.

export class ClusterNames {
  private readonly given = new Map<number, string>();
  private readonly listeners: (() => void)[] = [];

  constructor(readonly count: number, kept: any) {
    for (const [cluster, name] of Object.entries(kept?.names ?? {}))
      if (typeof name === 'string' && name && Number(cluster) < count) this.given.set(Number(cluster), name.slice(0, 200));
  }

  // "cluster 3", or what it was called.
  of(cluster: number): string { return this.given.get(cluster) ?? (cluster < 0 ? 'none' : `cluster ${cluster}`); }
  short(cluster: number): string { return this.given.get(cluster) ?? String(cluster); }
  own(cluster: number): string { return this.given.get(cluster) ?? ''; }
  all(): string[] { return Array.from({ length: this.count }, (_, c) => this.of(c)); }

  set(cluster: number, name: string): void {
    if (name.trim() === this.own(cluster)) return;
    if (name.trim()) this.given.set(cluster, name.trim()); else this.given.delete(cluster);
    this.listeners.forEach((listener) => listener());
  }

  onChange(listener: () => void): void { this.listeners.push(listener); }
  kept(): Record<string, string> { return Object.fromEntries(this.given); }
}
