import { formatMoney } from '../../platform/base/money.ts';
import type { Booked } from '../../payments/house/book-statement.ts';
import type { FloatProof, ImportResult } from '../../payments/reconciliation/import.ts';
import { EXIT } from '../exit.ts';
import { counted, record, table } from '../output.ts';
import type { Answer } from '../output.ts';

/** Maximum number of problems in the table; `--json` lists all. */
const MAX_SHOWN = 50;

/** The outcome of an import, for people and programs. */
export function importAnswer(result: ImportResult, operator: string): Answer {
  if (result.kind === 'refused') {
    const problems = table(
      [{ title: 'LINE', align: 'right' }, { title: 'FIELD' }, { title: 'RULE' }, { title: 'TEXT' }],
      result.problems
        .slice(0, MAX_SHOWN)
        .map(({ line, field, rule, text }) => [String(line), field, rule, text]),
    );
    return {
      json: { imported: false, operator, problems: result.problems },
      text: `${problems}\nNothing was imported: ${counted(result.problems.length, 'problem')}. Fix the file, or ask the operator for another.\n`,
      exitCode: EXIT.failed,
    };
  }
  const json = {
    imported: true,
    operator,
    statement_id: result.statementId,
    repeated: result.repeated,
    movements: result.verdicts,
    ours_only: result.oursOnly,
    not_paid: result.notPaid,
    cases_opened: result.casesOpened,
    float: result.float === null ? null : floatJson(result.float),
    booked: result.booked === null ? null : bookedJson(result.booked),
  };
  if (result.repeated) {
    return { json, text: 'This file was imported before; nothing has changed.\n' };
  }
  return {
    json,
    text: `${record([
      ['statement', result.statementId],
      ...Object.entries(result.verdicts).map(
        ([verdict, count]) => [verdict.replaceAll('_', ' '), String(count)] as const,
      ),
      ['ours only', String(result.oursOnly)],
      ['proven not paid', String(result.notPaid)],
      ['cases opened', String(result.casesOpened)],
    ])}\n${result.float === null ? '' : pairsText('float', floatJson(result.float))}${
      result.booked === null ? '' : pairsText('booked', bookedJson(result.booked))
    }`,
  };
}

function shown(cents: bigint | null): string | null {
  return cents === null ? null : formatMoney(cents);
}

function floatJson(float: FloatProof) {
  return {
    opening: shown(float.openingCents),
    top_ups: shown(float.topUpCents),
    reversals: shown(float.reversalCents),
    payments: shown(float.paymentCents),
    charges: shown(float.chargeCents),
    closing: shown(float.closingCents),
    unexplained: shown(float.unexplainedCents),
  };
}

/** Shows the transfers of the statement in the accounts of the house. */
function bookedJson(booked: Booked) {
  return {
    opening: shown(booked.openingCents),
    top_ups: shown(booked.topUpCents),
    top_ups_entered_before: shown(booked.topUpConfirmedCents),
    charges: shown(booked.chargeCents),
    charges_entered_before: shown(booked.chargeConfirmedCents),
  };
}

function pairsText(title: string, values: Readonly<Record<string, string | null>>): string {
  const pairs = Object.entries(values).map(
    ([name, value]) => [`${title} ${name.replaceAll('_', ' ')}`, value ?? ''] as const,
  );
  return record(pairs);
}
