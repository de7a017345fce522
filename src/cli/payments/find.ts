import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import type { PaymentTimeline, TimelineEntry } from '../../payments/timeline/assemble.ts';
import { findPayments } from '../../payments/timeline/find.ts';
import type { CaseRow } from '../../payments/cases/cases-store.ts';
import { factCents } from '../../payments/corrections/facts.ts';
import { command, dayPeriod, fromDayOption, toDayOption, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit.ts';
import { record, table, withWireNames } from '../output.ts';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 200;

interface FindOptions {
  readonly json?: boolean;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: number;
}

export function addFindCommand(program: Command, cli: Cli): void {
  command(
    program,
    'find',
    'Payments of all vendors with everything that happened to them, newest first. Exits with 1 when nothing is found.',
  )
    .argument(
      '<term>',
      'an ipay_reference, a merchant reference, an account, or a phone number in any usual form; of a payment that only an operator reports also the operator’s reference',
    )
    .addOption(fromDayOption())
    .addOption(toDayOption())
    .option(
      '--limit <count>',
      `at most this many (default ${DEFAULT_LIMIT})`,
      wholeNumber(1, MAX_LIMIT),
    )
    .action(async (term: string, options: FindOptions) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        const found = await findPayments(pool, term, {
          ...dayPeriod(options, wireTime),
          limit: options.limit ?? DEFAULT_LIMIT,
        });
        const texts = found.payments.map((payment) => paymentText(payment, wireTime));
        const cases = found.cases.map((row) => caseText(row, wireTime));
        const more = found.more ? ['There are older ones: raise --limit.\n'] : [];
        const all = [...texts, ...cases, ...more];
        return {
          json: {
            payments: found.payments.map(paymentJson),
            more: found.more,
            cases: found.cases.map(caseJson),
          },
          text: all.length === 0 ? 'No payment found.' : all.join('\n'),
          exitCode: all.length === 0 ? EXIT.failed : EXIT.done,
        };
      });
    });
}

/** The ledger does not have the payment that the case is about. */
function caseText(row: CaseRow, wireTime: WireTime): string {
  const { facts } = row;
  const fact = (name: string): string => {
    const value = facts[name];
    return typeof value === 'string' ? value : '';
  };
  const cents = factCents(row, 'paid_cents');
  return record([
    ['payment', 'not in the ledger: only the operator reports it, or a restore lost it'],
    ['case', `${row.caseId} (${row.kind}, ${row.resolution ?? 'open'})`],
    ['vendor', row.vid ?? ''],
    ['operator', row.operatorCode ?? ''],
    ['biller', fact('biller')],
    ['account', fact('account')],
    ['reference', fact('reference')],
    ['operator reference', fact('operator_reference')],
    ['amount', cents === undefined ? '' : formatMoney(cents)],
    ['opened', wireTime.format(row.openedAt)],
  ]);
}

function caseJson({ caseId, kind, vid, operatorCode, facts, openedAt, resolution }: CaseRow) {
  return withWireNames({ case: caseId, kind, vid, operatorCode, facts, openedAt, resolution });
}

function paymentText(found: PaymentTimeline, wireTime: WireTime): string {
  const { payment } = found;
  const time = (at: Date | null): string => (at === null ? '' : wireTime.format(at));
  const facts = record([
    ['reference', found.reference],
    ['vendor', payment.vid],
    ['merchant reference', payment.merchantReference ?? ''],
    ['biller', `${payment.billerCode} (operator ${payment.operatorCode ?? 'unknown'})`],
    ['account', payment.account],
    ['phone', payment.archived ? 'archived' : (payment.phone ?? '')],
    ['amount', `${formatMoney(payment.amountCents)}, fee ${formatMoney(payment.feeCents)}`],
    ['status', payment.archived ? `${found.status}, archived` : found.status],
    ...(payment.failureCode === null ? [] : [['failure code', payment.failureCode] as const]),
    ['message', payment.message ?? ''],
    ['biller reference', payment.billerReference ?? ''],
    ...Object.entries(payment.details ?? {}),
    ...(payment.outcome === null ? [['next step', nextStep(found, time)] as const] : []),
  ]);
  const lines = found.timeline.map((entry) => [time(entry.at), entryText(entry, time)]);
  return `${facts}\n${table([{ title: 'TIME' }, { title: 'WHAT HAPPENED', wrapped: true }], lines, '')}`;
}

/** Why an open payment is open, and when the dispatcher continues with it. */
function nextStep({ payment }: PaymentTimeline, time: (at: Date | null) => string): string {
  const { dueAt, note, verifyCount: queries } = payment;
  const because = note === null ? '' : ` (${note})`;
  if (queries === null) return `send at ${time(dueAt)}${because}`;
  return `status query at ${time(dueAt)}, ${queries} made${because}`;
}

function entryText(entry: TimelineEntry, time: (at: Date | null) => string): string {
  switch (entry.kind) {
    case 'created':
      return 'request accepted';
    case 'transfer':
      return `${entry.movement} ${formatMoney(entry.amountCents)}: ${entry.debitAccount} → ${entry.creditAccount}${entry.vendorId === 0 ? ' (house)' : ''}`;
    case 'attempt':
      return attemptText(entry, time);
    case 'settled':
      return `${entry.status}${entry.source === null ? '' : `, reported by ${entry.source}`}`;
    case 'unmatched_callback':
      return `callback of ${entry.operatorCode} that did not fit: ${String(entry.report['kind'])}`;
    case 'statement_entry':
      return `statement of ${entry.operator}: ${entry.movement} ${formatMoney(entry.amountCents)}, ${entry.operatorReference}, ${entry.verdict}`;
    case 'correction':
      return `correction ${entry.resolution}, ${formatMoney(entry.amountCents)}${entry.outcomeAfter === null ? '' : `, now ${entry.outcomeAfter}`}`;
    case 'event':
      return eventText(entry, time);
    case 'case':
      return `case ${entry.caseKind} ${entry.action}${entry.actor === null ? '' : ` by ${entry.actor}`}: ${entry.caseId}`;
  }
}

function attemptText(
  entry: Extract<TimelineEntry, { kind: 'attempt' }>,
  time: (at: Date | null) => string,
): string {
  const operator = entry.operatorCode === null ? '' : ` to ${entry.operatorCode}`;
  const because = entry.routeReason === null ? '' : ` (${entry.routeReason})`;
  const sent = `instruction ${entry.attemptNumber} sent${operator}${because}`;
  const handle = entry.operatorHandle === null ? '' : `, handle ${entry.operatorHandle}`;
  const note = entry.note === null ? '' : ` (${entry.note})`;
  if (entry.outcome === null) return `${sent}: outcome not known yet${note}${handle}`;
  const outcome = entry.outcome === 'not_sent' ? 'proven not executed' : entry.outcome;
  return `${sent}: ${outcome} at ${time(entry.endedAt)}${note}${handle}`;
}

function eventText(
  entry: Extract<TimelineEntry, { kind: 'event' }>,
  time: (at: Date | null) => string,
): string {
  const tries = entry.attemptCount === 0 ? 'not sent yet' : `${entry.attemptCount} sent`;
  const result = entry.lastResult === null ? '' : `, last: ${entry.lastResult}`;
  const until = entry.endedAt === null ? `next at ${time(entry.dueAt)}` : time(entry.endedAt);
  return `event ${entry.type} ${entry.state} (${tries}${result}), ${until}`;
}

/** Uses the names of the API, amounts as decimal text, and times in ISO 8601. */
function paymentJson({ reference, status, payment, timeline }: PaymentTimeline) {
  const { paymentId: _id, vendorId: _vendor, underWay: _underWay, ...facts } = payment;
  return {
    ipay_reference: reference,
    transaction_status: status,
    ...withDecimals(facts),
    timeline: timeline.map((entry) => withDecimals(entry)),
  };
}

/** Cents become decimal text, under a name without the unit. */
function withDecimals(row: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(withWireNames(row)).map(([name, value]: [string, unknown]) =>
      typeof value === 'bigint' ? [name.replace(/_cents$/, ''), formatMoney(value)] : [name, value],
    ),
  );
}
