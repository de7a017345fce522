import { createSecretKey } from 'node:crypto';
import fc from 'fast-check';
import type { AsyncCommand } from 'fast-check';
import { expect } from 'vitest';
import { Refusal } from '../../src/platform/base/errors.ts';
import { newId } from '../../src/platform/base/ids.ts';
import { collect } from '../../src/payments/collections/collect.ts';
import { fund } from '../../src/payments/collections/fund.ts';
import { claim, writeProgress } from '../../src/payments/dispatch/store.ts';
import { createPayments } from '../../src/payments/create/store.ts';
import type { FinalReport } from '../../src/payments/create/payment.ts';
import { rotateKey } from '../../src/parties/administer.ts';
import { matchingKey, sign } from '../../src/parties/signature.ts';
import { namedBy } from '../support/create-oracle.ts';
import {
  COLLECTOR,
  failedReport,
  OPERATOR,
  OTHER_BILLER,
  paidReport,
  through,
} from '../support/money-fixture.ts';
import { BILLER, newPayment } from '../support/new-transaction.ts';
import {
  modelClaim,
  modelCollect,
  modelCreate,
  modelFund,
  modelProgress,
  modelRotateKey,
  modelSettle,
} from './model.ts';
import type { Model, ModelPayment } from './model.ts';
import { compare } from './system.ts';
import type { RunSystem } from './system.ts';

type Command = AsyncCommand<Model, RunSystem>;

/** A command that can run at any time, or when `possible`; everything is compared afterwards. */
function command<Given>(
  name: string,
  given: Given,
  does: {
    readonly possible?: (model: Model) => boolean;
    readonly run: (given: Given, model: Model, system: RunSystem) => Promise<void>;
  },
): Command {
  return {
    check: (model) => does.possible?.(model) ?? true,
    run: async (model, system) => {
      await does.run(given, model, system);
      await compare(model, system);
    },
    toString: () => `${name} ${fc.stringify(given)}`,
  };
}

const PAID_AT = new Date('2026-01-05T09:00:00Z');
const HOUR_MS = 3_600_000;

// Mostly the same few vendors, so that commands interact.
const vendor = fc.constantFrom(0, 0, 1);
const pick = fc.nat(1_000);
const cents = fc.constantFrom(50n, 100n, 250n, 1_000n, 4_000n);
const billerCode = fc.constantFrom(BILLER, BILLER, OTHER_BILLER);

function vendorIdOf(system: RunSystem, index: number): number {
  const vendorId = system.vendorIds[index];
  if (vendorId === undefined) throw new Error(`there is no vendor ${index}`);
  return vendorId;
}

function pickFrom<Item>(items: readonly Item[], location: number): Item {
  const item = items[location % items.length];
  if (item === undefined) throw new Error('there is nothing to pick from');
  return item;
}

const collects = fc
  .record({ vendor, reference: fc.nat(1), amountCents: fc.constantFrom(100n, 5_000n) })
  .map((income) =>
    command('collect', income, {
      run: async (given, model, system) => {
        const vendorId = vendorIdOf(system, given.vendor);
        const { amountCents } = given;
        const reference = `${system.prefix} ${given.reference}`;
        const expected = modelCollect(model, { vendorId, reference, amountCents });
        const done = collect(system.books, {
          collector: COLLECTOR,
          reference,
          vendorId,
          amountCents,
          paidAt: PAID_AT,
        });
        if (expected === 'reused') {
          system.seen.add('collection refused');
          await expect(done).rejects.toThrow(Refusal);
        } else {
          system.seen.add(expected.fresh ? 'collected' : 'collection repeated');
          expect(await done).toMatchObject(expected);
        }
      },
    }),
  );

const funds = fc.record({ vendor, time: fc.nat(1) }).map((request) =>
  command('fund', request, {
    run: async ({ vendor: index, time }, model, system) => {
      const vendorId = vendorIdOf(system, index);
      const expected = modelFund(model, vendorId, time);
      system.seen.add(expected.fresh ? 'funded' : `funded ${expected.amountCents > 0n}`);
      const requestedAt = new Date(PAID_AT.getTime() + time * 1_000);
      expect(await fund(system.books.pool, { vendorId, requestedAt })).toMatchObject(expected);
    },
  }),
);

const newPaymentArbitrary = fc.record({
  vendor,
  billerCode,
  account: fc.constantFrom('12345', '67890'),
  phone: fc.constantFrom(null, '0712000000'),
  amountCents: cents,
  // The last one includes 16 cents of VAT.
  feeCents: fc.constantFrom(0n, 0n, 25n, 116n),
  merchantReference: fc.option(fc.constantFrom('A', 'B')),
  duplicateSeconds: fc.constantFrom(0, 30),
});

/** Several at once; those of one vendor are one batch. */
const creates = fc.array(newPaymentArbitrary, { minLength: 1, maxLength: 6 }).map((payments) =>
  command('create', payments, {
    run: async (given, model, system) => {
      const rows = given.map(({ vendor: index, ...row }) =>
        newPayment({
          vendorId: vendorIdOf(system, index),
          vatCents: row.feeCents === 116n ? 16n : 0n,
          ...row,
        }),
      );
      const decisions = await Promise.all(rows.map((row) => system.lane.add(row)));
      for (const [index, row] of rows.entries()) {
        const expected = modelCreate(model, row);
        const decision = decisions[index];
        system.seen.add(`create ${expected.kind}`);
        expect(decision?.kind).toBe(expected.kind);
        if (decision !== undefined && expected.names.length > 0) {
          expect(expected.names).toContain(namedBy(decision));
        }
      }
    },
  }),
);

/** The same call again, as after a COMMIT whose answer was lost. */
const createsAgain = fc.record({ pick }).map((given) =>
  command('create the same once more', given, {
    possible: (model) => model.payments.length > 0,
    run: async ({ pick: location }, model, system) => {
      const { row } = pickFrom(model.payments, location);
      const { paymentId } = row;
      const decisions = await createPayments(system.books.pool, [row]);
      expect(decisions).toMatchObject([{ kind: 'accepted', paymentId }]);
    },
  }),
);

const claims = fc
  .record({
    vendor,
    billerCode,
    stage: fc.constantFrom('send', 'verify'),
    max: fc.integer({ min: 1, max: 4 }),
    lapsesAtOnce: fc.constantFrom(true, true, false),
    hasTerms: fc.boolean(),
  })
  .map((wanted) =>
    command('claim', wanted, {
      run: async (given, model, system) => {
        const { stage, max, lapsesAtOnce, hasTerms } = given;
        const queue = {
          vendorId: vendorIdOf(system, given.vendor),
          billerCode: given.billerCode,
          stage,
          ...(stage === 'verify' ? { operatorCode: OPERATOR } : {}),
        };
        const expected = modelClaim(model, queue, { max, lapsesAtOnce, hasTerms });
        if (expected.length > 0) system.seen.add(`claimed to ${stage}`);
        const leaseMs = lapsesAtOnce ? 0 : HOUR_MS;
        const version = hasTerms ? (system.operatorPrices.get(given.billerCode) ?? null) : null;
        const route = through(OPERATOR, version);
        const taken = await claim(system.books.pool, [{ ...queue, max, leaseMs, route }]);
        expect(taken).toMatchObject(
          expected.map(({ payment, claimNumber, attemptNumber }) => ({
            paymentId: payment.row.paymentId,
            stage,
            claimNumber,
            attemptNumber,
            verifyCount: payment.verifyCount,
            operatorHandle: payment.operatorHandle,
            account: payment.row.account,
            phone: payment.row.phone,
            amountCents: payment.row.amountCents,
          })),
        );
      },
    }),
  );

/** A worker writes what it learnt, possibly long after its lease. */
const progresses = fc
  .record({
    pick,
    next: fc.constantFrom('send', 'verify'),
    delayMs: fc.constantFrom(0, 0, HOUR_MS),
    operatorHandle: fc.constantFrom(null, 'handle-1', 'handle-2'),
  })
  .map((learnt) =>
    command('progress', learnt, {
      possible: (model) => model.claims.length > 0,
      run: async ({ pick: location, ...progress }, model, system) => {
        // Mostly one of the last claims, which still counts.
        const held = pickFrom(model.claims.slice(location % 4 === 0 ? 0 : -3), location);
        const { vendorId, billerCode: biller, paymentId } = held.payment.row;
        const { claimNumber } = held;
        const counts = modelProgress(held, progress);
        system.seen.add(counts ? `then ${progress.next}` : 'progress fenced');
        const written = await writeProgress(system.books.pool, [
          {
            claim: { vendorId, billerCode: biller, paymentId, claimNumber },
            note: 'a note',
            ...progress,
          },
        ]);
        expect(written).toBe(counts ? 1 : 0);
      },
    }),
  );

const word = fc.record({
  /** Null: about a payment that does not exist. */
  pick: fc.option(fc.nat(4), { freq: 12 }),
  outcome: fc.constantFrom('success', 'failed'),
  pays: fc.constantFrom('all', 'all', 'all', 'less', 'more', 'nothing'),
  source: fc.constantFrom('answer', 'status', 'callback', 'statement', 'person'),
  namesOperator: fc.boolean(),
});

/** Several reports at once, possibly about the same payment. */
const settles = fc.array(word, { minLength: 1, maxLength: 3 }).map((words) =>
  command('settle', words, {
    run: async (given, model, system) => {
      const reported = given.map(({ pick: location, ...said }) => {
        const about =
          location === null || model.payments.length === 0
            ? undefined
            : pickFrom(model.payments, location);
        return { about, report: reportOf(about, said, system) };
      });
      const results = await Promise.all(
        reported.map(({ report }) => system.settler.settle(report)),
      );
      for (const [index, { about, report }] of reported.entries()) {
        const before = about?.outcome;
        const expected = modelSettle(model, about, report);
        system.seen.add(`settle ${expected} ${report.outcome} after ${before ?? 'nothing'}`);
        expect(results[index]).toBe(expected);
      }
    },
  }),
);

function reportOf(
  about: ModelPayment | undefined,
  {
    namesOperator,
    ...said
  }: {
    readonly namesOperator: boolean;
    readonly outcome: 'success' | 'failed';
    readonly pays: 'all' | 'less' | 'more' | 'nothing';
    readonly source: FinalReport['source'];
  },
  system: RunSystem,
): FinalReport {
  const row = about?.row ?? newPayment({ vendorId: vendorIdOf(system, 0), paymentId: newId() });
  const given = { source: said.source, operatorCode: namesOperator ? OPERATOR : null };
  if (said.outcome === 'failed') return failedReport(row, given);
  const paidCents = {
    all: row.amountCents,
    less: row.amountCents / 2n,
    more: row.amountCents + 1n,
    nothing: 0n,
  }[said.pays];
  return paidReport(row, { ...given, paidCents });
}

const rotations = fc.record({ vendor, overlap: fc.boolean() }).map((given) =>
  command('rotate the key', given, {
    run: async ({ vendor: index, overlap }, model, system) => {
      const vendorId = vendorIdOf(system, index);
      const secret = await rotateKey(
        system.books.pool,
        { holderKind: 'vendor', holder: `vendor-${vendorId}` },
        {
          masterKeys: system.masterKeys,
          certain: true,
          overlapSeconds: overlap ? HOUR_MS / 1_000 : 0,
        },
      );
      modelRotateKey(model, vendorId, { secret, overlap });
      await system.directory.reload();
    },
  }),
);

const signatures = fc.record({ vendor, pick: fc.nat(3), text: fc.string() }).map((given) =>
  command('sign', given, {
    possible: (model) => ([...model.keys.values()][given.vendor] ?? []).length > 0,
    run: async ({ vendor: index, pick: location, text }, model, system) => {
      const vendorId = vendorIdOf(system, index);
      const { secret, valid } = pickFrom(model.keys.get(vendorId) ?? [], location);
      const signature = sign(text, createSecretKey(secret, 'utf8'));
      const keys = system.directory.vendor(`vendor-${vendorId}`)?.keys ?? [];
      system.seen.add(valid ? 'signed' : 'signed with a retired key');
      expect(matchingKey(text, signature, keys) !== undefined).toBe(valid);
    },
  }),
);

/** The commands of the runs; a command that is listed twice occurs twice as often. */
export const COMMANDS = [
  collects,
  funds,
  funds,
  creates,
  creates,
  createsAgain,
  claims,
  claims,
  claims,
  progresses,
  progresses,
  settles,
  settles,
  rotations,
  signatures,
  signatures,
];

/** Outcomes that must occur over all runs; otherwise the runs tested little. */
export const ENDINGS = [
  'collected',
  'collection repeated',
  'collection refused',
  'funded',
  'funded true',
  'funded false',
  'create accepted',
  'create replayed',
  'create reference_reused',
  'create likely_duplicate',
  'create insufficient_float',
  'claimed to send',
  'claimed to verify',
  'then send',
  'then verify',
  'progress fenced',
  'settle settled success after nothing',
  'settle settled failed after nothing',
  'settle repeated success after success',
  'settle repeated failed after failed',
  'settle contradicted failed after success',
  'settle contradicted success after failed',
  'settle contradicted success after nothing',
  'settle no_payment success after nothing',
  'signed',
  'signed with a retired key',
];
