import type { Argument, Command, Option } from 'commander';

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
