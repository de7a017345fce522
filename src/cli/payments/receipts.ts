import type { Command } from 'commander';
import { proposeBankStatement } from '../../payments/uploads/bank-statement.ts';
import { code, command, noteText, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { asPerson } from '../parties/as-person.ts';
import { bySupplier, openProposals, waitingAnswer } from '../parties/proposal.ts';
import { addSourceCommands } from './receipt-sources.ts';

/** What is not defined in `src/staff/receipts.ts`. */
export function addReceiptCommands(program: Command, cli: Cli): void {
  const receipts = program.command('receipts');
  addImport(receipts, cli);
  addSourceCommands(receipts, cli);
}

interface ImportOptions {
  readonly json?: boolean;
  readonly acceptLine: readonly number[];
  readonly by: string;
  readonly note: string;
}

function addImport(receipts: Command, cli: Cli): void {
  command(
    receipts,
    'import <source> <file>',
    'Propose to import the credits of a bank statement (CSV, MT940 or camt.053), each once. Another person approves it.',
  )
    .option(
      '--accept-line <line>',
      'a line that the bank shows as well, although it may be a payer’s text; may be repeated',
      (text: string, lines: readonly number[]) => [...lines, wholeNumber(1, 10_000_000)(text)],
      [],
    )
    .addOption(bySupplier())
    .option('--note <text>', 'what it is', noteText, 'a bank statement')
    .action(async (given: string, file: string, options: ImportOptions) => {
      await cli.run(options, async (session) => {
        const { pool, wireTime } = session;
        const { acceptLine: acceptedLines, note } = options;
        const source = code(given);
        const proposals = await openProposals(session);
        const about = { action: 'receipts.import', target: source, reason: note };
        const act = { by: options.by, permission: 'receipts.act', ...about } as const;
        const row = await asPerson(cli, session, act, (_by, by) =>
          proposeBankStatement(
            { pool, wireTime, proposals },
            { source, file, acceptedLines, by, note },
          ),
        );
        return await waitingAnswer(session, proposals, row);
      });
    });
}
