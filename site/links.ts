import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { MarkdownRenderer } from 'vitepress';

type Rule = Parameters<MarkdownRenderer['core']['ruler']['push']>[1];
type State = Parameters<Rule>[0];
type Token = State['tokens'][number];

/** Folders whose Markdown is on the site. */
const PAGE = /^(?:(?:docs|clients|deploy|bench|test)\/.*|README|SECURITY|CHANGELOG)\.md$/s;

/** Files that readers want to have: they are copied, and a link leads to the copy. */
const DOWNLOAD = /^(?:docs\/.*|test\/vectors\/.*)\.(?:json|csv|sta|xml)$/s;

/** Served by the service next to the site. */
const SERVED: ReadonlyMap<string, string> = new Map([['openapi.json', '../openapi.json']]);

const downloads = new Set<string>();

/** Where the page of a source file is: `docs/README.md` is the first page. */
export function addressOf(source: string): string {
  if (source === 'README.md') return 'start.md';
  return source.replace(/^docs\//, '').replace(/README\.md$/, 'index.md');
}

/**
 * Links between sources become links between pages. What has no page becomes a download, or plain text:
 * the repository is not part of the site.
 */
export function rewriteLinks(markdown: MarkdownRenderer, root: string): void {
  markdown.core.ruler.push('malipo_links', (state) => {
    const { realPath, path: file } = state.env as { realPath?: string; path: string };
    const source = path.relative(root, realPath ?? file);
    for (const token of state.tokens) {
      if (token.type === 'inline') rewriteInline(token.children ?? [], source, root);
    }
  });
}

function rewriteInline(tokens: Token[], source: string, root: string): void {
  const dropped: boolean[] = [];
  for (const token of tokens) {
    if (token.type === 'link_open') {
      const to = targetOf(String(token.attrGet('href')), source, root);
      dropped.push(to === undefined);
      if (to === undefined) drop(token, 'span');
      else token.attrSet('href', to.href);
      if (to?.isFile === true) token.attrSet('target', '_self');
    } else if (token.type === 'link_close' && dropped.pop() === true) {
      drop(token, 'span');
    }
  }
}

/** A link without a target is its text. */
function drop(token: Token, tag: string): void {
  Object.assign(token, { tag, attrs: null, type: token.type.replace('link', tag) });
}

interface Target {
  readonly href: string;
  readonly isFile: boolean;
}

function targetOf(href: string, source: string, root: string): Target | undefined {
  if (/^(?:[a-z]+:|#)/i.test(href)) return { href, isFile: false };
  const [name = '', anchor] = href.split('#');
  let target = path.join(path.dirname(source), decodeURIComponent(name));
  if (existsSync(path.join(root, target, 'README.md'))) target = path.join(target, 'README.md');
  const from = path.dirname(addressOf(source));
  if (PAGE.test(target)) {
    const suffix = anchor === undefined ? '' : `#${anchor}`;
    return { href: `./${path.relative(from, addressOf(target))}${suffix}`, isFile: false };
  }
  const served = SERVED.get(target);
  if (served !== undefined)
    return { href: path.join(path.relative(from, '.'), served), isFile: true };
  if (!DOWNLOAD.test(target)) return undefined;
  downloads.add(target);
  return { href: path.relative(from, addressOf(target)), isFile: true };
}

export async function copyDownloads(root: string, output: string): Promise<void> {
  for (const file of downloads) {
    const copy = path.join(output, addressOf(file));
    await mkdir(path.dirname(copy), { recursive: true });
    await copyFile(path.join(root, file), copy);
  }
}
