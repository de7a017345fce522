import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { addImportCommand } from './import.ts';
import { addCreditKeyCommands } from './keys.ts';
import { addApplyCardCommand, addTrainCommand } from './train.ts';

export function addCreditCommands(program: Command, cli: Cli): void {
  const credit = program.command('credit').description('The credit registry.');
  addImportCommand(credit, cli);
  addCreditKeyCommands(credit, cli);
  addTrainCommand(credit, cli);
  addApplyCardCommand(credit, cli);
}
