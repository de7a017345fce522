import { expect, test } from 'vitest';
import {
  isAmbiguous,
  signedAmount,
  unsignedAmount,
} from '../../../../../src/connectors/sources/statements/amounts.ts';

test.each([
  ['1500.5', '.', 150_050n],
  ['1,500.50', '.', 150_050n],
  ['1 234 567.00', '.', 123_456_700n],
  ['1\u00a0500', '.', 150_000n],
  ['KES 5', '.', 500n],
  ['KES 1,500.00', '.', 150_000n],
  ['Ksh. 1,500.00 Cr', '.', 150_000n],
  ['1,500.00 KES Dr.', '.', -150_000n],
  ['-KES 7', '.', -700n],
  ['KES -7', '.', -700n],
  ['1,500/=', '.', 150_000n],
  ["1'500.00", '.', 150_000n],
  ['1’500’000.00', '.', 150_000_000n],
  ["1'500,00", ',', 150_000n],
  ["1'500,000.00", '.', undefined],
  ['USD 5', '.', undefined],
  ['5 Credits', '.', undefined],
  ['-KES -7', '.', undefined],
  ['1.500,50', ',', 150_050n],
  ['1500,5', ',', 150_050n],
  ['-7', '.', -700n],
  ['7.00-', '.', -700n],
  ['(7.00)', '.', -700n],
  ['7.00 DR', '.', -700n],
  ['7.00 Cr', '.', 700n],
  ['+7', '.', 700n],
  ['0.00', '.', 0n],
  ['1.5000', '.', 150n],
  // Three digits after the separator: 1.50, or one thousand five hundred.
  ['1.500', '.', undefined],
  ['1,500', ',', undefined],
  ['-1.500', '.', undefined],
  ['1,234.500', '.', undefined],
  ['0.000', '.', undefined],
  ['1.500', ',', 150_000n],
  ['1,500', '.', 150_000n],
  // A decimal comma is never read as a thousands separator, or the other way round.
  ['1,50', '.', undefined],
  ['1.50', ',', undefined],
  ['1,5000', '.', undefined],
  ['12,34,567', '.', undefined],
  ['1.005', '.', undefined],
  ['(-7)', '.', undefined],
  ['-7 DR', '.', undefined],
  ['(7', '.', undefined],
  ['7)', '.', undefined],
  ['1e3', '.', undefined],
  ['0x10', '.', undefined],
  ['', '.', undefined],
  ['١٢', '.', undefined],
  ['9'.repeat(13), '.', undefined],
] as const)('reads “%s” with the decimal separator %s', (text, decimal, cents) => {
  expect(signedAmount(text, decimal)).toBe(cents);
});

test.each([
  ['1.500', '.', true],
  ['(1.005)', '.', true],
  ['1,500', ',', true],
  ['1.500', ',', false],
  ['1,500', '.', false],
  ['1.5000', '.', false],
  ['1.50', '.', false],
  ['1.500 shillings', '.', false],
  ['', '.', false],
] as const)(
  '“%s” with the decimal separator %s may be thousands: %s',
  (text, decimal, ambiguous) => {
    expect(isAmbiguous(text, decimal)).toBe(ambiguous);
  },
);

test('plain amounts may be zero', () => {
  expect(['0', '0.00', '0.01', '-0', ''].map((text) => unsignedAmount(text))).toEqual([
    0n,
    0n,
    1n,
    undefined,
    undefined,
  ]);
});
