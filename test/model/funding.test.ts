import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import type { Movement } from '../../src/payments/collections/collect.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import { fund } from '../../src/payments/collections/fund.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import { COLLECTOR, openBooks } from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';

// Collect, fund and create in random order, one after another and at the same time, with few
// different times of fund: no income is left behind, and the answers add up to what was moved.

const RUNS = 150;
const TIMEOUT_MS = 300_000;
const AT = new Date('2026-01-05T10:00:00Z');

type Step =
  | { readonly kind: 'collect' | 'create'; readonly cents: bigint }
  | { readonly kind: 'fund'; readonly second: number };

const cents = fc.constantFrom(1n, 50n, 100n, 250n);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('collect' as const), cents }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('fund' as const), second: fc.nat(1) }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('create' as const), cents }) },
);
/** Steps of one wave run at the same time; the waves one after another. */
const waves = fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 6 });

/** What one vendor's program saw. */
class Seen {
  collected = 0n;
  spent = 0n;
  readonly funds: { readonly second: number; readonly movement: Movement }[] = [];

  /** The latest movement of each second, by the time it was posted. */
  latestOf(second: number): Movement | undefined {
    return this.funds
      .filter((item) => item.second === second && item.movement.fresh)
      .map((item) => item.movement)
      .toSorted(
        (one, other) =>
          one.postedAt.getTime() - other.postedAt.getTime() ||
          ((one.reference ?? '') < (other.reference ?? '') ? -1 : 1),
      )
      .at(-1);
  }

  moved(): bigint {
    const byReference = new Map(
      this.funds.map(({ movement }) => [movement.reference, movement.amountCents]),
    );
    return [...byReference.values()].reduce((sum, amount) => sum + amount, 0n);
  }
}

let books: Books;
let vendorIds: number[];
const endings = new Set<string>();

beforeAll(async () => {
  books = await openBooks();
  vendorIds = await books.addVendors(Array.from({ length: RUNS }, () => 0n));
});
afterAll(async () => {
  expect((await checkLedger(books.pool)).violations).toEqual([]);
  await books.close();
});

async function take(vendorId: number, what: Step, seen: Seen): Promise<void> {
  switch (what.kind) {
    case 'collect': {
      const income = { collector: COLLECTOR, reference: newId(), vendorId, paidAt: AT };
      await collect(books, { ...income, amountCents: what.cents });
      seen.collected += what.cents;
      return;
    }
    case 'fund':
      await fundAt(vendorId, what.second, seen);
      return;
    case 'create': {
      const row = newPayment({ vendorId, amountCents: what.cents });
      const [decision] = await createPayments(books.pool, [row]);
      if (decision?.kind === 'accepted') seen.spent += what.cents;
      endings.add(`create ${decision?.kind}`);
    }
  }
}

async function fundAt(vendorId: number, second: number, seen: Seen): Promise<Movement> {
  const requestedAt = new Date(AT.getTime() + second * 1_000);
  const movement = await fund(books.pool, { vendorId, requestedAt });
  seen.funds.push({ second, movement });
  endings.add(
    movement.fresh ? 'moved' : movement.reference === null ? 'nothing to move' : 'answered again',
  );
  return movement;
}

/** The expected answer to a fund without concurrent ones. */
function expected(seen: Seen, second: number): Partial<Movement> {
  const waiting = seen.collected - seen.moved();
  if (waiting > 0n) return { amountCents: waiting, fresh: true };
  const latest = seen.latestOf(second);
  return latest === undefined
    ? { amountCents: 0n, reference: null, fresh: false }
    : { ...latest, fresh: false };
}

test(`${RUNS} interleavings leave nothing behind`, { timeout: TIMEOUT_MS }, async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(waves, async (steps) => {
      // A shrunk run also gets its own vendor.
      const vendorId = vendorIds[run] ?? (await books.addVendor());
      run += 1;
      const seen = new Seen();
      for (const wave of steps) {
        const [alone] = wave;
        const known =
          wave.length === 1 && alone?.kind === 'fund' ? expected(seen, alone.second) : undefined;
        await Promise.all(wave.map(async (what) => await take(vendorId, what, seen)));
        if (known !== undefined) expect(seen.funds.at(-1)?.movement).toMatchObject(known);
      }
      await fundAt(vendorId, 0, seen);
      expect(await books.balances(vendorId)).toMatchObject({
        collected: 0n,
        float: seen.collected - seen.spent,
        reserved: seen.spent,
      });
      expect(seen.moved()).toBe(seen.collected);
      const known = expected(seen, 1);
      expect(await fundAt(vendorId, 1, seen)).toMatchObject(known);
    }),
    { numRuns: RUNS },
  );
  expect([...endings].toSorted()).toEqual([
    'answered again',
    'create accepted',
    'create insufficient_float',
    'moved',
    'nothing to move',
  ]);
});
