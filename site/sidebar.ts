import { addressOf } from './links.ts';
import path from 'node:path';

interface Item {
  readonly text: string;
  readonly link: string;
}
interface Group {
  readonly text: string;
  readonly collapsed: boolean;
  readonly items: readonly Item[];
}

/** The side bar is the index, `docs/README.md`: its sections and their links, which a test keeps complete. */
export function sidebarOf(index: string, only?: readonly string[]): Group[] {
  const sections = index.split(/^## /m).slice(1);
  return sections.flatMap((section, at) => {
    const text = section.slice(0, section.indexOf('\n'));
    if (only?.includes(text) === false) return [];
    const items = [...section.matchAll(/^(?:-|\d+\.) \[(.+?)\]\(([^)\s]+\.md)\)/gm)].map(itemOf);
    return items.length === 0 ? [] : [{ text, collapsed: at > 1, items }];
  });
}

function itemOf([, text = '', target = '']: RegExpMatchArray): Item {
  const page = addressOf(path.join('docs', target));
  return { text: text.replaceAll('`', ''), link: `/${page.replace(/\.md$/, '.html')}` };
}
