import { listFloats } from '../../payments/billers/float-store.ts';
import type { CaseRow } from '../../payments/cases/cases-store.ts';
import { statementFormatOf } from '../../connectors/registry.ts';
import { readDayGaps, reportOperators } from '../../payments/reconciliation/days.ts';
import type { Day, OperatorsReport } from '../../payments/reconciliation/days.ts';
import { findLastClosedDay } from '../../payments/reconciliation/days-store.ts';
import { reportFloat } from '../../payments/reconciliation/float-report.ts';
import type { FloatReport } from '../../payments/reconciliation/float-report.ts';
import { countVerdicts, listStatements } from '../../payments/reconciliation/store.ts';
import type { StatementRow } from '../../payments/reconciliation/store.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Bridge, DayAnswer, Difference, StatementSummary } from '../reconciliation-answers.ts';
import { caseViewOf, factsOf, paymentAmountOf } from '../../staff/case-core.ts';

type KnownOperator = Parameters<typeof statementFormatOf>[0];

/** Everything about one day: what is there, what is missing, and how the balances differ. */
export async function readDayAnswer(
  pool: Pool,
  day: Day,
  known: readonly KnownOperator[],
): Promise<DayAnswer> {
  const report = await reportOperators(pool, day);
  const { missing, openCases } = await readDayGaps(pool, day);
  const statements = (await listStatements(pool, day)).filter(
    ({ periodStart, periodEnd }) => periodStart < day.to && periodEnd > day.from,
  );
  const { closed } = report;
  return {
    day: day.day,
    from: day.from.toISOString(),
    to: day.to.toISOString(),
    closed: closed && {
      at: closed.closedAt.toISOString(),
      by: closed.closedBy,
      exceptions: closed.exceptions,
    },
    lastClosed: (await findLastClosedDay(pool))?.day ?? null,
    openCases,
    missing,
    operators: operatorsOf(report),
    statements: await Promise.all(
      statements.map(async (row) =>
        statementSummary(row, await countVerdicts(pool, row.statementId)),
      ),
    ),
    bridges: await bridgesOf(pool, [
      ...report.operators.map(({ operator }) => operator),
      ...missing,
    ]),
    importable: known
      .filter((operator) => statementFormatOf(operator) !== undefined)
      .map(({ operatorCode }) => operatorCode),
  };
}

/**
 * Net of reversals, which our ledger has as corrections; with cost and less netted commission if the operator's
 * statements list payments so.
 */
function operatorsOf({ totals, operators, listingNet }: OperatorsReport): DayAnswer['operators'] {
  const ours = new Map<string, bigint>();
  for (const { operatorCode, paymentsCents, correctionsCents, ...terms } of totals) {
    if (operatorCode === '') continue;
    const before = ours.get(operatorCode) ?? 0n;
    const termsCents = listingNet.has(operatorCode)
      ? terms.costsCents - terms.commissionsCents
      : 0n;
    ours.set(operatorCode, before + paymentsCents + correctionsCents + termsCents);
  }
  const theirs = new Map(
    operators.map((row) => [row.operator, row.paymentsCents - row.reversalsCents]),
  );
  return [...new Set([...ours.keys(), ...theirs.keys()])].toSorted().map((operator) => {
    const paid = ours.get(operator) ?? 0n;
    const listed = theirs.get(operator);
    return {
      operator,
      ours: formatMoney(paid),
      theirs: listed === undefined ? null : formatMoney(listed),
      difference: listed === undefined ? null : formatMoney(listed - paid),
    };
  });
}

export function statementSummary(
  row: StatementRow,
  verdicts: Readonly<Record<string, number>>,
): StatementSummary {
  const { openingCents, closingCents } = row;
  return {
    statementId: row.statementId,
    operator: row.operator,
    from: row.periodStart.toISOString(),
    to: row.periodEnd.toISOString(),
    importedAt: row.importedAt.toISOString(),
    complete: row.complete,
    pulled: row.pulled,
    opening: openingCents === null ? null : formatMoney(openingCents),
    closing: closingCents === null ? null : formatMoney(closingCents),
    verdicts,
  };
}

async function bridgesOf(pool: Pool, operators: readonly string[]): Promise<Bridge[]> {
  const floats = new Map((await listFloats(pool)).map((row) => [row.operatorCode, row]));
  const bridges: Bridge[] = [];
  for (const operatorCode of [...new Set(operators)].toSorted()) {
    const { balanceCents = null, polledAt = null } = floats.get(operatorCode) ?? {};
    const float = { operatorCode, balanceCents, polledAt };
    bridges.push(bridgeOf(float, await reportFloat(pool, float)));
  }
  return bridges;
}

function bridgeOf(
  float: {
    readonly operatorCode: string;
    readonly balanceCents: bigint | null;
    readonly polledAt: Date | null;
  },
  { bookedCents, bridge, statement }: FloatReport,
): Bridge {
  const { balanceCents, polledAt } = float;
  return {
    operator: float.operatorCode,
    booked: formatMoney(bookedCents),
    report:
      bridge === null || balanceCents === null || polledAt === null
        ? null
        : {
            balance: formatMoney(balanceCents),
            at: polledAt.toISOString(),
            difference: formatMoney(bridge.differenceCents),
            inFlight: formatMoney(bridge.inFlightCents),
            settledSince: formatMoney(bridge.settledSinceCents),
            notBooked: formatMoney(bridge.notBookedCents),
            unexplained: formatMoney(bridge.unexplainedCents),
          },
    statement: statement && {
      at: statement.periodEnd.toISOString(),
      closing: formatMoney(statement.closingCents),
      booked: formatMoney(statement.bookedCents),
      difference: formatMoney(statement.closingCents - statement.bookedCents),
    },
  };
}

/** A case that a statement opened, side by side. @param open proposals that wait, by case. */
export function differenceOf(row: CaseRow, open: Parameters<typeof caseViewOf>[1]): Difference {
  const facts = factsOf(row.facts);
  const text = (...names: readonly string[]): string | null => {
    const found = names.map((name) => facts[name]).find((value) => typeof value === 'string');
    return typeof found === 'string' ? found : null;
  };
  const { line } = facts;
  return {
    case: caseViewOf(row, open),
    ours: {
      amount: text('posted', 'amount', 'closing') ?? paymentAmountOf(row),
      outcome: text('books_say'),
    },
    theirs: {
      amount: row.kind === 'ours_only' ? null : text('paid', 'opening'),
      operatorReference: text('operator_reference', 'biller_reference'),
      account: text('account'),
      at: text('at'),
      line: typeof line === 'number' ? line : null,
    },
  };
}
