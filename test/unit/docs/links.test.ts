import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const pages = globSync('**/*.md', {
  cwd: ROOT,
  exclude: (name) => name === 'node_modules' || name.startsWith('.'),
});

/** Targets of `[text](target)` outside code, without titles. */
function linksOf(text: string): string[] {
  const prose = text.replaceAll(/^```[\s\S]*?^```$/gm, '').replaceAll(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)[^)]*\)/g)].map(([, target]) => target ?? '');
}

/** The anchors that headings get, as code hosts make them. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/^#{1,6} (.+)$/gm);
  return new Set(
    [...headings].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}

test('there are pages', () => {
  expect(pages).toContain('README.md');
});

test.each(pages)('%s: every link within the repository leads somewhere', (page) => {
  const file = path.join(ROOT, page);
  const broken = linksOf(readFileSync(file, 'utf8')).filter((link) => {
    if (/^[a-z]+:/i.test(link)) return false;
    const [target = '', anchor] = decodeURIComponent(link).split('#');
    const linked = target === '' ? file : path.resolve(path.dirname(file), target);
    if (!existsSync(linked)) return true;
    if (anchor === undefined) return false;
    return !anchorsOf(readFileSync(linked, 'utf8')).has(anchor);
  });
  expect(broken).toEqual([]);
});

/** Files that a text names by their path from the root. */
function sourcesOf(text: string): string[] {
  return [...text.matchAll(/`((?:src|test|scripts)\/[\w./-]+\.(?:ts|sql))`/g)].map(
    ([, file]) => file ?? '',
  );
}

/** Its paths begin in its own folder. */
const OF_THE_CONSOLE = 'console/README.md';

test.each(pages.filter((page) => page !== OF_THE_CONSOLE && page !== 'CHANGELOG.md'))(
  '%s: every source file that it names exists',
  (page) => {
    const named = sourcesOf(readFileSync(path.join(ROOT, page), 'utf8'));
    expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
  },
);

test('docs/README.md lists every page of docs', () => {
  const index = path.join(ROOT, 'docs/README.md');
  const links = linksOf(readFileSync(index, 'utf8'));
  const listed = new Set(links.map((link) => path.join('docs', link.split('#')[0] ?? '')));
  const unlisted = pages.filter((page) => page.startsWith('docs/') && !listed.has(page));
  expect(unlisted).toEqual(['docs/README.md']);
});
