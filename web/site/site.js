// SPDX-License-Identifier: Apache-2.0
// Light and dark, the menu of small screens, copying code, and the search, which reads an index beside the pages: nothing needs a
// server.
(() => {
  'use strict';
  const root = document.documentElement, base = document.currentScript.dataset.base ?? '';
  const scheme = matchMedia('(prefers-color-scheme: dark)'), key = 'onefold-theme';
  const isDark = () => (root.dataset.theme ? root.dataset.theme === 'dark' : scheme.matches);
  const make = (tag, props = {}, ...children) => {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(props)) if (name === 'click') node.addEventListener('click', value); else node.setAttribute(name, value);
    node.append(...children);
    return node;
  };

  const theme = document.getElementById('theme');
  const say = () => { theme.textContent = isDark() ? 'Light' : 'Dark'; theme.setAttribute('aria-label', `Switch to the ${isDark() ? 'light' : 'dark'} scheme`); };
  theme.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try { localStorage.setItem(key, root.dataset.theme); } catch { /* chosen for now */ }
    say();
  });
  scheme.addEventListener('change', say);
  say();

  const menu = document.getElementById('menu');
  menu.setAttribute('role', 'button');
  menu.setAttribute('aria-expanded', 'false');
  const openMenu = (open) => { document.body.classList.toggle('menu', open); menu.setAttribute('aria-expanded', String(open)); };
  menu.addEventListener('click', (event) => { event.preventDefault(); openMenu(!document.body.classList.contains('menu')); });
  menu.addEventListener('keydown', (event) => { if (event.key === ' ') { event.preventDefault(); menu.click(); } });

  for (const pre of document.querySelectorAll('.prose pre:not(.output)')) {
    const button = make('button', { type: 'button', class: 'copy', click: async () => {
      const text = pre.querySelector('code')?.innerText ?? pre.innerText;
      try { await navigator.clipboard.writeText(text); button.textContent = 'Copied'; } catch { button.textContent = 'Not allowed'; }
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    } }, 'Copy');
    const holder = make('div', { class: 'code' });
    pre.replaceWith(holder);
    holder.append(pre, button);
  }

  const rows = [...document.querySelectorAll('.toc a')];
  if (rows.length) {
    const heads = rows.map((row) => document.getElementById(decodeURIComponent(row.hash.slice(1))));
    const mark = () => {
      let at = 0;
      heads.forEach((head, i) => { if (head && head.getBoundingClientRect().top < 120) at = i; });
      rows.forEach((row, i) => row.classList.toggle('on', i === at));
    };
    addEventListener('scroll', mark, { passive: true });
    mark();
  }

  // ---- search

  let parts = null, dialog = null, field = null, list = null, chosen = 0;
  const load = () => new Promise((done, fail) => {
    if (parts) { done(); return; }
    document.head.append(Object.assign(document.createElement('script'), { src: `${base}search-index.js`, onerror: fail, onload: () => {
      const { pages, parts: all } = globalThis.onefoldIndex;
      parts = all.map(([page, anchor, name, text]) => ({ url: pages[page][0] + (anchor ? `#${anchor}` : ''), page: pages[page][1], group: pages[page][2], name, text,
        low: { name: name.toLowerCase(), page: pages[page][1].toLowerCase(), text: text.toLowerCase() } }));
      done();
    } }));
  });

  const weigh = (part, words) => {
    let sum = 0;
    for (const word of words) {
      const { name, page, text } = part.low, at = text.indexOf(word);
      let own = 0;
      if (name === word || name.split(/[\s,]+/)[0] === word) own += 60;
      else if (name.split(/[\s,]+/).includes(word)) own += 50;
      else if (name.startsWith(word)) own += 34;
      else if (name.includes(word)) own += 20;
      if (page.includes(word)) own += 6;
      if (at >= 0) own += (at === 0 || /[^\w-]/.test(text[at - 1]) ? 4 : 1) + Math.min(3, text.split(word).length - 2);
      if (!own) return 0;
      sum += own;
    }
    return sum * ({ Reference: 1.3, Files: 0.4, Project: 0.7 }[part.group] ?? 1);
  };

  const around = (text, words) => {
    const low = text.toLowerCase(), at = Math.max(0, ...words.map((word) => low.indexOf(word)).filter((i) => i >= 0).slice(0, 1)), from = Math.max(0, at - 40);
    const piece = (from ? '… ' : '') + text.slice(from, from + 170) + (from + 170 < text.length ? ' …' : ''), out = make('span', { class: 'piece' });
    const cut = new RegExp(`(${words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|')})`, 'gi');
    for (const bit of piece.split(cut)) out.append(words.includes(bit.toLowerCase()) ? make('mark', {}, bit) : bit);
    return out;
  };

  const choose = (to) => {
    const all = [...list.children];
    if (!all.length) return;
    chosen = (to + all.length) % all.length;
    all.forEach((row, i) => row.classList.toggle('on', i === chosen));
    all[chosen].scrollIntoView({ block: 'nearest' });
  };

  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean), state = dialog.querySelector('.state');
    list.replaceChildren();
    if (!words.length) { state.textContent = 'Options, functions, words of any page.'; return; }
    const found = parts.map((part) => [weigh(part, words), part]).filter(([sum]) => sum > 0).sort((a, b) => b[0] - a[0]).slice(0, 14);
    state.textContent = found.length ? `${found.length === 14 ? 'The best 14 places' : `${found.length} place${found.length > 1 ? 's' : ''}`}` : `Nothing has “${field.value}”.`;
    for (const [, part] of found)
      list.append(make('li', {}, make('a', { href: base + part.url, click: () => dialog.close() }, make('strong', {}, part.name), make('small', {}, part.name === part.page ? part.group : `${part.group} · ${part.page}`), around(part.text, words))));
    chosen = 0;
    list.firstElementChild?.classList.add('on');
  };

  const search = async () => {
    if (!dialog) {
      field = make('input', { type: 'search', id: 'query', 'aria-label': 'Search the site', placeholder: 'Search: --landmarks, onefold_fit, missing views …', autocomplete: 'off', spellcheck: 'false' });
      list = make('ol', { class: 'found' });
      dialog = make('dialog', { id: 'search', 'aria-label': 'Search' }, make('div', { class: 'ask' }, field, make('button', { type: 'button', click: () => dialog.close() }, 'Close')), make('p', { class: 'state', role: 'status' }), list);
      document.body.append(dialog);
      field.addEventListener('input', show);
      dialog.addEventListener('keydown', (event) => {
        if (event.key === 'ArrowDown' || event.key === 'ArrowUp') { event.preventDefault(); choose(chosen + (event.key === 'ArrowDown' ? 1 : -1)); }
        if (event.key === 'Enter' && event.target === field) list.children[chosen]?.querySelector('a').click();
      });
      dialog.addEventListener('click', (event) => { if (event.target === dialog) dialog.close(); });
    }
    openMenu(false);
    dialog.showModal();
    field.select();
    try { await load(); show(); } catch { dialog.querySelector('.state').textContent = 'The index, search-index.js, is not beside the pages.'; }
  };
  document.getElementById('find').addEventListener('click', search);
  addEventListener('keydown', (event) => {
    if (event.target instanceof Element && event.target.closest('input, textarea, select, dialog')) return;
    if (event.key === '/' || (event.key === 'k' && (event.ctrlKey || event.metaKey))) { event.preventDefault(); search(); }
    if (event.key === 'Escape') openMenu(false);
  });
})();
