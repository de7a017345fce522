import { encodeReference } from '../../parties/reference.ts';
import { movementName } from '../ledger/account.ts';
import { statusOf } from '../create/payment.ts';
import type { PaymentStatus } from '../create/payment.ts';
import type {
  AttemptRow,
  CaseRow,
  CorrectionRow,
  History,
  LateDetailsRow,
  NotificationRow,
  PaymentRow,
  StatementEntryRow,
  TransferRow,
  UnmatchedCallbackRow,
} from './store.ts';

/** Something that happened to a payment. */
export type TimelineEntry = { readonly at: Date } & (
  | { readonly kind: 'created' }
  | ({ readonly kind: 'transfer'; readonly movement: string } & Of<TransferRow>)
  | ({ readonly kind: 'attempt' } & Of<AttemptRow>)
  /** The outcome was recorded, from this source: answer, status, callback, … */
  | {
      readonly kind: 'settled';
      readonly status: PaymentStatus;
      readonly source: string | null;
    }
  /** A callback with this reference that could not be matched with the payment. */
  | ({ readonly kind: 'unmatched_callback' } & Of<UnmatchedCallbackRow>)
  | ({ readonly kind: 'statement_entry'; readonly movement: string } & Omit<
      Of<StatementEntryRow>,
      'kind'
    >)
  | ({ readonly kind: 'correction' } & Of<CorrectionRow>)
  /** Details that the operator owes, or that came later; the time is when they came, or since when they are owed. */
  | ({ readonly kind: 'details' } & Omit<Of<LateDetailsRow>, 'eventIds'>)
  | ({ readonly kind: 'event' } & Of<NotificationRow>)
  | ({ readonly kind: 'case'; readonly caseKind: string } & Omit<Of<CaseRow>, 'kind'>)
);

type Of<Row> = Omit<Row, 'paymentId' | 'at'>;

/** A payment with everything recorded about it, in order of time. */
export interface PaymentTimeline {
  readonly reference: string;
  readonly status: PaymentStatus;
  readonly payment: PaymentRow;
  readonly timeline: readonly TimelineEntry[];
}

// Within a millisecond, and in one commit, cause comes before effect.
const ORDER: readonly TimelineEntry['kind'][] = [
  'created',
  'attempt',
  'unmatched_callback',
  'statement_entry',
  'settled',
  'details',
  'case',
  'correction',
  'transfer',
  'event',
];

export function timelineOf(payment: PaymentRow, history: History): PaymentTimeline {
  const id = payment.paymentId;
  const reference = encodeReference(payment.vendorId, id);
  const status = statusOf(payment.outcome, payment.underWay);
  const mine = <Row extends { paymentId: string }>(rows: readonly Row[]): Row[] =>
    rows.filter((row) => row.paymentId === id);
  const corrections = mine(history.corrections);
  const sources = new Set([id, ...corrections.map((row) => row.correctionId)]);
  const entries: TimelineEntry[] = [
    { at: payment.createdAt, kind: 'created' },
    ...history.transfers
      .filter((row) => sources.has(row.sourceId))
      .map((row) => ({
        ...row,
        at: row.createdAt,
        kind: 'transfer' as const,
        movement: movementName(row.debitAccount, row.creditAccount),
      })),
    ...mine(history.attempts).map((row) => ({ ...row, at: row.sentAt, kind: 'attempt' as const })),
    ...settledOf(payment, corrections),
    ...history.callbacks
      .filter((row) => row.reference === reference)
      .map((row) => ({ ...row, at: row.receivedAt, kind: 'unmatched_callback' as const })),
    ...mine(history.statementEntries).map(({ kind: movement, ...row }) => ({
      ...row,
      kind: 'statement_entry' as const,
      movement,
    })),
    ...corrections.map((row) => ({ ...row, at: row.postedAt, kind: 'correction' as const })),
    ...mine(history.lateDetails).map(({ eventIds: _eventIds, ...row }) => ({
      ...row,
      at: row.receivedAt ?? row.since,
      kind: 'details' as const,
    })),
    ...mine(history.notifications).map((row) => ({
      ...row,
      at: row.occurredAt,
      kind: 'event' as const,
    })),
    ...mine(history.cases).map(({ kind: caseKind, ...row }) => ({
      ...row,
      kind: 'case' as const,
      caseKind,
    })),
  ];
  const timeline = entries.toSorted(
    (one, other) => one.at.getTime() - other.at.getTime() || rankOf(one) - rankOf(other),
  );
  return { reference, status, payment, timeline };
}

function rankOf(entry: TimelineEntry): number {
  const isReservation = entry.kind === 'transfer' && entry.movement === 'reserved';
  return isReservation ? 0.5 : ORDER.indexOf(entry.kind);
}

/** The first outcome; corrections of it are separate entries. */
function settledOf(payment: PaymentRow, corrections: readonly CorrectionRow[]): TimelineEntry[] {
  if (payment.settledAt === null || payment.outcome === null) return [];
  const [first] = corrections
    .filter((row) => row.outcomeAfter !== null)
    .toSorted((one, other) => one.postedAt.getTime() - other.postedAt.getTime());
  const before = first?.outcomeAfter === 'success' ? 'failed' : 'success';
  const outcome = first === undefined ? payment.outcome : before;
  const status = statusOf(outcome, false);
  return [{ at: payment.settledAt, kind: 'settled', status, source: payment.settledBy }];
}
