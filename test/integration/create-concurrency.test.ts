import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import { fund } from '../../src/payments/collections/fund.ts';
import { findViolations } from '../support/books-check.ts';
import { claim } from '../../src/payments/dispatch/store.ts';
import { createCreateLane } from '../../src/payments/create/create.ts';
import type { CreateLane } from '../../src/payments/create/create.ts';
import type { CreateDecision, NewPayment } from '../../src/payments/create/payment.ts';
import { createOracle } from '../support/create-oracle.ts';
import { recordCreates } from '../support/create-recorder.ts';
import type { RecordedCall } from '../support/create-recorder.ts';
import { openPaymentsOf } from '../support/dispatch-fixture.ts';
import { COLLECTOR, openBooks } from '../support/money-fixture.ts';
import type { Pool } from '../../src/platform/db/pool.ts';
import type { Books } from '../support/money-fixture.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';

// Many creates at once, from several processes (each with its own lane and connections).

let books: Books;
const calls: RecordedCall[] = [];
const processes: CreateLane[] = [];

beforeAll(async () => {
  books = await openBooks();
  for (let process = 0; process < 2; process += 1) {
    const pool = books.openPool({ max: 2, byIndexOnly: true });
    recordCreates(pool, calls);
    processes.push(openLane(pool));
  }
});
afterAll(async () => {
  await books.close();
});

function openLane(pool: Pool): CreateLane {
  return createCreateLane({
    pool,
    atOnce: { maxCalls: 2, minItems: 1 },
    deadlineMs: 8_000,
    onAccepted: () => undefined,
  });
}

function laneOf(index: number): CreateLane {
  const lane = processes[index % processes.length];
  if (lane === undefined) throw new Error('there is no lane');
  return lane;
}

/** Creates all payments at once, alternating between the processes. */
async function createAll(payments: readonly NewPayment[]): Promise<CreateDecision[]> {
  return await Promise.all(payments.map(async (wanted, index) => await laneOf(index).add(wanted)));
}

function countKinds(decisions: readonly CreateDecision[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { kind } of decisions) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** The lane's answer for a decision of create_payments. */
function kindOf(decision = 'accepted'): string {
  return decision === 'repeated' ? 'accepted' : decision;
}

describe('creates from two processes for the same vendors', () => {
  const wanted = fc.record({
    vendor: fc.nat(2),
    amountCents: fc.constantFrom(500n, 700n, 900n),
    account: fc.constantFrom('1', '2', '3', '4', '5'),
    merchantReference: fc.oneof(fc.constant(null), fc.constantFrom('R1', 'R2', 'R3', 'R4')),
    duplicateSeconds: fc.constantFrom(0, 30),
  });
  let mixedBatches = 0;

  // Shrinking a counterexample takes longer than finding it.
  test(
    'give the same decisions as one after the other in the order of the locks',
    { timeout: 180_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(wanted, { minLength: 40, maxLength: 120 }), async (rows) => {
          const floatsCents = [9_000n, 4_000n, 1_000_000n];
          const vendorIds = await books.addVendors(floatsCents);
          const payments = rows.map(({ vendor, ...content }) =>
            newPayment({ ...content, vendorId: vendorIds[vendor] ?? 0 }),
          );
          calls.length = 0;
          // Twelve clients, each of which waits for an answer before it sends the next request.
          const answers = new Map<string, CreateDecision>();
          await Promise.all(
            Array.from({ length: 12 }, async (_, client) => {
              for (let next = client; next < payments.length; next += 12) {
                const one = payments[next];
                if (one !== undefined) answers.set(one.paymentId, await laneOf(client).add(one));
              }
            }),
          );

          const oracle = createOracle();
          for (const [index, cents] of floatsCents.entries()) {
            oracle.addFloat(vendorIds[index] ?? 0, cents);
          }
          const byId = new Map(payments.map((one) => [one.paymentId, one]));
          for (const call of calls.toSorted((one, other) =>
            one.atMicros < other.atMicros ? -1 : 1,
          )) {
            if (call.paymentIds.length > 1) mixedBatches += 1;
            for (const [index, id] of call.paymentIds.entries()) {
              const one = byId.get(id);
              if (one === undefined) throw new Error('an unknown transaction was created');
              const expected = oracle.decide(one).kind;
              expect(kindOf(call.decisions.get(index + 1))).toBe(expected);
              expect(answers.get(id)?.kind).toBe(expected);
            }
          }
          for (const vendorId of vendorIds) {
            const { float, reserved } = await books.balances(vendorId);
            expect({ float, reserved }).toEqual(oracle.balances(vendorId));
          }
        }),
        { numRuns: 15 },
      );
      expect(mixedBatches).toBeGreaterThan(0);
      expect(await findViolations(books.pool)).toEqual([]);
    },
  );
});

describe('a float that does not cover all', () => {
  test('accepts exactly what it covers: 16 of 100 at once', async () => {
    const vendorId = await books.addVendor(100_000n);
    const decisions = await createAll(
      Array.from({ length: 100 }, () => newPayment({ vendorId, amountCents: 6_000n })),
    );
    expect(countKinds(decisions)).toEqual({ accepted: 16, insufficient_float: 84 });
    expect(await books.balances(vendorId)).toMatchObject({ float: 4_000n, reserved: 96_000n });
  });

  test('counts the fee', async () => {
    const vendorId = await books.addVendor(100_000n);
    const decisions = await createAll(
      Array.from({ length: 20 }, () =>
        newPayment({ vendorId, amountCents: 24_000n, feeCents: 1_001n }),
      ),
    );
    expect(countKinds(decisions)).toEqual({ accepted: 3, insufficient_float: 17 });
  });
});

describe('the same payment fifty times at once', () => {
  test('fifty creates with a reference make one payment and get equal answers', async () => {
    const vendorId = await books.addVendor(1_000_000n);
    const decisions = await createAll(
      Array.from({ length: 50 }, () =>
        newPayment({ vendorId, merchantReference: 'ORDER-1', duplicateSeconds: 30 }),
      ),
    );
    expect(countKinds(decisions)).toEqual({ accepted: 1, replayed: 49 });
    const answers = decisions.map((decision) =>
      'createdAt' in decision ? `${decision.paymentId} ${decision.createdAt.getTime()}` : '',
    );
    expect(new Set(answers).size).toBe(1);
    expect(await books.balances(vendorId)).toMatchObject({ reserved: 10_000n });
  });

  test('fifty creates without a reference, but with the check, make one payment, and the refusals name it', async () => {
    const vendorId = await books.addVendor(1_000_000n);
    const decisions = await createAll(
      Array.from({ length: 50 }, () => newPayment({ vendorId, duplicateSeconds: 30 })),
    );
    expect(countKinds(decisions)).toEqual({ accepted: 1, likely_duplicate: 49 });
    const named = decisions.map((decision) => ('paymentId' in decision ? decision.paymentId : ''));
    expect(new Set(named).size).toBe(1);
  });

  test('fifty creates without a reference and without the check make fifty payments', async () => {
    const vendorId = await books.addVendor(1_000_000n);
    const decisions = await createAll(Array.from({ length: 50 }, () => newPayment({ vendorId })));
    expect(countKinds(decisions)).toEqual({ accepted: 50 });
  });
});

describe('everything that moves money, at once', () => {
  test('does not deadlock and keeps every cent', async () => {
    // Enough for all creates of a vendor, 24 of 10,050, even if no failed one has been given back yet.
    const vendors = await books.addVendors([300_000n, 300_000n, 300_000n, 300_000n]);
    const ownPools = [0, 1].map(() => books.openPool({ max: 2, byIndexOnly: true }));
    const lanes = ownPools.map((pool) => openLane(pool));
    const settlers = [0, 1].map(() => openPaymentsOf(books, { laneConnections: 2 }).settler);
    const dispatchPool = books.openPool({ max: 2, byIndexOnly: true });
    let created = 0;
    const work = Array.from({ length: 8 }, async (_, client) => {
      for (let round = 0; round < 12; round += 1) {
        const vendorId = vendors[(client + round) % vendors.length] ?? 0;
        await collect(books, {
          collector: COLLECTOR,
          reference: newId(),
          vendorId,
          amountCents: 1_000n,
          paidAt: new Date('2026-01-05T09:00:00Z'),
        });
        const requestedAt = new Date(1_800_000_000_000 + client * 1_000_000 + round * 1_000);
        const [decision] = await Promise.all([
          lanes[client % 2]?.add(newPayment({ vendorId, feeCents: 50n })),
          fund(books.pool, { vendorId, requestedAt }),
        ]);
        if (decision?.kind !== 'accepted') continue;
        created += 1;
        const claims = await claim(
          dispatchPool,
          vendors.map((claimed) => ({
            vendorId: claimed,
            billerCode: BILLER,
            stage: 'send' as const,
            max: 3,
            leaseMs: 60_000,
          })),
        );
        const settler = settlers[client % settlers.length];
        await Promise.all(
          claims.map(async (taken, index) => {
            const paid = index % 2 === 0;
            await settler?.settle({
              vendorId: taken.vendorId,
              paymentId: taken.paymentId,
              billerCode: taken.billerCode,
              operatorCode: null,
              outcome: paid ? 'success' : 'failed',
              paidCents: paid ? taken.amountCents : null,
              billerReference: null,
              message: 'said the operator',
              details: null,
              failureCode: paid ? null : 'declined',
              source: 'answer',
            });
          }),
        );
      }
    });
    await Promise.all(work);
    expect(created).toBe(96);
    expect(await findViolations(books.pool)).toEqual([]);
    for (const vendorId of vendors) {
      // 300,000 at the beginning, and 24 collections of 1,000.
      expect(await books.balances(vendorId)).toMatchObject({
        [`collector:${COLLECTOR}`]: -324_000n,
      });
    }
    // A lane tries again after a deadlock, so only the server's statistics show it; it counts those of
    // a connection when that ends.
    await Promise.all([...ownPools, dispatchPool].map(async (pool) => await pool.end()));
    const deadlocks = await books.pool.query<{ deadlocks: bigint }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    expect(deadlocks.rows).toEqual([{ deadlocks: 0n }]);
  });
});
