import { expect, test } from 'vitest';
import { LineCounter } from '../../../src/console/line-counter.ts';

function linesOf(text: string, size: number): number {
  const counter = new LineCounter();
  for (let at = 0; at < text.length; at += size) counter.add(text.slice(at, at + size));
  return counter.belowTitle;
}

test.each([
  ['', 0],
  ['a,b\r\n', 0],
  ['a,b\r\n1,2\r\n', 1],
  ['a,b\r\n1,"two\r\nlines"\r\n3,"a ""quoted"" word"\r\n', 2],
])('%j has %i lines below its title, however it is cut', (text, count) => {
  for (const size of [1, 2, 3, 100]) expect(linesOf(text, size)).toBe(count);
});
