import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { decodeReference } from '../../src/parties/reference.ts';
import { Refusal } from '../../src/platform/base/errors.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import type { CollectedIncome, Movement } from '../../src/payments/collections/collect.ts';
import { fund } from '../../src/payments/collections/fund.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { insertCollector } from '../../src/parties/store.ts';
import { COLLECTOR, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';

// Incoming money: each movement is made once, however often and by whatever process it is repeated.

let books: Books;
beforeAll(async () => {
  books = await openBooks();
});
afterAll(async () => {
  expect((await checkLedger(books.pool)).violations).toEqual([]);
  await books.close();
});

const PAID_AT = new Date('2026-01-05T09:00:00.123Z');

function income(vendorId: number, given: Partial<CollectedIncome> = {}): CollectedIncome {
  return {
    collector: COLLECTOR,
    reference: newId(),
    vendorId,
    amountCents: 700n,
    paidAt: PAID_AT,
    ...given,
  };
}

async function codeOf(move: Promise<Movement>): Promise<string> {
  return await move.then(
    () => 'moved',
    (error: unknown) => (error instanceof Refusal ? error.code : String(error)),
  );
}

function countFresh(movements: readonly Movement[]): number {
  return movements.filter((movement) => movement.fresh).length;
}

test('income paid more than a day in the future is refused', async () => {
  const vendorId = await books.addVendor();
  const mac = { pool: books.pool, ledgerMac: books.ledgerMac };
  const at = (ms: number) => income(vendorId, { paidAt: new Date(Date.now() + ms) });
  expect(await codeOf(collect(mac, at(25 * 3_600_000)))).toBe('invalid_field');
  expect(await codeOf(collect(mac, at(23 * 3_600_000)))).toBe('moved');
});

describe('collected income', () => {
  test('comes from outside and is not in the float yet', async () => {
    const vendorId = await books.addVendor();
    const movement = await collect(books, income(vendorId));
    expect(movement).toMatchObject({ amountCents: 700n, fresh: true });
    expect(decodeReference(movement.reference ?? '')?.vendorId).toBe(vendorId);
    expect(await books.balances(vendorId)).toMatchObject({
      [`collector:${COLLECTOR}`]: -700n,
      collected: 700n,
      float: 0n,
    });
  });

  test('reported again is the first movement', async () => {
    const vendorId = await books.addVendor();
    const reported = income(vendorId);
    const first = await collect(books, reported);
    expect(await collect(books, reported)).toEqual({ ...first, fresh: false });
    expect(await books.balances(vendorId)).toMatchObject({ collected: 700n });
  });

  test('reported twenty times at once is one movement', async () => {
    const vendorId = await books.addVendor();
    const reported = income(vendorId);
    const movements = await Promise.all(
      Array.from({ length: 20 }, async () => await collect(books, reported)),
    );
    expect(countFresh(movements)).toBe(1);
    expect(new Set(movements.map((movement) => movement.reference)).size).toBe(1);
    expect(await books.balances(vendorId)).toMatchObject({ collected: 700n });
  });

  test.each<[string, Partial<CollectedIncome>]>([
    ['amount', { amountCents: 701n }],
    ['time', { paidAt: new Date(PAID_AT.getTime() + 1) }],
  ])('a used reference with another %s is refused', async (_, change) => {
    const vendorId = await books.addVendor();
    const reported = income(vendorId);
    const { reference } = await collect(books, reported);
    await expect(collect(books, { ...reported, ...change })).rejects.toMatchObject({
      code: 'reference_reused',
      reference,
    });
    expect(await books.balances(vendorId)).toMatchObject({ collected: 700n });
  });

  test('a used reference for another vendor is refused, also at the same moment', async () => {
    const [one = 0, other = 0] = await books.addVendors([0n, 0n]);
    const reported = income(one);
    const codes = await Promise.all([
      codeOf(collect(books, reported)),
      codeOf(collect(books, { ...reported, vendorId: other })),
    ]);
    expect(codes.toSorted((first, second) => first.localeCompare(second))).toEqual([
      'moved',
      'reference_reused',
    ]);
    const collected = [await books.balances(one), await books.balances(other)].map(
      (balances) => balances['collected'],
    );
    expect(collected.toSorted((first = 0n, second = 0n) => Number(first - second))).toEqual([
      0n,
      700n,
    ]);
  });

  test('income of another collector may have the same reference', async () => {
    const vendorId = await books.addVendor();
    await insertCollector(books.pool, {
      collector: 'other-till',
      name: 'Other',
      scope: 'all',
      createdAt: new Date(),
    });
    const reported = income(vendorId);
    await collect(books, reported);
    expect(await collect(books, { ...reported, collector: 'other-till' })).toMatchObject({
      fresh: true,
    });
    expect(await books.balances(vendorId)).toMatchObject({ collected: 1_400n });
  });

  test('income for an unknown vendor is refused, and nothing is written', async () => {
    const reported = income(2_000_000_000);
    await expect(collect(books, reported)).rejects.toThrow(/no float account/);
    const vendorId = await books.addVendor();
    expect(await collect(books, { ...reported, vendorId })).toMatchObject({ fresh: true });
  });
});

describe('funding', () => {
  const AT = new Date('2026-01-05T10:00:00Z');
  const LATER = new Date('2026-01-05T10:00:01Z');

  test('sweeps all that was collected', async () => {
    const vendorId = await books.addVendor();
    await collect(books, income(vendorId));
    await collect(books, income(vendorId, { amountCents: 5n }));
    const movement = await fund(books.pool, { vendorId, requestedAt: AT });
    expect(movement).toMatchObject({ amountCents: 705n, fresh: true });
    expect(await books.balances(vendorId)).toMatchObject({ collected: 0n, float: 705n });
  });

  test('moves what came in since, also with a time that moved money before', async () => {
    const vendorId = await books.addVendor();
    await collect(books, income(vendorId));
    const first = await fund(books.pool, { vendorId, requestedAt: AT });
    await collect(books, income(vendorId, { amountCents: 30n }));
    const second = await fund(books.pool, { vendorId, requestedAt: AT });
    expect(second).toMatchObject({ amountCents: 30n, fresh: true });
    expect(second.reference).not.toBe(first.reference);
    expect(await books.balances(vendorId)).toMatchObject({ collected: 0n, float: 730n });
    const again = await fund(books.pool, { vendorId, requestedAt: AT });
    expect(again).toEqual({ ...second, fresh: false });
    expect(await fund(books.pool, { vendorId, requestedAt: LATER })).toMatchObject({
      reference: null,
      amountCents: 0n,
    });
  });

  test('four times at once with the same time, each after its own collection, leaves nothing behind', async () => {
    const vendorId = await books.addVendor();
    const movements = await Promise.all(
      [100n, 200n, 300n, 400n].map(async (amountCents) => {
        await collect(books, income(vendorId, { amountCents }));
        return await fund(books.pool, { vendorId, requestedAt: AT });
      }),
    );
    expect(await books.balances(vendorId)).toMatchObject({ collected: 0n, float: 1_000n });
    const moved = new Map(movements.map((item) => [item.reference, item.amountCents]));
    expect([...moved.values()].reduce((sum, cents) => sum + cents)).toBe(1_000n);
  });

  test('funding with nothing to sweep moves nothing, and the same time may sweep later', async () => {
    const vendorId = await books.addVendor();
    expect(await fund(books.pool, { vendorId, requestedAt: AT })).toMatchObject({
      reference: null,
      amountCents: 0n,
      fresh: false,
    });
    await collect(books, income(vendorId));
    expect(await fund(books.pool, { vendorId, requestedAt: AT })).toMatchObject({
      amountCents: 700n,
      fresh: true,
    });
  });

  test('funding two vendors at the same time makes two movements', async () => {
    const vendorIds = await books.addVendors([0n, 0n]);
    for (const vendorId of vendorIds) {
      await collect(books, income(vendorId));
      expect(await fund(books.pool, { vendorId, requestedAt: AT })).toMatchObject({ fresh: true });
    }
  });

  test.each([
    ['the same time', () => AT],
    ['different times', (index: number) => new Date(AT.getTime() + index * 1000)],
  ])('twenty times at once, with %s, sweeps once', async (name, timeOf) => {
    const vendorId = await books.addVendor();
    await collect(books, income(vendorId));
    const movements = await Promise.all(
      Array.from(
        { length: 20 },
        async (_, index) => await fund(books.pool, { vendorId, requestedAt: timeOf(index) }),
      ),
    );
    expect(countFresh(movements)).toBe(1);
    const sum = movements.reduce((total, movement) => total + movement.amountCents, 0n);
    expect(sum).toBe(name === 'the same time' ? 20n * 700n : 700n);
    expect(await books.balances(vendorId)).toMatchObject({ collected: 0n, float: 700n });
  });

  test('funding during collections keeps every cent', async () => {
    const vendorId = await books.addVendor();
    const moves = Array.from({ length: 60 }, async (_, index) =>
      index % 3 === 0
        ? await fund(books.pool, { vendorId, requestedAt: new Date(AT.getTime() + index * 1000) })
        : await collect(books, income(vendorId, { amountCents: BigInt(index) })),
    );
    await Promise.all(moves);
    const balances = await books.balances(vendorId);
    // 1 + 2 + 4 + 5 + … + 59: all but the multiples of three.
    expect(balances[`collector:${COLLECTOR}`]).toBe(-1_200n);
    expect((balances['collected'] ?? 0n) + (balances['float'] ?? 0n)).toBe(1_200n);
  });
});
