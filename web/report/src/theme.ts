// SPDX-License-Identifier: Apache-2.0
// Light or dark: the reader's scheme until the switch is pressed, then what was chosen.
import { h } from './dom';

const dark = matchMedia('(prefers-color-scheme: dark)'), root = document.documentElement, key = 'onefold-theme';
const listeners: (() => void)[] = [];

export function isDark(): boolean {
  return root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches;
}

export function onTheme(listener: () => void): void { listeners.push(listener); }

function choose(theme: string | null): void {
  if (theme === 'light' || theme === 'dark') root.dataset.theme = theme;
  listeners.forEach((listener) => listener());
}

export function themeSwitch(): HTMLElement {
  try { choose(localStorage.getItem(key)); } catch { /* a page from a disk may have no memory */ }
  const button: HTMLButtonElement = h('button', { type: 'button', id: 'theme', class: 'control', click: () => {
    const next = isDark() ? 'light' : 'dark';
    try { localStorage.setItem(key, next); } catch { /* chosen for now */ }
    choose(next);
  } });
  const say = () => { button.textContent = isDark() ? 'Light' : 'Dark'; button.setAttribute('aria-label', `Switch to the ${isDark() ? 'light' : 'dark'} scheme`); };
  onTheme(say);
  dark.addEventListener('change', () => listeners.forEach((listener) => listener()));
  say();
  return button;
}
