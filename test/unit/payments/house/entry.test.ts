import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchEntered, requireReference, sidesOf } from '../../../../src/payments/house/entry.ts';
import { plainReference } from '../../../../src/platform/base/written-alike.ts';

const at = (hours: number): Date => new Date(Date.UTC(2026, 2, 2, hours));
const DAY = 24;

describe('movements that people entered, in a statement', () => {
  const listed = (
    rowId: string,
    operatorReference: string,
    amountCents: bigint,
    hours: number,
  ) => ({
    rowId,
    operatorReference,
    amountCents,
    at: at(hours),
  });
  const entered = (entryId: string, reference: string, amountCents: bigint, hours: number) => ({
    entryId,
    reference,
    amountCents,
    movedAt: at(hours),
  });

  test('movements that people entered are found by reference first, then by amount and time', () => {
    const matches = matchEntered(
      'top_up',
      [listed('r1', 'X', 10n, 0), listed('r2', 'B', 10n, 0), listed('r3', 'Y', 20n, 0)],
      [entered('e1', 'A', 10n, 5), entered('e2', 'B', 10n, 9 * DAY), entered('e3', 'Z', 20n, 0)],
    );
    expect(Object.fromEntries(matches)).toEqual({ r1: 'e1', r2: 'e2', r3: 'e3' });
  });

  test('need the same amount, and about the same time', () => {
    const one = [listed('r1', 'A', 10n, 0)];
    expect(matchEntered('top_up', one, [entered('e1', 'A', 11n, 0)]).size).toBe(0);
    expect(matchEntered('top_up', one, [entered('e1', 'B', 10n, 3 * DAY + 1)]).size).toBe(0);
    expect(matchEntered('top_up', one, [entered('e1', 'B', 10n, 3 * DAY)]).size).toBe(1);
  });

  test('charges are not found by time, because they recur', () => {
    const entries = [entered('e1', 'A', 10n, 0), entered('e2', 'b', 10n, 0)];
    const matches = matchEntered(
      'charge',
      [listed('r1', 'X', 10n, 0), listed('r2', 'B', 10n, 0)],
      entries,
    );
    expect(Object.fromEntries(matches)).toEqual({ r2: 'e2' });
  });

  test('have the same reference in any spelling', () => {
    const entries = [entered('e1', 'ft 12-3', 10n, 9 * DAY)];
    expect(matchEntered('top_up', [listed('r1', 'FT123', 10n, 0)], entries).get('r1')).toBe('e1');
  });

  test('each entered movement is used once, whatever is listed', () => {
    const row = fc.record({
      reference: fc.constantFrom('A', 'B', 'C'),
      amountCents: fc.bigInt({ min: 1n, max: 3n }),
      hours: fc.integer({ min: 0, max: 200 }),
    });
    fc.assert(
      fc.property(fc.array(row), fc.array(row), (rows, entries) => {
        const matches = matchEntered(
          'top_up',
          rows.map((one, index) => listed(`r${index}`, one.reference, one.amountCents, one.hours)),
          entries.map((one, index) =>
            entered(`e${index}`, one.reference, one.amountCents, one.hours),
          ),
        );
        expect(new Set(matches.values()).size).toBe(matches.size);
        for (const [rowId, entryId] of matches) {
          const [ours, theirs] = [entries[Number(entryId.slice(1))], rows[Number(rowId.slice(1))]];
          expect(ours?.amountCents).toBe(theirs?.amountCents);
        }
      }),
    );
  });
});

test('a withdrawal is the reverse of a top-up', () => {
  const topUp = sidesOf('top_up', 'kplc', 'bank');
  const { debitAccount, creditAccount } = sidesOf('withdrawal', 'kplc', 'bank');
  expect({ debitAccount: creditAccount, creditAccount: debitAccount }).toEqual(topUp);
});

describe('a reference', () => {
  test('references are compared by letters from A to Z and digits, in any case', () => {
    expect(plainReference(' Ft-26/0071 b')).toBe('ft260071b');
    // The sign for kelvin: `K` in lower case, but not in the index.
    expect(plainReference('\u212a7')).toBe('7');
  });

  test.each(['FT26', '7', 'رقم 7'])('%s is accepted', (reference) => {
    expect(requireReference(` ${reference} `)).toBe(reference);
  });

  test.each(['', ' ', '—', 'رقم', '\u212a'])('“%s” has nothing to compare', (reference) => {
    expect(() => requireReference(reference)).toThrow(
      expect.objectContaining({ field: 'reference' }),
    );
  });
});
