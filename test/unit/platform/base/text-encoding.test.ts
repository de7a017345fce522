import { expect, test } from 'vitest';
import { decodeText } from '../../../../src/platform/base/text-encoding.ts';

const TEXT = 'Date;Libellé;€\n27/11/2026;Café;1,50\n';
const wide = Buffer.from(TEXT, 'utf16le');

test.each([
  ['UTF-8', Buffer.from(TEXT)],
  ['UTF-8', Buffer.from(`\ufeff${TEXT}`)],
  ['UTF-16', wide],
  ['UTF-16', Buffer.from(`\ufeff${TEXT}`, 'utf16le')],
  ['UTF-16', Buffer.from(wide).swap16()],
  ['UTF-16', Buffer.from(`\ufeff${TEXT}`, 'utf16le').swap16()],
  ['Windows-1252', Buffer.from(TEXT.replace('€', '\u0080'), 'latin1')],
])('a text in %s is recognised', (encoding, bytes) => {
  expect(decodeText(bytes)).toEqual({ text: TEXT, encoding });
});

test('no bytes are an empty text', () => {
  expect(decodeText(Buffer.alloc(0))).toEqual({ text: '', encoding: 'UTF-8' });
});
