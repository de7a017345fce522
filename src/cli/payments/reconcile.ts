import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { findOperator } from '../../payments/billers/store.ts';
import { statementFormatOf } from '../../payments/connectors/registry.ts';
import { importStatement } from '../../payments/reconciliation/import.ts';
import type { Booked } from '../../payments/house/book-statement.ts';
import type { FloatProof, ImportResult } from '../../payments/reconciliation/import.ts';
import type { StatementFormat } from '../../payments/reconciliation/statement.ts';
import { code, command, durationSeconds, periodEnd, periodStart } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit.ts';
import { counted, record, table } from '../output.ts';
import type { Answer } from '../output.ts';
import { addCloseCommand, addDayReport } from './reconcile-days.ts';
import type { Session } from '../session.ts';
import { UsageError } from '../failure.ts';

export function addReconcileCommands(program: Command, cli: Cli): void {
  const reconcile = program
    .command('reconcile')
    .description('Compare our ledger with the operators’ statements, and close days.');
  addImport(reconcile, cli);
  addCloseCommand(reconcile, cli);
  addDayReport(reconcile, cli);
}

interface ImportOptions {
  readonly json?: boolean;
  readonly operator: string;
  readonly from: string;
  readonly to: string;
  readonly incomplete?: boolean;
  readonly tolerance: number;
}

/** Maximum number of problems in the table; `--json` lists all. */
const MAX_SHOWN = 50;

function addImport(reconcile: Command, cli: Cli): void {
  command(
    reconcile,
    'import <file>',
    'Import an operator’s statement: all of it, or nothing if a line is invalid (exit code 1). Differences become cases. The same file again changes nothing.',
  )
    .requiredOption('--operator <code>', 'the operator that issued it', code)
    .requiredOption('--from <time>', 'start of the statement: a day or a time')
    .requiredOption(
      '--to <time>',
      'end of the statement: a day (included) or a time (not included)',
    )
    .option('--incomplete', 'lines may be missing, so missing payments and balances prove nothing')
    .option(
      '--tolerance <time>',
      'how far the operator’s clock may differ from ours',
      durationSeconds,
      300,
    )
    .action(async (file: string, options: ImportOptions) => {
      await cli.run(options, async (session) => {
        const { pool, wireTime } = session;
        const from = periodStart(options.from, '--from', wireTime);
        const to = periodEnd(options.to, '--to', wireTime);
        if (from >= to) throw new UsageError('--to must be after --from.');
        const result = await importStatement({
          pool,
          ledgerMac: await session.ledgerMac(),
          file,
          operator: options.operator,
          format: await requireFormat(session, options.operator),
          from,
          to,
          complete: options.incomplete !== true,
          toleranceMs: options.tolerance * 1000,
          onProgress: (text) => cli.progress.show(text),
        });
        return importAnswer(result, options.operator);
      });
    });
}

async function requireFormat({ pool }: Session, operatorCode: string): Promise<StatementFormat> {
  const row = await findOperator(pool, operatorCode);
  if (row === undefined) {
    throw new PlainError(`Operator ${operatorCode} does not exist.`, { field: 'operator' });
  }
  const format = statementFormatOf({
    operatorCode,
    connector: row.connector,
    settings: row.settings,
  });
  if (format !== undefined) return format;
  throw new PlainError(`The connector ${row.connector} cannot read statements.`, {
    field: 'operator',
  });
}

function importAnswer(result: ImportResult, operator: string): Answer {
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

/** What the accounts of the house took from the statement. */
function bookedJson(booked: Booked) {
  return {
    opening: shown(booked.openingCents),
    top_ups: shown(booked.topUpCents),
    top_ups_entered_before: shown(booked.confirmedCents),
    charges: shown(booked.chargeCents),
  };
}

function pairsText(title: string, values: Readonly<Record<string, string | null>>): string {
  const pairs = Object.entries(values).map(
    ([name, value]) => [`${title} ${name.replaceAll('_', ' ')}`, value ?? ''] as const,
  );
  return record(pairs);
}
