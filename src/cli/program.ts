import { Command } from 'commander';
import { programVersion } from '../platform/program-version.ts';
import { acceptAnyCase, refuseRepeats } from './choices.ts';
import type { Cli, Surroundings } from './cli.ts';
import type { CommandEntry } from './entry.ts';
import { EXIT } from './exit.ts';
import { explain } from './failure.ts';
import { HELP_LAYOUT } from './help.ts';
import { createProgress, showAnswer, shownLines } from './output.ts';
import { requireRoom } from './room.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import { profileOf } from './staff/profile.ts';
import type { Profile } from './staff/profile.ts';
import { NOUNS } from '../staff/registry.ts';
import { addNoun, DEFINED } from './staff/mount.ts';
import type { Runner } from './staff/mount.ts';
import type { Answer } from './output.ts';

type AddCommands = (program: Command, cli: Cli) => void;

interface Entry {
  readonly name: string;
  readonly summary: string;
  /** Commands are loaded only when they are called, so that each one starts fast. */
  readonly load?: () => Promise<AddCommands>;
}

/**
 * Every command, in the order of the help. To add a group of commands, add a file and a line here.
 */
const COMMANDS: readonly Entry[] = [
  {
    name: 'vendor',
    summary: 'vendors: add, list, change, suspend, new keys',
  },
  {
    name: 'person',
    summary: 'people who sign in to the console: add, list, change, one-time links',
  },
  {
    name: 'audit',
    summary: 'the audit log: who did what, when and why',
  },
  {
    name: 'system',
    summary: 'how the service itself is: checks, configuration',
  },
  {
    name: 'login',
    summary: 'sign in to a service on another machine, which commands then ask',
  },
  {
    name: 'logout',
    summary: 'end what login began',
  },
  {
    name: 'completion',
    summary: 'completion of commands in bash and zsh',
  },
  {
    name: 'token',
    summary: 'tokens of programs that use the staff API: add, list, revoke',
  },
  {
    name: 'webhook',
    summary: 'webhooks: set, test, list events, send again',
  },
  {
    name: 'collector',
    summary: 'collectors of income: add, list, suspend, new keys',
  },
  {
    name: 'operator',
    summary: 'operators, the companies that execute payments',
  },
  {
    name: 'biller',
    summary: 'billers: add, change, ONLINE and OFFLINE',
  },
  {
    name: 'route',
    summary: 'routes of billers through operators: list, set, dry run',
  },
  {
    name: 'invoice',
    summary: 'invoices for fees, credit notes, the company on them',
  },
  {
    name: 'price',
    summary: 'prices: fees of vendors, costs and commissions of operators',
  },
  {
    name: 'prefix',
    summary: 'phone prefixes and their airtime billers',
  },
  {
    name: 'income',
    summary: 'vendors’ income: report what was collected, move it into the float',
  },
  {
    name: 'receipts',
    summary: 'money in: sources, account numbers, and receipts without a vendor',
  },
  {
    name: 'pay',
    summary: 'create a payment',
  },
  {
    name: 'payment',
    summary: 'payments: find them, see what happened to them, ask operators again',
  },
  {
    name: 'overview',
    summary: 'how the service is doing now',
  },
  {
    name: 'archive',
    summary: 'move old payments into files, and verify the files',
  },
  {
    name: 'job',
    summary: 'long work that somebody began: how far it has come',
  },
  {
    name: 'ledger',
    summary: 'the ledger: check, hash chain',
  },
  {
    name: 'statement',
    summary: 'operators’ statements: import, show, pull from the operator',
  },
  {
    name: 'account-statement',
    summary: 'account statements: a vendor’s money with us, our float with an operator',
  },
  {
    name: 'day',
    summary: 'days beside operators’ statements: show, totals, close',
  },
  {
    name: 'house',
    summary: 'our own books: trial balance, transfers, entries that two people decide',
  },
  {
    name: 'report',
    summary: 'reports: margin, VAT, receivables, exposure, corrections, floats',
  },
  {
    name: 'proposal',
    summary: 'what one person proposed and another one decides: list, show, approve, reject',
  },
  {
    name: 'case',
    summary: 'cases that two people resolve',
  },
  {
    name: 'credit',
    summary: 'the credit registry: import, reports, disputes, chain of enquiries, scorecards',
  },
  {
    name: 'listen',
    summary: 'forward a vendor’s events to a local server as they happen',
    load: async () => (await import('./vendor/listen.ts')).addListenCommand,
  },
  {
    name: 'trigger',
    summary: 'cause an event in the sandbox',
    load: async () => (await import('./vendor/trigger.ts')).addTriggerCommand,
  },
  {
    name: 'sandbox',
    summary: 'controls of the sandbox: floats, billers, outcomes, answers',
    load: async () => (await import('./vendor/sandbox.ts')).addSandboxCommands,
  },
  {
    name: 'keys',
    summary: 'stored keys: encrypt them with a new master key',
    load: async () => (await import('./parties/keys.ts')).addKeyCommands,
  },
  {
    name: 'demo-data',
    summary: 'what a sandbox put into production’s database by mistake: list, end',
    load: async () => (await import('./platform/demo-data.ts')).addDemoDataCommands,
  },
  {
    name: 'backup',
    summary: 'back up the embedded database while the service runs',
    load: async () => (await import('./platform/backup.ts')).addBackupCommands,
  },
  {
    name: 'restore',
    summary: 'restore a backup into a new data folder; it starts in quarantine',
    load: async () => (await import('./platform/restore.ts')).addRestoreCommand,
  },
  {
    name: 'quarantine',
    summary: 'quarantine after a restore or a promotion: status, enter, release, confirm',
  },
  {
    name: 'cluster',
    summary: 'a database on many machines: status, distribute, undistribute',
    load: async () => (await import('./platform/cluster.ts')).addClusterCommands,
  },
  {
    name: 'migrate',
    summary: 'upgrade the database to this version',
    load: async () => (await import('./platform/migrate.ts')).addMigrateCommand,
  },
];

/**
 * Runs one command line.
 * @param args without the interpreter and the script.
 * Returns the exit code: 0, or one of `EXIT`. Never throws for a failing command.
 */
export async function runCli(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout, stderr } = surroundings;
  const progress = createProgress(stderr);
  let exitCode: number = EXIT.done;
  let entry: CommandEntry | undefined;
  const show = (options: { readonly json?: boolean }, answer: Answer): void => {
    progress.clear();
    showAnswer(stdout, answer, options.json === true);
    exitCode = answer.exitCode ?? EXIT.done;
  };
  const cli: Cli = {
    surroundings,
    progress,
    runAlone: async (options, work) => {
      const answer = await work();
      if (answer !== undefined) show(options, answer);
    },
    run: async (options, work, needs) => {
      requireRoom(stdout);
      const { withSession } = await import('./session.ts');
      const { withEntry } = await import('./entry.ts');
      await withSession(surroundings.environment, needs ?? {}, async (session) => {
        const answer = await withEntry(session, entry, async () => await work(session));
        // Printed at once, so that a failure while the database is being closed cannot lose it.
        if (answer === undefined) progress.clear();
        else show(options, answer);
      });
    },
  };
  const program = createProgram(surroundings);
  try {
    await addCommands(program, cli, args);
    program.hook('preAction', async (_program, called) => {
      if (DEFINED.has(called)) return;
      entry = (await import('./entry.ts')).entryOf(called);
    });
    acceptAnyCase(program);
    refuseRepeats(program);
    await program.parseAsync(args, { from: 'user' });
    return exitCode;
  } catch (error) {
    progress.clear();
    const { text, exitCode: failed } = explain(error);
    if (text !== '') stderr.write(`${shownLines(text)}\n`);
    return failed;
  }
}

function createProgram(surroundings: Surroundings): Command {
  const { stdout, stderr } = surroundings;
  return new Command('malipo')
    .description(
      'The command line of Malipo. It works with or without a running service. It uses the database of DATABASE_URL, or else the embedded database in DATA_DIR.',
    )
    .version(programVersion())
    .exitOverride()
    .configureHelp(HELP_LAYOUT)
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(shownLines(text)),
      outputError: (text, write) => write(inPlainWords(text)),
    })
    .showHelpAfterError('For the options, run the command with --help.');
}

/** The “command-argument” of commander is the `<name>` that the help shows. */
function inPlainWords(text: string): string {
  return text.replace(
    /command-argument value '(.*)' is invalid for argument '(.*?)'\./s,
    '“$1” is not valid for <$2>.',
  );
}

async function addCommands(program: Command, cli: Cli, args: readonly string[]): Promise<void> {
  const { environment = {} } = cli.surroundings;
  const words = args.filter((word) => !word.startsWith('-'));
  const called = words[0] === 'help' ? words[1] : words[0];
  if (called === 'login' || called === 'logout') {
    const { addLoginCommands } = await import('./staff/login.ts');
    addLoginCommands(program, cli, environment);
    return;
  }
  if (called === 'completion') {
    const { addCompletionCommand } = await import('./completion.ts');
    addCompletionCommand(program, cli, async () => await everyCommand(cli));
    return;
  }
  const profile = profileOf(environment);
  await addGroups(program, cli, { isCalled: (name) => name === called, profile });
}

/** The whole program: its completion, and what documents name of it, are made of it. */
export async function everyCommand(cli: Cli): Promise<Command> {
  const whole = createProgram(cli.surroundings);
  await addGroups(whole, cli, { isCalled: () => true, profile: undefined });
  return whole;
}

/** Only those that are called are loaded. */
async function addGroups(
  program: Command,
  cli: Cli,
  {
    isCalled,
    profile,
  }: {
    readonly isCalled: (name: string) => boolean;
    readonly profile: Profile | undefined;
  },
): Promise<void> {
  for (const { name, summary, load } of COMMANDS) {
    // What is not defined in `src/staff` works only with the database.
    if (isCalled(name) && profile === undefined && load !== undefined) (await load())(program, cli);
    else program.command(name).description(summary);
  }
  const runner: Runner = {
    isRemote: profile !== undefined,
    firstLine: async () => {
      const { readFirstLine } = await import('./ask-for.ts');
      return await readFirstLine(cli.surroundings.stdin);
    },
    run: async (asked) => {
      const { of } = asked;
      // Files of this machine, whatever service is asked.
      const isAboutFiles = of.kind === 'view' && of.needsNothing === true && of.onMachine === true;
      if (profile === undefined || isAboutFiles)
        await (await import('./staff/in-process.ts')).runInProcess(cli, asked);
      else if (of.onMachine === true) throw worksThere(profile);
      else await (await import('./staff/remote.ts')).runRemote(cli, profile, asked);
    },
  };
  for (const [command, load] of Object.entries(NOUNS)) {
    if (isCalled(command.split(' ')[0] ?? '')) addNoun(program, await load(), runner);
  }
  if (profile === undefined) return;
  for (const group of program.commands) {
    if (!isCalled(group.name()) || group.commands.length > 0) continue;
    const refuse = (): never => {
      throw worksThere(profile);
    };
    group.argument('[words...]').allowUnknownOption().action(refuse);
  }
}

/** What needs the machine of the service says so. */
const worksThere = ({ url }: Profile): PlainError =>
  new PlainError(
    `This command works only on the machine of the service, not through ${url}. Run it there, without MALIPO_URL.`,
  );
