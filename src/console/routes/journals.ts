import { Type } from 'typebox';
import type { Static } from 'typebox';
import { journalOf, listJournals, proposeJournal } from '../../payments/house/journals.ts';
import type { Journal } from '../../payments/house/journals.ts';
import type { Clock, WireTime } from '../../platform/base/clock.ts';
import { formatMoney, parseMoney } from '../../platform/base/money.ts';
import type { JournalView, JournalsAnswer } from '../finance-answers.ts';
import { route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { shortText } from './fields.ts';
import { readStart, time } from './period.ts';
import { actorOf, auditedOf } from './proposal-decisions.ts';
import type { ProposalRoutesOptions } from './proposal-decisions.ts';
import { stateQuery } from './proposals.ts';
import { reason } from './reason.ts';

/** More are not shown; they are in the ledger. */
const MAX_LISTED = 200;

export interface JournalRoutesOptions extends ProposalRoutesOptions {
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

/** Journals by two people. They are decided as proposals. */
export function journalRoutes(options: JournalRoutesOptions): AnyRoute[] {
  const { proposals } = options;
  return [
    route({
      method: 'GET',
      path: '/journals',
      permission: 'finance.read',
      query: stateQuery,
      handle: async ({ query: { state } }): Promise<JournalsAnswer> => {
        const filter = { open: state === 'open', limit: MAX_LISTED };
        return { journals: (await listJournals(proposals, filter)).map(journalView) };
      },
    }),
    route({
      method: 'POST',
      path: '/journals',
      permission: 'finance.act',
      action: 'journal.propose',
      body: proposal,
      handle: async ({ body }, { viewer }) => {
        const request = { ...requestOf(body, options), by: actorOf(viewer) };
        const row = await proposeJournal(proposals, request);
        return auditedOf(row, journalView(journalOf(row)));
      },
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

function journalView({ row, content, lines }: Journal): JournalView {
  return {
    ...{ id: row.proposalId, reference: content.reference, note: row.note },
    lines: lines.map(({ account, side, amountCents }) => ({
      ...{ account, side },
      amount: formatMoney(amountCents),
    })),
    proposedAt: row.proposedAt.toISOString(),
    decision: row.decision,
  };
}
