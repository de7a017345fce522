import { expect, test } from 'vitest';
import { OldestFirst } from '../../../../src/platform/http/admission.ts';
import type { Unfinished } from '../../../../src/platform/http/admission.ts';

function entryOf(address: string, refused: Unfinished[] = []): Unfinished {
  const entry: Unfinished = {
    address,
    refuse: () => refused.push(entry),
    leave: () => undefined,
  };
  return entry;
}

test('new entries replace the oldest of their address, or else of all', () => {
  const refused: Unfinished[] = [];
  const list = new OldestFirst({ max: 4, maxPerAddress: 2 });
  const [first, second, third] = ['a', 'b', 'b'].map((address) => entryOf(address, refused));
  for (const entry of [first, second, third]) list.add(entry as Unfinished);
  list.add(entryOf('b', refused));
  expect(refused).toEqual([second]);
  list.add(entryOf('c', refused));
  list.add(entryOf('d', refused));
  expect(refused).toEqual([second, first]);
});

test('an entry that has left makes room, in any order', () => {
  const refused: Unfinished[] = [];
  const list = new OldestFirst({ max: 3, maxPerAddress: 2 });
  const entries = ['a', 'a', 'b'].map((address) => entryOf(address, refused));
  for (const entry of entries) list.add(entry);
  for (const entry of [entries[0], entries[2], entries[0]]) list.delete(entry as Unfinished);
  list.add(entryOf('a', refused));
  list.add(entryOf('b', refused));
  expect(refused).toEqual([]);
  list.refuseAll();
  expect(refused).toHaveLength(3);
  list.refuseAll();
  expect(refused).toHaveLength(3);
});
