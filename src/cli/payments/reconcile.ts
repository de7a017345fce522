import { Option } from 'commander';
import type { Command } from 'commander';
import { requireStatementFormat } from '../../payments/connectors/statement-format.ts';
import { importStatement } from '../../payments/reconciliation/import.ts';
import { code, command, durationSeconds, periodEnd, periodStart } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { importAnswer } from './import-answer.ts';
import { addPullCommands } from './reconcile-pull.ts';
import { addCloseCommand, addDayReport } from './reconcile-days.ts';
import { UsageError } from '../failure.ts';

export function addReconcileCommands(program: Command, cli: Cli): void {
  const reconcile = program
    .command('reconcile')
    .description('Compare our ledger with the operators’ statements, and close days.');
  addImport(reconcile, cli);
  addPullCommands(reconcile, cli);
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
    .addOption(
      new Option('--tolerance <time>', 'how far the operator’s clock may differ from ours')
        .argParser(durationSeconds)
        .default(300, '5m'),
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
          format: await requireStatementFormat(pool, options.operator),
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
