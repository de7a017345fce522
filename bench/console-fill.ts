import { completeSums } from '../src/payments/ledger/sums.ts';
import type { Day } from '../src/payments/reconciliation/days.ts';
import { createWireTime, periodOfDay } from '../src/platform/base/clock.ts';
import { DAY_MS } from '../src/platform/base/days.ts';
import { encodeReference } from '../src/parties/reference.ts';
import type { Pool } from '../src/platform/db/pool.ts';
import type { ConsoleSamples } from './console-paths.ts';
import {
  BUSY_VENDOR,
  closeUsedDay,
  insertDayStatement,
  insertUsedMonths,
  insertUsedPages,
  sampleCase,
  samplePayment,
} from './console-store.ts';

/** Fills a database as a console has it after three months of use. */
export async function fillConsole(
  pool: Pool,
  {
    payments,
    logRows,
    quietVid,
    log,
  }: {
    readonly payments: number;
    /** Rows of the audit log and of the request log. */
    readonly logRows: number;
    /** A vendor with few payments. */
    readonly quietVid: string;
    readonly log: (text: string) => void;
  },
): Promise<ConsoleSamples> {
  const startedAt = performance.now();
  const note = (what: string): void =>
    log(`console: ${what} after ${((performance.now() - startedAt) / 1000).toFixed(0)} s`);
  await insertUsedMonths(pool, payments);
  note(`${payments} payments were written`);
  const wireTime = createWireTime('Africa/Nairobi');
  const dayAgo = (days: number): string =>
    wireTime.format(new Date(Date.now() - days * DAY_MS)).slice(0, 10);
  const period = (day: string): Day => {
    const { from, to } = periodOfDay(day, wireTime) ?? { from: new Date(0), to: new Date(0) };
    return { day, from, to };
  };
  const statementId = await insertDayStatement(pool, 'kplc', period(dayAgo(2)));
  await insertUsedPages(pool, logRows);
  await completeSums(pool);
  note('the other pages were filled');
  await closeUsedDay(pool, period(dayAgo(3)));
  note('a day was closed');
  const { vendorId, paymentId, ...searched } = await samplePayment(pool);
  return {
    ...searched,
    busyVid: BUSY_VENDOR,
    quietVid,
    reference: encodeReference(vendorId, paymentId),
    caseId: await sampleCase(pool),
    statementId,
    scorecard: 'malipo-mobile@1',
    dayAgo,
  };
}
