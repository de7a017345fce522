import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Definition, Noun } from '../../staff/definition.ts';
import { propertiesOf } from '../../staff/definition.ts';
import { FILE_FORMATS } from '../../staff/forms.ts';
import type { FileFormat } from '../../staff/forms.ts';
import { columnsOf, rowColumns } from '../../staff/present.ts';
import { readInput } from '../../staff/read-input.ts';
import { isForPages } from '../../staff/viewer.ts';
import { command, wholeNumber } from '../arguments.ts';
import { EXIT } from '../exit.ts';
import { UsageError } from '../failure.ts';
import { addInput, choicesOf, labelOf } from './options.ts';

type Values = Readonly<Record<string, unknown>>;

/** Everything that a command line says about a definition. */
export interface Called {
  readonly of: Definition;
  readonly input: Values;
  /** `--by`. */
  readonly by: string | undefined;
  readonly options: {
    readonly json?: boolean;
    readonly csv?: boolean;
    readonly wide?: boolean;
    readonly watch?: boolean;
    readonly out?: string;
    /** Seconds; true: the usual time; false: `--no-wait`. */
    readonly wait?: number | boolean;
  };
}

/** Runs a definition with the database, or asks a service. */
export interface Runner {
  readonly isRemote: boolean;
  /** The first line of the standard input. */
  readonly firstLine: () => Promise<string>;
  run(called: Called): Promise<void>;
}

/** How long `--wait` waits. */
export const WAIT_SECONDS = 60;

/** `--watch` shows it again after this time. */
const WATCH_MS = 5_000;

/** Adds the commands of a noun to its group, which is made if it does not exist. */
export function addNoun(program: Command, noun: Noun, runner: Runner): void {
  const offered = noun.definitions.filter((of) => isOffered(of, runner));
  if (offered.length === 0) return;
  let group = program;
  for (const word of noun.command.split(' ')) {
    group = group.commands.find((each) => each.name() === word) ?? group.command(word);
  }
  group.description(noun.summary);
  for (const of of offered) addDefinition(group, of, runner);
}

/** What pages alone have is not asked of a service, and here only if whoever runs commands may. */
const isOffered = (of: Definition, { isRemote }: Runner): boolean =>
  !isForPages(of) || (!isRemote && isWithoutName(of));

const isWithoutName = (of: Definition): boolean => of.kind === 'action' && of.actsAlone === 'only';

function addDefinition(group: Command, of: Definition, runner: Runner): void {
  const [, verb = ''] = of.name.split('.');
  const added = command(group, verb, of.summary, of.isUsual);
  const read = addInput(added, of);
  addSurfaceOptions(added, of, runner);
  added.action(async (...given: unknown[]) => {
    const { by, dryRun, ...options } = added.opts<Given>();
    const asked = await typed(of, read(given), runner);
    const called = dryRun === true ? trialOf(of, asked) : { of, input: asked };
    const input = checked(called.of, called.input);
    try {
      await runner.run({ of: called.of, input, by, options });
      while (options.watch === true) {
        await sleep(WATCH_MS);
        await runner.run({ of, input, by, options });
      }
    } catch (error) {
      throw inWordsOfCommand(of, error);
    }
  });
}

type Given = Called['options'] & { readonly by?: string; readonly dryRun?: boolean };

/** The view that `--dry-run` shows, and what it takes of the input. */
function trialOf(of: Definition, given: Values): Pick<Called, 'of' | 'input'> {
  const trial = of.trial?.() ?? of;
  const taken = new Set([trial.file?.name, ...propertiesOf(trial.input).map(([name]) => name)]);
  const input = Object.fromEntries(Object.entries(given).filter(([name]) => taken.has(name)));
  return { of: trial, input };
}

/** What every command of its kind has. */
function addSurfaceOptions(added: Command, of: Definition, { isRemote }: Runner): void {
  if (of.kind === 'action' && !isWithoutName(of)) {
    const isFree = isRemote || of.actsAlone !== undefined;
    const who = of.decides === true ? 'who does it; not who proposed it' : 'who does it';
    const by = new Option(
      '--by <name>',
      isRemote ? `${who} (default: the owner of the token)` : who,
    );
    added.addOption(isFree ? by : by.makeOptionMandatory());
    if (of.isJob === true && isRemote)
      added.option('--no-wait', 'show the job that begins, and do not wait for its result');
  }
  if (of.kind === 'action' && of.ends !== undefined && !isRemote) {
    const says = `wait for the end, by default ${WAIT_SECONDS} s; exits with ${EXIT.failed} if it failed, with ${EXIT.notEnded} if it has not ended yet`;
    added.option('--wait [seconds]', says, wholeNumber(1, 3600));
  }
  if (of.trial !== undefined) added.option('--dry-run', 'show what it would do, and do nothing');
  if (of.kind === 'download')
    added.option('--out <file>', 'write to this file (default: standard output)');
  if (of.kind !== 'view') return;
  if (of.rows !== undefined) {
    added.option('--csv', 'every row, as CSV');
    const out = new Option('--out <file>', 'every row, in a new file: FILE.csv or FILE.xlsx');
    added.addOption(out.argParser(fileWithFormat));
  }
  const columns = of.rows === undefined ? columnsOf(of.output) : rowColumns(of);
  const isWide = of.rows !== undefined && columns.some(({ property }) => property.wide === true);
  if (isWide) added.option('--wide', 'every column');
  if (of.isWatched === true) added.option('--watch', 'show it again every five seconds');
}

function fileWithFormat(file: string): string {
  if (FILE_FORMATS.some((format) => file.endsWith(`.${format}`))) return file;
  throw new InvalidArgumentError(`It must end in .${FILE_FORMATS.join(' or .')}.`);
}

/** The file that was asked for; undefined: the rows are shown. */
export function formatOf({ of, options }: Called): FileFormat | undefined {
  if (of.kind !== 'view' || of.rows === undefined) return undefined;
  if (options.out !== undefined) return FILE_FORMATS.find((each) => options.out?.endsWith(each));
  return options.csv === true ? 'csv' : undefined;
}

/** Reads what is not given on the command line. */
async function typed(of: Definition, given: Values, { firstLine }: Runner): Promise<Values> {
  const named = propertiesOf(of.input).find(
    ([name, property]) => property.typed === true && given[name] === '-',
  );
  return named === undefined ? given : { ...given, [named[0]]: await firstLine() };
}

/** Throws: `UsageError`, before anything is tried. */
function checked(of: Definition, given: Values): Values {
  const sent = of.file?.name;
  const { [sent ?? '']: file, ...input } = given;
  try {
    readInput(of, input);
    return sent === undefined ? input : { ...input, [sent]: file };
  } catch (error) {
    const said = inWordsOfCommand(of, error);
    throw said instanceof PlainError ? new UsageError(said.message) : said;
  }
}

/** A refusal that names the option, and not the field. Any other error as it is. */
export function inWordsOfCommand(of: Definition, error: unknown): unknown {
  const { name, message, field, code } = error as {
    readonly name?: unknown;
    readonly message: string;
    readonly field?: string;
    readonly code?: string;
  };
  if (name !== 'Refusal') return error;
  const suffix = code === undefined || OWN_WORDS.has(code) ? '' : ` (${code})`;
  if (field === undefined) {
    const isNeeded = code === 'missing_field' && of.needsOne !== undefined;
    const labels = isNeeded ? of.needsOne.map((each) => choicesOf(of, each)).join(', ') : '';
    const says = isNeeded ? `At least one of ${labels} is required.` : message + suffix;
    return new PlainError(says, { cause: error });
  }
  const label = labelOf(of, field);
  const said = message.startsWith(`${field} `)
    ? `${label} ${message.slice(field.length + 1)}`
    : `${label}: ${message}`;
  return new PlainError(said + suffix, { cause: error });
}

/** Their texts say everything. */
const OWN_WORDS: ReadonlySet<string> = new Set([
  ...['invalid_field', 'missing_field', 'unknown_field', 'not_found'],
]);
