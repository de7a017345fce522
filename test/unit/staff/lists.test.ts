import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { text } from '../../../src/staff/fields.ts';
import { BY_TEXT, byPlace, list } from '../../../src/staff/lists.ts';

const NAMES = ['a', 'b', 'c d', 'e'];

const listed = list(async () => NAMES, BY_TEXT, {
  ...{ name: 'sample.list', summary: 'Samples.', route: 'GET /samples', permission: 'home.read' },
  rows: 'names',
  row: Type.Object({ name: text({ title: 'Name' }) }),
  read: async ({ core }, { after = '', limit }) =>
    core.filter((name) => name > after).slice(0, limit),
  placeOf: (name) => [name],
  show: (shown) => shown.map((name) => ({ name })),
});

test('every row of a list is on one page, and a page that is full leads to the next one', async () => {
  const found: unknown[] = [];
  const read = async (cursor: string | null) => {
    const input = { limit: 3, ...(cursor !== null && { cursor }) };
    const answer = (await listed.handle({ input } as never)) as {
      readonly names: readonly { readonly name: string }[];
      readonly next: string | null;
    };
    found.push(answer.names.map(({ name }) => name));
    return answer.next;
  };
  expect(await read(await read(null))).toBeNull();
  expect(found).toEqual([['a', 'b', 'c d'], ['e']]);
});

test('a cursor of another list is refused', () => {
  const byLine = byPlace(/^(\d+) (\w+)$/, ([line = '', rule = '']) => ({ line, rule }));
  expect(byLine.pageAt(byLine.cursorOf([7, 'code']), 2)).toEqual({
    ...{ after: { line: '7', rule: 'code' }, limit: 2 },
  });
  expect(() => byLine.pageAt('code', 2)).toThrow('cursor is not valid');
});
