import { Option } from 'commander';
import type { Command } from 'commander';
import { proposeOperatorStatement } from '../../payments/uploads/operator-statement.ts';
import { code, command, durationSeconds, noteText, periodEnd, periodStart } from '../arguments.ts';
import { asPerson } from '../parties/as-person.ts';
import { bySupplier, openProposals, waitingAnswer } from '../parties/proposal.ts';
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
  readonly by: string;
  readonly note: string;
}

function addImport(reconcile: Command, cli: Cli): void {
  command(
    reconcile,
    'import <file>',
    'Propose to import an operator’s statement: all of it, or nothing if a line is invalid (exit code 1). Another person approves it. Differences become cases. The same file again changes nothing.',
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
    .addOption(bySupplier())
    .option('--note <text>', 'what it is', noteText, 'a statement')
    .action(async (file: string, options: ImportOptions) => {
      await cli.run(options, async (session) => {
        const { pool, wireTime } = session;
        const from = periodStart(options.from, '--from', wireTime);
        const to = periodEnd(options.to, '--to', wireTime);
        if (from >= to) throw new UsageError('--to must be after --from.');
        const proposals = await openProposals(session);
        const { operator, by: name, note } = options;
        const act = {
          by: name,
          permission: 'reconciliation.act',
          action: 'statement.import',
          target: operator,
          reason: note,
        } as const;
        const result = await asPerson(cli, session, act, async (_by, by) =>
          proposeOperatorStatement(
            { pool, ledgerMac: await session.ledgerMac(), proposals },
            {
              ...{ file, operator, from, to, by, note, complete: options.incomplete !== true },
              toleranceMs: options.tolerance * 1000,
              onProgress: (text) => cli.progress.show(text),
            },
          ),
        );
        if (result.kind === 'proposed') return await waitingAnswer(session, proposals, result.row);
        return importAnswer(result, operator);
      });
    });
}
