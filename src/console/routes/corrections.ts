import { Type } from 'typebox';
import type { Static } from 'typebox';
import { reportCorrections } from '../../payments/reports/corrections.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { ExportTable } from '../../platform/export/rows.ts';
import type { CorrectionsAnswer } from '../finance-answers.ts';
import { route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { readBookPeriod, time } from './period.ts';
import { amountCell, fileRoutes, tableOf } from './table-file.ts';

export interface CorrectionRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly wireTime: WireTime;
}

const query = Type.Object(
  { from: Type.Optional(time), to: Type.Optional(time) },
  { additionalProperties: false },
);

/** What two people corrected in a period, each with payment and case. */
export function correctionRoutes(options: CorrectionRoutesOptions): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/corrections',
      permission: 'finance.read',
      query,
      handle: async (input) => await readPeriod(options, input.query),
    }),
    ...fileRoutes({
      ...{ path: '/corrections', permission: 'finance.read', query, wireTime: options.wireTime },
      read: async (input) => ({
        name: 'corrections',
        table: correctionTable(await readPeriod(options, input.query)),
      }),
    }),
  ];
}

/** Throws: `invalid_field`, `PlainError`. */
async function readPeriod(
  { pool, clock, wireTime }: CorrectionRoutesOptions,
  asked: Static<typeof query>,
): Promise<CorrectionsAnswer> {
  const period = readBookPeriod(asked, { wireTime, now: clock.now() });
  const rows = await reportCorrections(pool, period);
  return {
    from: period.from.toISOString(),
    to: period.to.toISOString(),
    corrections: rows.map((row) => ({
      id: `${row.correctionId} ${row.leg}`,
      at: row.at.toISOString(),
      vid: row.vid,
      reference: row.reference,
      caseId: row.caseId,
      resolution: row.resolution,
      debitAccount: row.debitAccount,
      creditAccount: row.creditAccount,
      amount: formatMoney(row.amountCents),
      proposedBy: row.proposedBy,
      approvedBy: row.approvedBy,
    })),
  };
}

const COLUMNS = [
  'at',
  'vid',
  'reference',
  'caseId',
  'resolution',
  'debitAccount',
  'creditAccount',
  'amount',
  'proposedBy',
  'approvedBy',
] as const;

function correctionTable({ corrections }: CorrectionsAnswer): ExportTable {
  return tableOf(
    COLUMNS,
    corrections.map((row) =>
      COLUMNS.map((name) => (name === 'amount' ? amountCell(row.amount) : row[name])),
    ),
  );
}
