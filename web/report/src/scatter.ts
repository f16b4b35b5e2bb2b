// SPDX-License-Identifier: Apache-2.0
// The picture of the samples: points drawn by hand into an ImageData, which without a graphics card
// is many times faster than WebGL; zoom, pan, hover and lasso on top.
import { css, type Rgb } from './colours';
import { h, s, tip } from './dom';
import { widthOf } from './labels';

export interface Picture { name: string; x: Float32Array; y: Float32Array; member: Uint32Array | null }
export interface Scene {
  picture: Picture;            // x, y in 0..1; member: which points it has, null for all
  colour: Uint32Array;         // per point, as the canvas holds it
  visible: (point: number) => boolean;
  labels: { text: string; x: number; y: number }[];
  describe: (point: number) => string[];
  selected: (points: number[]) => void;
}

const margin = 0.04;

export class Scatter {
  readonly element: HTMLElement;
  private readonly canvas = h('canvas', { tabindex: 0, role: 'application', 'aria-label': 'Picture of the samples in two dimensions', 'aria-describedby': 'scatter-keys' });
  private readonly overlay = s('svg', { class: 'overlay', 'aria-hidden': 'true' });
  private readonly bubble = h('div', { class: 'bubble', role: 'status', hidden: true });
  private readonly chosen = new Set<number>();
  private zoom = 1; private cx = 0.5; private cy = 0.5;
  private lassoing = false; private trail: [number, number][] = [];
  private drag: { x: number; y: number } | null = null;
  private queued = false; private hovered = -1;
  private image: ImageData | null = null;
  frames = 0; lastFrame = 0;

  constructor(private scene: Scene, private readonly dark: () => boolean) {
    this.element = h('div', { class: 'scatter' }, this.canvas, this.overlay as unknown as Node, this.bubble);
    const canvas = this.canvas;
    canvas.addEventListener('wheel', (e) => { e.preventDefault(); this.zoomAt(Math.exp(-e.deltaY * 0.0015), e.offsetX, e.offsetY); }, { passive: false });
    canvas.addEventListener('pointerdown', (e) => this.press(e));
    canvas.addEventListener('pointermove', (e) => this.move(e));
    canvas.addEventListener('pointerup', (e) => this.release(e));
    canvas.addEventListener('pointercancel', () => { this.drag = null; this.trail = []; this.draw(); });
    canvas.addEventListener('pointerleave', () => this.hover(-1, 0, 0));
    canvas.addEventListener('dblclick', () => this.home());
    canvas.addEventListener('keydown', (e) => this.key(e));
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  set(scene: Partial<Scene>): void { Object.assign(this.scene, scene); this.hover(-1, 0, 0); this.draw(); }
  select(points: number[]): void { this.chosen.clear(); for (const point of points) this.chosen.add(point); this.scene.selected([...this.chosen].sort((a, b) => a - b)); this.draw(); }
  setLasso(on: boolean): void { this.lassoing = on; this.canvas.classList.toggle('lasso', on); }
  clear(): void { this.chosen.clear(); this.scene.selected([]); this.draw(); }
  home(): void { this.zoom = 1; this.cx = this.cy = 0.5; this.draw(); }
  zoomBy(factor: number): void { this.zoomAt(factor, this.canvas.clientWidth / 2, this.canvas.clientHeight / 2); }
  panBy(dx: number, dy: number): void { const side = this.side(); this.cx += dx / side; this.cy += dy / side; this.draw(); }
  get view(): { zoom: number; cx: number; cy: number } { return { zoom: this.zoom, cx: this.cx, cy: this.cy }; }

  // Names a sample where it lies, moving the picture there where it must; false where it is not drawn.
  show(point: number): boolean {
    const { picture } = this.scene, i = picture.member ? picture.member.indexOf(point) : point;
    if (i < 0 || !Number.isFinite(picture.x[i]) || !Number.isFinite(picture.y[i])) return false;
    const seen = (v: number, size: number) => v > 20 && v < size - 20;
    if (!seen(this.toX(picture.x[i]), this.canvas.clientWidth) || !seen(this.toY(picture.y[i]), this.canvas.clientHeight)) { this.cx = picture.x[i]; this.cy = picture.y[i]; }
    this.hover(point, this.toX(picture.x[i]), this.toY(picture.y[i]));
    this.draw();
    return true;
  }

  // The picture as a drawing: points as circles up to a number, beyond it as pixels; `key` below it.
  drawing(caption: string, key: { text: string; colour: Rgb }[]): SVGElement {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight, style = getComputedStyle(this.canvas);
    const ink = style.color, font = { 'font-family': style.fontFamily, fill: ink }, parts: Node[] = [];
    let x = 12, y = height + 18;
    for (const { text, colour } of key) {
      const wide = widthOf(text) + 34;
      if (x > 12 && x + wide > width) { x = 12; y += 20; }
      parts.push(s('circle', { cx: x + 5, cy: y - 4, r: 5, fill: css(colour) }), s('text', { x: x + 15, y, 'font-size': 12.5, ...font }, text));
      x += wide;
    }
    const whole = key.length ? y + 10 : height, dots: Node[] = [], { picture, colour } = this.scene;
    if (picture.x.length <= 30000) {
      const radius = picture.x.length > 10000 ? 1.5 : picture.x.length > 2000 ? 2.2 : 3;
      this.each((point, px, py) => {
        if (px < 0 || py < 0 || px > width || py > height || !Number.isFinite(px)) return;
        const c = colour[point], faint = this.chosen.size > 0 && !this.chosen.has(point);
        dots.push(s('circle', { cx: px.toFixed(1), cy: py.toFixed(1), r: radius, fill: css([c & 255, (c >>> 8) & 255, (c >>> 16) & 255]), opacity: faint ? 0.22 : null }));
      });
    } else dots.push(s('image', { x: 0, y: 0, width, height, href: this.canvas.toDataURL('image/png') }));
    const ground = this.dark() ? '#16191f' : '#ffffff';
    return s('svg', { xmlns: 'http://www.w3.org/2000/svg', viewBox: `0 0 ${width} ${whole}`, width, height: whole }, tip(caption), s('rect', { x: 0, y: 0, width, height: whole, fill: ground }), ...dots,
      ...this.scene.labels.map((label) => s('text', { x: this.toX(label.x), y: this.toY(label.y) + 4, 'text-anchor': 'middle', 'font-size': 15, 'font-weight': 700, 'paint-order': 'stroke', stroke: ground, 'stroke-width': 4, 'stroke-linejoin': 'round', ...font }, label.text)), ...parts);
  }

  // Pixels (of the page, not of the screen) that the unit square takes.
  private side(): number { return Math.min(this.canvas.clientWidth, this.canvas.clientHeight) * (1 - 2 * margin) * this.zoom; }
  private toX(x: number): number { return (x - this.cx) * this.side() + this.canvas.clientWidth / 2; }
  private toY(y: number): number { return (this.cy - y) * this.side() + this.canvas.clientHeight / 2; }

  private zoomAt(factor: number, px: number, py: number): void {
    const zoom = Math.min(400, Math.max(0.5, this.zoom * factor)), side = this.side();
    const x = (px - this.canvas.clientWidth / 2) / side, y = (py - this.canvas.clientHeight / 2) / side;
    const change = this.zoom / zoom;
    this.cx += x * (1 - change); this.cy -= y * (1 - change);
    this.zoom = zoom;
    this.draw();
  }

  private press(e: PointerEvent): void {
    this.canvas.setPointerCapture(e.pointerId);
    this.hover(-1, 0, 0);
    if (this.lassoing || e.shiftKey) this.trail = [[e.offsetX, e.offsetY]];
    else this.drag = { x: e.offsetX, y: e.offsetY };
  }

  private move(e: PointerEvent): void {
    if (this.trail.length) { this.trail.push([e.offsetX, e.offsetY]); this.draw(); return; }
    if (this.drag) {
      const side = this.side();
      this.cx -= (e.offsetX - this.drag.x) / side; this.cy += (e.offsetY - this.drag.y) / side;
      this.drag = { x: e.offsetX, y: e.offsetY };
      this.draw();
      return;
    }
    this.hover(this.nearest(e.offsetX, e.offsetY), e.offsetX, e.offsetY);
  }

  private release(e: PointerEvent): void {
    this.drag = null;
    if (!this.trail.length) return;
    const trail = this.trail, inside: number[] = [];
    this.trail = [];
    if (trail.length > 2) this.each((point, x, y) => { if (within(trail, x, y)) inside.push(point); });
    if (!e.ctrlKey) this.chosen.clear();
    for (const point of inside) this.chosen.add(point);
    this.scene.selected([...this.chosen].sort((a, b) => a - b));
    this.draw();
  }

  private key(e: KeyboardEvent): void {
    const step = 40, side = this.side();
    const moves: Record<string, () => void> = {
      '+': () => this.zoomBy(1.4), '=': () => this.zoomBy(1.4), '-': () => this.zoomBy(1 / 1.4), '0': () => this.home(),
      ArrowLeft: () => { this.cx -= step / side; this.draw(); }, ArrowRight: () => { this.cx += step / side; this.draw(); },
      ArrowUp: () => { this.cy += step / side; this.draw(); }, ArrowDown: () => { this.cy -= step / side; this.draw(); },
      Escape: () => this.clear(),
      ' ': () => { if (this.hovered < 0) return; const all = new Set(this.chosen); if (!all.delete(this.hovered)) all.add(this.hovered); this.select([...all]); },
      Enter: () => { const x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2; this.hover(this.nearest(x, y, Infinity), x, y); },
    };
    if (!moves[e.key] || e.metaKey || e.altKey || e.ctrlKey) return;
    e.preventDefault();
    moves[e.key]();
  }

  // Every point that is drawn, in pixels of the page.
  private each(see: (point: number, x: number, y: number) => void): void {
    const { picture, visible } = this.scene, count = picture.x.length;
    for (let i = 0; i < count; i++) {
      const point = picture.member ? picture.member[i] : i;
      if (visible(point)) see(point, this.toX(picture.x[i]), this.toY(picture.y[i]));
    }
  }

  private nearest(px: number, py: number, reach = 14): number {
    let best = -1, least = reach * reach;
    this.each((point, x, y) => {
      const d = (x - px) ** 2 + (y - py) ** 2;
      if (d < least) { least = d; best = point; }
    });
    return best;
  }

  private hover(point: number, x: number, y: number): void {
    if (point < 0) { if (this.hovered >= 0) { this.bubble.hidden = true; this.hovered = -1; this.draw(); } return; }
    if (point !== this.hovered) {
      this.hovered = point;
      this.bubble.replaceChildren(...this.scene.describe(point).map((line, i) => h(i ? 'div' : 'strong', {}, line)));
      this.draw();
    }
    this.bubble.hidden = false;
    const left = x > this.canvas.clientWidth / 2;
    this.bubble.style.left = left ? '' : `${x + 16}px`;
    this.bubble.style.right = left ? `${this.canvas.clientWidth - x + 16}px` : '';
    this.bubble.style.top = `${Math.max(0, Math.min(y - 12, this.canvas.clientHeight - 120))}px`;
  }

  draw(): void {
    if (this.queued) return;
    this.queued = true;
    requestAnimationFrame(() => { this.queued = false; this.paint(); });
  }

  // The pixels of one point: offsets and how much of each it covers. Where there are many points,
  // pixels are covered or not: nobody sees the edges, and blending takes most of the time.
  private stamp(radius: number, stride: number, many: boolean): { offset: number[]; cover: number[]; reach: number } {
    const reach = Math.ceil(radius), offset: number[] = [], cover: number[] = [];
    for (let y = -reach; y <= reach; y++)
      for (let x = -reach; x <= reach; x++) {
        const part = Math.min(1, Math.max(0, radius + 0.5 - Math.hypot(x, y)));
        if (part > (many ? 0.4 : 0.1)) { offset.push(y * stride + x); cover.push(many ? 1 : part); }
      }
    return { offset, cover, reach };
  }

  paint(): void {
    const began = performance.now(), canvas = this.canvas, scale = Math.min(2, window.devicePixelRatio || 1);
    const width = Math.max(1, Math.round(canvas.clientWidth * scale)), height = Math.max(1, Math.round(canvas.clientHeight * scale));
    if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; this.image = null; }
    const context = canvas.getContext('2d', { willReadFrequently: true });
    if (!context) return;
    this.image ??= context.createImageData(width, height);
    const pixels = new Uint32Array(this.image.data.buffer), { picture, colour, visible } = this.scene;
    const ground = this.dark() ? 0xff1f1916 : 0xffffffff;
    pixels.fill(ground);
    const count = picture.x.length;
    const radius = scale * Math.min(5, (count > 50000 ? 1 : count > 10000 ? 1.5 : count > 2000 ? 2.2 : count > 300 ? 3 : 4) * Math.min(1.8, Math.sqrt(Math.max(1, this.zoom))));
    const { offset, cover, reach } = this.stamp(radius, width, count > 20000), marks = offset.length;
    const side = this.side() * scale, ox = width / 2 - this.cx * side, oy = height / 2 + this.cy * side;
    const fade = this.chosen.size > 0;
    for (let i = 0; i < count; i++) {
      const point = picture.member ? picture.member[i] : i;
      const px = Math.round(ox + picture.x[i] * side), py = Math.round(oy - picture.y[i] * side);
      if (!(px >= reach && py >= reach) || px >= width - reach || py >= height - reach || !visible(point)) continue;
      const at = py * width + px, ink = fade && !this.chosen.has(point) ? blend(ground, colour[point], 0.22) : colour[point];
      for (let k = 0; k < marks; k++) {
        const to = at + offset[k];
        pixels[to] = cover[k] >= 1 ? ink : blend(pixels[to], ink, cover[k]);
      }
    }
    context.putImageData(this.image, 0, 0);
    this.paintOverlay();
    this.frames++;
    this.lastFrame = performance.now() - began;
  }

  private paintOverlay(): void {
    const parts: Node[] = [];
    for (const label of this.scene.labels)
      parts.push(s('text', { x: this.toX(label.x), y: this.toY(label.y) + 4, class: 'centre', 'text-anchor': 'middle' }, label.text));
    if (this.trail.length > 1) parts.push(s('polygon', { points: this.trail.map((p) => p.join(',')).join(' '), class: 'trail' }));
    if (this.hovered >= 0) {
      const { picture } = this.scene, i = picture.member ? picture.member.indexOf(this.hovered) : this.hovered;
      if (i >= 0) parts.push(s('circle', { cx: this.toX(picture.x[i]), cy: this.toY(picture.y[i]), r: 8, class: 'ring' }));
    }
    this.overlay.replaceChildren(...parts);
  }
}

function blend(under: number, over: number, part: number): number {
  const a = under & 255, b = (under >>> 8) & 255, c = (under >>> 16) & 255;
  const red = a + ((over & 255) - a) * part, green = b + (((over >>> 8) & 255) - b) * part, blue = c + (((over >>> 16) & 255) - c) * part;
  return ((red + 0.5) | (((green + 0.5) | 0) << 8) | (((blue + 0.5) | 0) << 16) | 0xff000000) >>> 0;
}

// Whether a point lies inside a closed line: how often a ray from it crosses that.
function within(trail: [number, number][], x: number, y: number): boolean {
  let inside = false;
  for (let i = 0, j = trail.length - 1; i < trail.length; j = i++) {
    const [xi, yi] = trail[i], [xj, yj] = trail[j];
    if (yi > y !== yj > y && x < ((xj - xi) * (y - yi)) / (yj - yi) + xi) inside = !inside;
  }
  return inside;
}
