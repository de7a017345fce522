import { Argument } from 'commander';
import type { Command } from 'commander';
import type { Cli } from './cli.ts';

const SHELLS = ['bash', 'zsh'] as const;

/** @param whole every command, as the help of each group has it. */
export function addCompletionCommand(
  program: Command,
  cli: Cli,
  whole: () => Promise<Command>,
): void {
  program
    .command('completion')
    .description(
      'Print a script that completes commands, options and their values. For bash: source <(malipo completion bash)',
    )
    .addArgument(new Argument('<shell>').choices(SHELLS))
    .action(async (shell: (typeof SHELLS)[number]) => {
      await cli.runAlone({}, async () => ({
        json: undefined,
        text: scriptFor(shell, completionsOf(await whole())),
      }));
    });
}

/** The words that may follow a command, or an option with a fixed set of values. */
type Completions = ReadonlyMap<string, readonly string[]>;

function completionsOf(command: Command, path: readonly string[] = []): Completions {
  const shown = command.createHelp().visibleCommands(command);
  const names = shown.map((each) => each.name()).filter((name) => name !== 'help');
  const options = command.options.filter(({ hidden }) => !hidden);
  const longs = options.flatMap(({ long }) => long ?? []);
  const here = path.join(' ');
  return new Map([
    [here, [...names, ...longs, '--help']],
    ...options.flatMap(({ long, argChoices }) =>
      argChoices === undefined ? [] : [[`${here} ${long}`.trim(), argChoices] as const],
    ),
    ...shown
      .filter((each) => names.includes(each.name()))
      .flatMap((each) => [...completionsOf(each, [...path, each.name()])]),
  ]);
}

/** The words are those of our own commands and the values of their options, so none needs quotes within quotes. */
function scriptFor(shell: (typeof SHELLS)[number], completions: Completions): string {
  const cases = [...completions].map(
    ([path, words]) => `    '${path}') words='${words.join(' ')}' ;;`,
  );
  const zsh = ['autoload -Uz compinit bashcompinit', 'compinit', 'bashcompinit', ''];
  return [
    ...(shell === 'zsh' ? zsh : []),
    '_malipo_words() {',
    '  local words=',
    '  case "$1" in',
    ...cases,
    '  esac',
    '  printf %s "$words"',
    '}',
    '_malipo() {',
    '  local current="${COMP_WORDS[COMP_CWORD]}" path= word next index',
    '  for ((index = 1; index < COMP_CWORD; index += 1)); do',
    '    word="${COMP_WORDS[index]}"',
    '    next="${path:+$path }$word"',
    '    case "$word" in -*) continue ;; esac',
    '    if [ -n "$(_malipo_words "$next")" ]; then path="$next"; fi',
    '  done',
    '  word="${COMP_WORDS[COMP_CWORD - 1]}"',
    '  next=',
    '  case "$word" in --*) next="$(_malipo_words "${path:+$path }$word")" ;; esac',
    '  COMPREPLY=($(compgen -W "${next:-$(_malipo_words "$path")}" -- "$current"))',
    '}',
    'complete -o default -F _malipo malipo',
    '',
  ].join('\n');
}
