import type { Argument, Command, Option } from 'commander';
import { EXIT } from './exit.ts';

/** Options of which each use adds something. */
export const REPEATABLE = new WeakSet<Option>();

/** Accepts the values of a fixed set in any case, such as `--status failed`, in every command. */
export function acceptAnyCase(command: Command): void {
  for (const parameter of [...command.options, ...command.registeredArguments]) {
    ignoreCase(parameter);
  }
  for (const child of command.commands) acceptAnyCase(child);
}

function ignoreCase(parameter: Option | Argument): void {
  const { argChoices: choices, parseArg: parse } = parameter;
  if (choices === undefined || parse === undefined) return;
  parameter.argParser((text: string, previous: unknown) => {
    const meant = choices.find((choice) => choice.toLowerCase() === text.toLowerCase());
    return parse(meant ?? text, previous as string);
  });
}

/** Refuses what is given twice, in every command: of two amounts, nobody knows which one is meant. */
export function refuseRepeats(command: Command): void {
  const given = new Map<string, Option>();
  for (const option of command.options) {
    command.on(`option:${option.name()}`, () => {
      const before = given.get(option.attributeName());
      given.set(option.attributeName(), option);
      if (before === undefined || REPEATABLE.has(option)) return;
      // Twice the same without a value says the same.
      if (before === option && option.isBoolean()) return;
      const names = [...new Set([before.long, option.long])].join(' and ');
      const is = before === option ? 'is given twice' : 'exclude each other';
      command.error(`error: ${names} ${is}.`, { exitCode: EXIT.usage });
    });
  }
  for (const child of command.commands) refuseRepeats(child);
}
