import { expect, test } from 'vitest';
import {
  childrenOf,
  elementAt,
  readLargeXml,
  readXml,
  textAt,
} from '../../../../src/platform/base/xml.ts';
import type { XmlElement } from '../../../../src/platform/base/xml.ts';

const LIMITS = { depth: 8, nodes: 100 };

function read(content: string): XmlElement {
  const root = readXml(content, LIMITS);
  if ('problem' in root) throw new Error(`line ${root.line}: ${root.problem}`);
  return root;
}

test('elements have their lines, attributes and texts; prefixes are left out', () => {
  const root = read(
    '\ufeff<?xml version="1.0"?>\n<n:a xmlns:n="urn:x" k="1 &amp; 2">\n <n:b> x <![CDATA[<y>]]> &#x41;</n:b>\n <n:b/>\n</n:a>',
  );
  expect(root).toMatchObject({ name: 'a', line: 2, text: '' });
  expect([...root.attributes]).toEqual([
    ['xmlns:n', 'urn:x'],
    ['k', '1 & 2'],
  ]);
  expect(childrenOf(root, 'b').map(({ line, text }) => [line, text])).toEqual([
    [3, 'x <y> A'],
    [4, ''],
  ]);
  expect([textAt(root, 'b'), textAt(root, 'c'), elementAt(root, 'b', 'c')]).toEqual([
    'x <y> A',
    undefined,
    undefined,
  ]);
});

test.each([
  ['an element that is not closed', '<a>\n<b>\n</a>', 3],
  ['two roots', '<a/>\n<b/>', 2],
  ['text outside of the root', '<a/>\nx', 2],
  ['nothing', '', 1],
  ['a document type', '<!DOCTYPE a [<!ENTITY e "x">]>\n<a>&e;</a>', 1],
  ['an entity that XML does not have', '<a>&nbsp;</a>', 1],
  ['elements deeper than allowed', '<a>'.repeat(9), 1],
  ['more elements than allowed', `<a>${'<b/>'.repeat(100)}</a>`, 1],
  [
    'more attributes than allowed',
    `<a ${Array.from({ length: 100 }, (_, n) => `b${n}=""`).join(' ')}/>`,
    1,
  ],
])('%s is a problem of its line', (_, content, line) => {
  expect(readXml(content, LIMITS)).toMatchObject({ line, problem: expect.any(String) });
});

test('names and attributes that objects have are names like others', () => {
  const root = read('<__proto__ constructor="1"><toString>x</toString></__proto__>');
  expect([root.name, root.attributes.get('constructor'), textAt(root, 'toString')]).toEqual([
    '__proto__',
    '1',
    'x',
  ]);
});

test('a large document is read in turns, and is the same as if it was read at once', async () => {
  const limits = { depth: 3, nodes: 100_000 };
  const content = `\ufeff<a>${'<b c="é">😀 één</b>\n'.repeat(20_000)}</a>`;
  let turns = 0;
  const counting = setInterval(() => (turns += 1), 0);
  try {
    expect(await readLargeXml(content, limits)).toEqual(readXml(content, limits));
    expect(turns).toBeGreaterThan(5);
    expect(await readLargeXml(Buffer.from(content), limits)).toEqual(readXml(content, limits));
  } finally {
    clearInterval(counting);
  }
  const damaged = `${content}<`;
  expect(await readLargeXml(damaged, limits)).toEqual(readXml(damaged, limits));
});

test('elements that were taken are not kept, and do not count', async () => {
  const content = `<a>${'<b c="1"><d/></b>'.repeat(100)}<e/></a>`;
  const taken: string[] = [];
  const take = ({ name }: { readonly name: string }, path: readonly string[]): boolean => {
    if (name === 'b') taken.push(path.join('/'));
    return name === 'b';
  };
  const root = await readLargeXml(content, { depth: 3, nodes: 5 }, take);
  expect(root).toMatchObject({ name: 'a', children: [{ name: 'e' }] });
  expect(taken).toEqual(Array.from({ length: 100 }, () => 'a'));
  const kept = await readLargeXml(content, { depth: 3, nodes: 5 });
  expect(kept).toMatchObject({ problem: expect.stringContaining('too many elements') });
});
