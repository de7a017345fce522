import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { addCaseCommands } from './credit-cases.ts';
import { addDeceasedCommands } from './credit-deceased.ts';
import { addImportCommand } from './credit-import.ts';
import { addCreditKeyCommands } from './credit-keys.ts';
import { addListCommands } from './credit-lists.ts';
import { addMergeCommands } from './credit-merge.ts';
import { addReportCommand } from './credit-report.ts';
import { addScoreCommand } from './credit-score.ts';
import { addSuppressionCommands } from './credit-suppression.ts';
import { addTrainCommand } from './credit-train.ts';

export function addCreditCommands(program: Command, cli: Cli): void {
  const credit = program.command('credit').description('The credit registry.');
  addImportCommand(credit, cli);
  addListCommands(credit, cli);
  addReportCommand(credit, cli);
  addScoreCommand(credit, cli);
  addCaseCommands(credit, cli);
  addDeceasedCommands(credit, cli);
  addMergeCommands(credit, cli);
  addSuppressionCommands(credit, cli);
  addCreditKeyCommands(credit, cli);
  addTrainCommand(credit, cli);
}
