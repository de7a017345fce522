import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { addAccessLinkCommand } from './access-link.ts';
import { addCaseCommands } from './cases.ts';
import { addDeceasedCommands } from './deceased.ts';
import { addImportCommand } from './import.ts';
import { addCreditKeyCommands } from './keys.ts';
import { addLetterCommands } from './letters.ts';
import { addListCommands } from './lists.ts';
import { addMergeCommands } from './merge.ts';
import { addMonitorCommands } from './monitor.ts';
import { addProposalCommands } from './proposals.ts';
import { addReportCommand } from './report.ts';
import { addScoreCommand } from './score.ts';
import { addScorecardCommands } from './scorecard.ts';
import { addSuppressionCommands } from './suppression.ts';
import { addApplyCardCommand, addTrainCommand } from './train.ts';
import { addUsageCommand } from './usage.ts';

export function addCreditCommands(program: Command, cli: Cli): void {
  const credit = program.command('credit').description('The credit registry.');
  addImportCommand(credit, cli);
  addListCommands(credit, cli);
  addReportCommand(credit, cli);
  addAccessLinkCommand(credit, cli);
  addLetterCommands(credit, cli);
  addScoreCommand(credit, cli);
  addCaseCommands(credit, cli);
  addDeceasedCommands(credit, cli);
  addMergeCommands(credit, cli);
  addSuppressionCommands(credit, cli);
  addProposalCommands(credit, cli);
  addCreditKeyCommands(credit, cli);
  addTrainCommand(credit, cli);
  addApplyCardCommand(credit, cli);
  addScorecardCommands(credit, cli);
  addMonitorCommands(credit, cli);
  addUsageCommand(credit, cli);
}
