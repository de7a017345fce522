import { Type } from 'typebox';
import type { Static, TProperties } from 'typebox';
import { PAYMENT_STATUSES } from '../payments/create/payment.ts';
import { EVENT_STATES } from '../payments/events/event-types.ts';
import { CASE_ACTIONS } from './case-schema.ts';
import * as fields from './fields.ts';
import { orNull, text, textOrNull, titled } from './fields.ts';

/** A payment as people see it. The names are those of `/v1`. */

type TimeText = (iso: string) => string;

const statusEnum = (options: fields.Options = {}) => Type.Enum([...PAYMENT_STATUSES], options);

/** The columns of a list. */
export const listed = {
  // To the minute, so that a line fits a usual terminal.
  created_at: fields.time({
    title: 'Created',
    text: (at: string, _: unknown, time: TimeText) => time(at).slice(0, -':00'.length),
  }),
  reference: text({ title: 'Reference' }),
  merchant_reference: textOrNull({ title: 'Vendor’s reference', wide: true }),
  vid: text({ title: 'Vendor', wide: true }),
  biller: text({ title: 'Biller' }),
  operator: textOrNull({ title: 'Operator', wide: true }),
  account: text({ title: 'Account' }),
  phone: textOrNull({ title: 'Phone', wide: true }),
  amount: fields.money({ title: 'Amount' }),
  fee: fields.money({ title: 'Fee', wide: true }),
  status: statusEnum({ title: 'Status' }),
  settled_at: fields.timeOrNull({ title: 'Final since', wide: true }),
};
const listedPayment = Type.Object(listed);
export type ListedPayment = Static<typeof listedPayment>;

const entryOf = <Kind extends string, Properties extends TProperties>(
  kind: Kind,
  properties: Properties,
) =>
  Type.Object({
    at: fields.time({ title: 'Time' }),
    kind: Type.Literal(kind, { title: 'What happened', text: entryText, wrapped: true }),
    ...properties,
  });

/** Something that happened to a payment. */
export const timelineEntry = Type.Union([
  entryOf('created', {}),
  entryOf('transfer', {
    movement: text(),
    amount: fields.money(),
    debit_account: text(),
    credit_account: text(),
    /** True: on our own accounts, and not the vendor’s. */
    is_house: Type.Boolean(),
  }),
  entryOf('attempt', {
    attempt: Type.Integer(),
    outcome: orNull(Type.Enum(['paid', 'declined', 'not_sent'])),
    ended_at: fields.timeOrNull(),
    /** Null after a restore, when several operators may have it. */
    operator: textOrNull(),
    /** Why it went there; null: the biller had no other route. */
    route_reason: textOrNull(),
    operator_handle: textOrNull(),
    note: textOrNull(),
  }),
  entryOf('settled', { status: statusEnum(), source: textOrNull() }),
  entryOf('unmatched_callback', {
    operator: text(),
    report: Type.Record(Type.String(), Type.Unknown()),
  }),
  entryOf('statement_entry', {
    operator: text(),
    movement: text(),
    amount: fields.money(),
    operator_reference: text(),
    verdict: text(),
  }),
  entryOf('correction', {
    case: text(),
    resolution: text(),
    amount: fields.money(),
    outcome_after: orNull(Type.Enum(['success', 'failed'])),
  }),
  /** Details that the operator owes, or that came after the payment was settled. */
  entryOf('details', {
    operator: text(),
    is_owed: Type.Boolean(),
    owed_since: fields.timeOrNull(),
    /** The names of those that came. */
    names: Type.Array(text()),
    asked: Type.Integer(),
    note: textOrNull(),
  }),
  entryOf('event', {
    event_id: text(),
    event_type: text(),
    state: Type.Enum([...EVENT_STATES]),
    attempts: Type.Integer(),
    first_attempt_at: fields.timeOrNull(),
    due_at: fields.timeOrNull(),
    ended_at: fields.timeOrNull(),
    last_result: textOrNull(),
  }),
  entryOf('case', {
    case: text(),
    case_kind: text(),
    action: Type.Enum([...CASE_ACTIONS]),
    /** Null: the service opened it. */
    actor: textOrNull(),
    resolution: textOrNull(),
  }),
]);
export type TimelineEntry = Static<typeof timelineEntry>;

const keptIf = (part: string, isKept: boolean): string => (isKept ? part : '');

function entryText(_: string, entry: TimelineEntry, time: TimeText): string {
  switch (entry.kind) {
    case 'created':
      return 'request accepted';
    case 'transfer': {
      const { movement, amount, debit_account: debit, credit_account: credit } = entry;
      return `${movement} ${amount}: ${debit} → ${credit}${keptIf(' (house)', entry.is_house)}`;
    }
    case 'attempt':
      return attemptText(entry, time);
    case 'settled':
      return entry.status + keptIf(`, reported by ${entry.source}`, entry.source !== null);
    case 'unmatched_callback':
      return `callback of ${entry.operator} that did not fit: ${String(entry.report['kind'])}`;
    case 'statement_entry':
      return `statement of ${entry.operator}: ${entry.movement} ${entry.amount}, ${entry.operator_reference}, ${entry.verdict}`;
    case 'correction': {
      const { outcome_after: outcome } = entry;
      return `correction ${entry.resolution}, ${entry.amount}${keptIf(`, now ${outcome}`, outcome !== null)}`;
    }
    case 'details':
      return detailsText(entry, time);
    case 'event':
      return eventText(entry, time);
    case 'case':
      return `case ${entry.case_kind} ${entry.action}${keptIf(` by ${entry.actor}`, entry.actor !== null)}: ${entry.case}`;
  }
}

type Entry<Kind> = Extract<TimelineEntry, { kind: Kind }>;

function attemptText(entry: Entry<'attempt'>, time: TimeText): string {
  const { operator, route_reason: reason, operator_handle: handle, note, outcome } = entry;
  const where = keptIf(` to ${operator}`, operator !== null);
  const sent = `instruction ${entry.attempt} sent${where}${keptIf(` (${reason})`, reason !== null)}`;
  const known = keptIf(` (${note})`, note !== null) + keptIf(`, handle ${handle}`, handle !== null);
  if (outcome === null) return `${sent}: outcome not known yet${known}`;
  const says = outcome === 'not_sent' ? 'proven not executed' : outcome;
  return `${sent}: ${says} at ${entry.ended_at === null ? '' : time(entry.ended_at)}${known}`;
}

function detailsText(entry: Entry<'details'>, time: TimeText): string {
  const { operator, names, is_owed: isOwed, owed_since: since, asked, note } = entry;
  const came = keptIf(`details of ${operator} came: ${names.join(', ')}`, names.length > 0);
  const waits = `${operator} owes details since ${since === null ? '' : time(since)}, asked ${asked} times${keptIf(` (${note})`, note !== null)}`;
  return (
    [came, keptIf(waits, isOwed)].filter((part) => part !== '').join('; ') ||
    `no details of ${operator} are owed any more`
  );
}

function eventText(entry: Entry<'event'>, time: TimeText): string {
  const { attempts, last_result: last, ended_at: ended, due_at: due } = entry;
  const tries = attempts === 0 ? 'not sent yet' : `${attempts} sent`;
  const next = due === null ? '' : `next at ${time(due)}`;
  const result = keptIf(`, last: ${last}`, last !== null);
  return `event ${entry.event_type} ${entry.state} (${tries}${result}), ${ended === null ? next : time(ended)}`;
}

interface Open {
  readonly queries: number | null;
  readonly note: string | null;
  readonly archived: boolean;
}

/** Why an open payment is open, and when the dispatcher continues with it. */
function nextStepText(at: string | null, { queries, note }: Open, time: TimeText): string {
  const due = at === null ? '' : time(at);
  const because = keptIf(` (${note})`, note !== null);
  if (queries === null) return `send at ${due}${because}`;
  return `status query at ${due}, ${queries} made${because}`;
}

const optional = (title: string) => ({ title, isOptional: true }) as const;

const { reference, created_at, settled_at, status: _, ...facts } = listed;
/** A payment with everything that happened to it. */
export const paymentDetail = Type.Object({
  reference,
  ...facts,
  status: statusEnum({
    title: 'Status',
    text: (status: string, { archived }: Open) => status + keptIf(', archived', archived),
  }),
  created_at: { ...created_at, text: undefined } as typeof created_at,
  settled_at,
  failure_code: textOrNull(optional('Failure code')),
  ...titled({ message: textOrNull, biller_reference: textOrNull }),
  biller_response_time: fields.timeOrNull(),
  /** Such as token and units. */
  details: orNull(Type.Record(Type.String(), Type.String()), { title: '', spread: true }),
  /** Where the outcome came from: answer, status, callback, … */
  settled_by: textOrNull(),
  archived: Type.Boolean(),
  /** Number of status queries; null: no instruction is in progress. */
  queries: orNull(Type.Integer()),
  next_step_at: fields.timeOrNull({ ...optional('Next step'), text: nextStepText }),
  /**
   * From then on the operator's answer that it does not have the instruction proves that it was not
   * executed. Null: no instruction is in progress, such an answer never proves it, or a command asks, which opens no
   * connection to operators.
   */
  provable_at: fields.timeOrNull(),
  /** Why it is still open. */
  note: textOrNull(),
  timeline: Type.Array(timelineEntry, { title: 'Timeline' }),
});
export type PaymentDetail = Static<typeof paymentDetail>;
