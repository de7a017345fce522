import type { Command } from 'commander';
import type { WireTime } from '../../platform/base/clock.ts';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { listFloats } from '../../payments/billers/float-store.ts';
import { findOperator } from '../../payments/billers/store.ts';
import { reportFloat } from '../../payments/reconciliation/float-report.ts';
import type { FloatReport } from '../../payments/reconciliation/float-report.ts';
import { code, command } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record } from '../output.ts';

/** `operator float`. */
export function addFloatBooks(operator: Command, cli: Cli): void {
  command(
    operator,
    'float',
    'Compare our float with an operator in our books, the balance that it reported and its last statement, and show each part of the difference.',
  )
    .argument('<code>', 'operator code', code)
    .action(async (operatorCode: string, options: { json?: boolean }) => {
      await cli.run(options, async ({ pool, wireTime }) => {
        if ((await findOperator(pool, operatorCode)) === undefined) {
          throw new PlainError(`Operator ${operatorCode} does not exist.`);
        }
        const reported = (await listFloats(pool)).find((row) => row.operatorCode === operatorCode);
        const { balanceCents = null, polledAt = null } = reported ?? {};
        const report = await reportFloat(pool, { operatorCode, balanceCents, polledAt });
        const json = { operator: operatorCode, ...reportJson(report, { balanceCents, polledAt }) };
        return { json, text: reportText(json, wireTime) };
      });
    });
}

type Reported = { readonly balanceCents: bigint | null; readonly polledAt: Date | null };

function reportJson(report: FloatReport, reported: Reported) {
  const { booked, bridge, statement } = report;
  return {
    books: {
      opening: formatMoney(booked.openingCents),
      topped_up: formatMoney(booked.toppedUpCents),
      charges: formatMoney(booked.chargesCents),
      consumed: formatMoney(booked.consumedCents),
      balance: formatMoney(report.bookedCents),
    },
    reported: reported.balanceCents === null ? null : formatMoney(reported.balanceCents),
    reported_at: reported.polledAt?.toISOString() ?? null,
    difference:
      bridge === null
        ? null
        : {
            total: formatMoney(bridge.differenceCents),
            in_flight: formatMoney(bridge.inFlightCents),
            settled_since: formatMoney(bridge.settledSinceCents),
            not_booked_yet: formatMoney(bridge.notBookedCents),
            unexplained: formatMoney(bridge.unexplainedCents),
          },
    last_statement:
      statement === null
        ? null
        : {
            statement: statement.statementId,
            ended_at: statement.periodEnd.toISOString(),
            closing: formatMoney(statement.closingCents),
            books: formatMoney(statement.bookedCents),
            difference: formatMoney(statement.closingCents - statement.bookedCents),
          },
  };
}

/** Named like `books topped up`. */
function pairs(title: string, values: object | null): [string, string][] {
  return Object.entries(values ?? {}).map(([name, value]) => [
    `${title} ${name.replaceAll('_', ' ')}`,
    String(value),
  ]);
}

/** Writes times for people, as everywhere in the tables. */
function reportText(
  json: ReturnType<typeof reportJson> & { readonly operator: string },
  wireTime: WireTime,
): string {
  const local = (iso: string): string => wireTime.format(new Date(iso));
  const last = json.last_statement;
  return record([
    ['operator', json.operator],
    ...pairs('books', json.books),
    ['reported', json.reported ?? 'not known'],
    ['reported at', json.reported_at === null ? '' : local(json.reported_at)],
    ...pairs('difference', json.difference),
    ...pairs('last statement', last && { ...last, ended_at: local(last.ended_at) }),
  ]);
}
