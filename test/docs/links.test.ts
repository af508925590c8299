// Links between the pages: the file is there, and so is the heading that an anchor names, by GitHub's rule.
import { existsSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { Tokens } from 'marked';
import { describe, expect, it } from 'vitest';
import { PAGES, ROOT, tokensOf } from '../support/page-blocks.ts';

/** Markup is gone, letters are small, spaces are dashes, other signs but `-` and `_` are left out; a second one gets `-1`. */
function anchorsOf(page: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const token of tokensOf(page)) {
    if (token.type !== 'heading') continue;
    const plain = (token as Tokens.Heading).text
      .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/[`*]/g, '')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = plain;
    for (let more = 1; anchors.has(anchor); more += 1) anchor = `${plain}-${more}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Of Markdown, and of HTML in it. */
function linksOf(page: string): readonly string[] {
  return tokensOf(page).flatMap((token) => {
    if (token.type === 'link' || token.type === 'image') return [(token as Tokens.Link).href];
    if (token.type !== 'html') return [];
    return [...token.raw.matchAll(/(?:href|src|srcset)="([^"]+)"/g)].map(([, href]) => href!);
  });
}

const isLocal = (link: string) => !/^[a-z]+:/.test(link);

describe('links', () => {
  it.each(PAGES)('of %s lead somewhere', (page) => {
    const broken = linksOf(page).filter((link) => {
      if (!isLocal(link)) return !URL.canParse(link);
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? page : normalize(join(dirname(page), path));
      if (!existsSync(join(ROOT, target))) return true;
      if (anchor === undefined) return false;
      return statSync(join(ROOT, target)).isDirectory() || !anchorsOf(target).has(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('are found', () => {
    expect(PAGES.flatMap(linksOf).filter(isLocal).length).toBeGreaterThan(150);
  });

  it('lead from docs/README.md to every page of its folder', () => {
    const linked = new Set(linksOf('docs/README.md').map((link) => normalize(join('docs', link))));
    const pages = PAGES.filter((page) => /^docs\/[^/]+\.md$/.test(page) && page !== 'docs/README.md');
    expect(pages.filter((page) => !linked.has(page))).toEqual([]);
  });

  it('lead an author of a bot to it in one click, from both entrances', () => {
    expect(linksOf('docs/README.md')).toContain('bot.md');
    expect(linksOf('README.md')).toContain('docs/bot.md');
  });
});
