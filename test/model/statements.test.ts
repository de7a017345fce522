import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newId } from '../../src/platform/base/ids.ts';
import { PlainError } from '../../src/platform/base/plain-error.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { HOUSE } from '../../src/payments/cases/cases-store.ts';
import { listCases } from '../../src/payments/cases/read-cases.ts';
import type { CaseRow } from '../../src/payments/cases/read-cases.ts';
import { listPostedFor } from '../../src/payments/corrections/corrections-store.ts';
import { resolutionsOf } from '../../src/payments/corrections/fitting.ts';
import { settlePayments } from '../../src/payments/settle/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { readPayments } from '../../src/payments/reconciliation/store.ts';
import { approveCurrent, proposeResolution } from '../support/approve-case.ts';
import { chainEverything } from '../support/chain.ts';
import {
  createInstructed,
  failedReport,
  openBooks,
  OPERATOR,
  paidReport,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { newPayment } from '../support/new-transaction.ts';
import { STORED } from './statement-examples.ts';
import {
  databaseTime,
  importLines,
  referenceOf,
  statementText,
} from '../support/reconciliation-fixture.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { act, AMOUNT_CENTS, DAYS, fates, keptCents, LOST, picks, steps } from './operator-model.ts';
import type { Fate, OperatorModel } from './operator-model.ts';

// An operator pays, pays again, reverses, and lists other amounts than before. Days are imported in order, as
// often as people like. Two people resolve the cases in any order, by any resolution that is not refused. In the
// end the ledger has what the operator has kept.

const RUNS = 24;
/** Shrinking ends then. */
const LIMIT_MS = 70_000 + RUNS * 1_000;
const TIMEOUT_MS = LIMIT_MS + 60_000;
const DAY_MS = 100_000;
const HOUSE_CENTS = 100_000_000n;

let folder: string;
let books: Books;
beforeAll(async () => {
  folder = await makeTemporaryFolder();
  books = await openBooks();
  await giveHouse();
});
afterAll(async () => {
  await books.close();
  await removeFolder(folder);
});

/** The operator owes us enough, and we bear enough, for everything that it may return. */
async function giveHouse(): Promise<void> {
  const line = { amountCents: HOUSE_CENTS };
  await importLines(books, folder, [line, line]);
  const [borne, claimed] = await openCases();
  if (borne === undefined || claimed === undefined) throw new Error('there are no cases');
  expect(await tryResolution(borne, 'house_bears')).toBe(true);
  expect(await tryResolution(claimed, 'receivable')).toBe(true);
}

async function openCases(): Promise<CaseRow[]> {
  return await listCases(books.pool, { resolved: false, limit: 100 });
}

/** Returns false if it is refused. */
async function tryResolution(row: CaseRow, resolution: string): Promise<boolean> {
  const nothing = { amount_cents: null, operator_reference: null, message: null, details: null };
  const proposal = { resolution, note: 'as the facts say', ...nothing };
  const { caseId } = row;
  try {
    await proposeResolution(books, { caseId, by: 'Asha', proposal });
  } catch (error) {
    if (error instanceof PlainError) return false;
    throw error;
  }
  await approveCurrent(books, { caseId, by: 'Baraka' });
  return true;
}

interface Run {
  readonly model: OperatorModel;
  readonly payments: readonly Subject[];
  readonly base: Date;
  /** What happened, for a run that fails. */
  readonly log: string[];
  /** Open before the run, because an earlier one failed. */
  readonly former: ReadonlySet<string>;
}

type Subject = Pick<NewPayment, 'vendorId' | 'paymentId'>;

async function beginRun(ours: readonly Fate[]): Promise<Run> {
  const vendorId = await books.addVendor();
  await books.addFloat(vendorId, 10_000_000n);
  const made = ours.map(() =>
    newPayment({ vendorId, account: newId(), amountCents: AMOUNT_CENTS }),
  );
  await createInstructed(books.pool, made);
  const reports = made.flatMap((one, index) => {
    if (ours[index] === 'success') return [paidReport(one, { billerReference: newId() })];
    return ours[index] === 'failed' ? [failedReport(one)] : [];
  });
  await settlePayments(books.pool, reports);
  const lost = Array.from({ length: LOST }, () => ({ vendorId, paymentId: newId() }));
  return {
    model: { listed: [], highestCents: new Map() },
    payments: [...made, ...lost],
    base: await databaseTime(books),
    log: [],
    former: new Set((await openCases()).map(({ caseId }) => caseId)),
  };
}

async function importDays(run: Run, last: number): Promise<void> {
  for (let day = 0; day <= last; day += 1) await importDay(run, day);
}

/** Imports what the operator lists for this day now. */
async function importDay({ model, payments, base, log }: Run, day: number): Promise<void> {
  const of = payments.map((one) => ({ ...one, amountCents: 0n, account: newId() }));
  const from = new Date(Number(base) - (DAYS - day) * DAY_MS);
  const period = { from, to: new Date(Number(from) + DAY_MS) };
  const lines = model.listed.flatMap((movement, index) =>
    movement.day === day
      ? [
          {
            ...movement,
            of: of[movement.of] ?? unknown(movement.of),
            operatorReference: `${movement.name} ${payments[0]?.vendorId}`,
            at: new Date(Number(from) + index),
          },
        ]
      : [],
  );
  if (lines.length === 0) return;
  const text = statementText(lines, period)
    .split('\r\n')
    .filter((line) => !line.startsWith('opening') && !line.startsWith('closing'))
    .join('\r\n');
  const { verdicts } = await importLines(books, folder, [], { ...period, complete: false, text });
  const shown = lines.map(({ name, of: about, amountCents }) => {
    return `${name} of ${referenceOf(about).slice(-4)} ${amountCents}`;
  });
  log.push(`day ${day}: ${shown.join(', ')} ${JSON.stringify(verdicts)}`);
}

function unknown(index: number): never {
  throw new Error(`there is no payment ${index}`);
}

/** Two people resolve up to so many cases. They keep the books only if all else is refused. */
async function resolveCases(run: Run, picked: readonly number[], count: number): Promise<void> {
  let used = 0;
  const next = (below: number): number => (picked[used++ % picked.length] ?? 0) % below;
  for (let done = 0; done < count; done += 1) {
    const open = (await openCases()).filter(({ caseId }) => !run.former.has(caseId));
    if (open.length === 0) return;
    const row = open[next(open.length)];
    if (row !== undefined) await resolveOne(run, row, next);
  }
}

async function resolveOne(run: Run, row: CaseRow, next: (below: number) => number): Promise<void> {
  const possible = resolutionsOf(row.kind).filter(
    (one) => !['keep_books', 'paid', 'failed'].includes(one),
  );
  const first = next(possible.length);
  const ordered = [...possible.slice(first), ...possible.slice(0, first), 'keep_books'];
  for (const resolution of ordered) {
    if (!(await tryResolution(row, resolution))) continue;
    const { movement, paid_cents: paid, listed_before_cents: before } = row.facts;
    const about =
      row.paymentId === null ? 'none' : referenceOf({ ...row, paymentId: row.paymentId }).slice(-4);
    const given = [
      row.kind,
      'of',
      about,
      movement,
      paid,
      ...(before === undefined ? [] : ['before', before]),
    ];
    run.log.push(`${given.join(' ')}: ${resolution}`);
    return;
  }
}

/** What these accounts have with the operator. */
async function bookedCents(vendorId: number): Promise<bigint> {
  const balances = await books.balances(vendorId);
  return (balances[`operator:${OPERATOR}`] ?? 0n) + (balances[`receivable:${OPERATOR}`] ?? 0n);
}

/** What the vendor was charged for a payment, in cents. */
async function chargedCents(subject: Subject): Promise<bigint> {
  const [known] = await readPayments(books.pool, OPERATOR, [subject]);
  if (known !== undefined) return known.postedCents;
  return (await listPostedFor(books.pool, subject)).reduce((sum, posted) => {
    if (posted.creditAccount === `operator:${OPERATOR}`) return sum + posted.amountCents;
    return posted.debitAccount === `operator:${OPERATOR}` ? sum - posted.amountCents : sum;
  }, 0n);
}

async function requireChargedOnce({ model, payments, log }: Run): Promise<void> {
  for (const [index, subject] of payments.entries()) {
    const mostCents = model.highestCents.get(index) ?? AMOUNT_CENTS;
    const charged = await chargedCents(subject);
    const most = mostCents > AMOUNT_CENTS ? mostCents : AMOUNT_CENTS;
    expect(charged <= most, `charged ${charged} for ${index}\n${log.join('\n')}`).toBe(true);
  }
}

test(
  'the ledger has what the operator has kept, for random statements and decisions',
  { timeout: TIMEOUT_MS },
  async () => {
    // A failing run is printed with its seed and path, and the steps it was shrunk to.
    await fc.assert(
      fc.asyncProperty(fates, steps, picks, async (ours, done, last) => {
        const run = await beginRun(ours);
        const [{ vendorId }] = run.payments as readonly [Subject];
        const beforeCents = await bookedCents(HOUSE);
        for (const step of done) {
          act(run.model, step);
          if (step.kind === 'import') await importDays(run, step.day);
          if (step.kind === 'resolve') await resolveCases(run, step.picks, step.count);
        }
        await importDays(run, DAYS - 1);
        await resolveCases(run, last, Number.POSITIVE_INFINITY);
        await requireChargedOnce(run);
        const ofHouse = (await bookedCents(HOUSE)) - beforeCents;
        const booked = (await bookedCents(vendorId)) + ofHouse;
        expect(booked, run.log.join('\n')).toBe(keptCents(run.model, ours));
        await chainEverything(books);
        const { violations } = await checkLedger(books.pool, { mac: books.ledgerMac });
        expect(violations).toEqual([]);
      }),
      { numRuns: RUNS, interruptAfterTimeLimit: LIMIT_MS, examples: Object.values(STORED) },
    );
  },
);
