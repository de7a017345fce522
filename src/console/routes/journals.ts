import { Type } from 'typebox';
import type { Static } from 'typebox';
import { approveJournal, proposeJournal, rejectJournal } from '../../payments/house/journals.ts';
import { linesOf, listJournals } from '../../payments/house/journals-store.ts';
import type { JournalRow } from '../../payments/house/journals-store.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { formatMoney, parseMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { JournalView, JournalsAnswer } from '../finance-answers.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { shortText } from './fields.ts';
import { readStart, time } from './period.ts';
import { decisionRoutes, decisionView, stateQuery } from './proposals.ts';
import { reason } from './reason.ts';

/** More are not shown; they are in the ledger. */
const MAX_LISTED = 200;

export interface JournalRoutesOptions {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly clock: Clock;
  readonly wireTime: WireTime;
}

const proposal = Type.Object(
  {
    lines: Type.Array(
      Type.Object(
        {
          account: Type.String({ minLength: 1, maxLength: 80 }),
          side: Type.Enum(['debit', 'credit']),
          amount: Type.String({ maxLength: 16 }),
        },
        { additionalProperties: false },
      ),
      { maxItems: 50 },
    ),
    reference: shortText,
    evidence: shortText,
    /** A day or a time; absent: now. */
    at: Type.Optional(time),
    reason,
  },
  { additionalProperties: false },
);

/** Journals by two people. */
export function journalRoutes(options: JournalRoutesOptions): AnyRoute[] {
  const { pool, ledgerMac } = options;
  return [
    route({
      method: 'GET',
      path: '/journals',
      permission: 'finance.read',
      query: stateQuery,
      handle: async ({ query: { state } }, { viewer }): Promise<JournalsAnswer> => {
        const rows = await listJournals(pool, { open: state === 'open', limit: MAX_LISTED });
        return { journals: rows.map((row) => journalView(row, viewer.login)) };
      },
    }),
    route({
      method: 'POST',
      path: '/journals',
      permission: 'finance.act',
      action: 'journal.propose',
      body: proposal,
      handle: async ({ body }, { viewer }) => {
        const request = { ...requestOf(body, options), by: viewer.login };
        const row = await proposeJournal({ pool, ledgerMac }, request);
        const view = journalView(row, viewer.login);
        return new Audited(view, { target: row.journalId, after: { lines: view.lines } });
      },
    }),
    ...decisionRoutes({
      ...{ path: '/journals', permission: 'finance.act', noun: 'journal' },
      approve: async (journalId, by) => {
        const row = await approveJournal({ pool, ledgerMac }, { journalId, by });
        const { lines, reference, proposedBy } = journalView(row, by);
        return { lines, reference, proposedBy };
      },
      reject: async (journalId, by) => await rejectJournal(pool, { journalId, by }),
    }),
  ];
}

/** Throws: `invalid_field`. */
function requestOf(body: Static<typeof proposal>, { clock, wireTime }: JournalRoutesOptions) {
  return {
    lines: body.lines.map(({ account, side, amount }) => ({
      account: account.trim(),
      side,
      amountCents: parseMoney(amount, 'lines'),
    })),
    reference: body.reference,
    evidence: body.evidence,
    note: body.reason,
    movedAt: readStart(body.at, 'at', wireTime) ?? clock.now(),
  };
}

function journalView(row: JournalRow, login: string): JournalView {
  const { journalId: id, reference, note, evidence } = row;
  return {
    ...{ id, reference, note, evidence },
    lines: linesOf(row).map(({ account, side, amountCents }) => ({
      ...{ account, side },
      amount: formatMoney(amountCents),
    })),
    movedAt: row.movedAt.toISOString(),
    ...decisionView(row, login),
  };
}
