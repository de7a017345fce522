import { Command } from 'commander';
import { programVersion } from '../platform/program-version.ts';
import { acceptAnyCase, refuseRepeats } from './choices.ts';
import type { Cli, Surroundings } from './cli.ts';
import { EXIT } from './exit.ts';
import { explain } from './failure.ts';
import { HELP_LAYOUT } from './help.ts';
import { createProgress, showAnswer, shownLines } from './output.ts';
import { requireRoom } from './room.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import { profileOf } from './staff/profile.ts';
import type { Profile } from './staff/profile.ts';
import { NOUNS } from '../staff/registry.ts';
import { addNoun } from './staff/mount.ts';
import type { Runner } from './staff/mount.ts';
import type { Answer } from './output.ts';

type AddCommands = (program: Command, cli: Cli) => void;

/** Every group of commands, in the order of the help. */
const GROUPS: Readonly<Record<string, string>> = {
  vendor: 'vendors: add, list, change, suspend, new keys',
  person: 'people who sign in to the console: add, list, change, one-time links',
  audit: 'the audit log: who did what, when and why',
  system: 'how the service itself is: checks, configuration',
  login: 'sign in to a service on another machine, which commands then ask',
  logout: 'end what login began',
  completion: 'completion of commands in bash and zsh',
  token: 'tokens of programs that use the staff API: add, list, revoke',
  webhook: 'webhooks: set, test, list events, send again',
  collector: 'collectors of income: add, list, suspend, new keys',
  operator: 'operators, the companies that execute payments',
  biller: 'billers: add, change, ONLINE and OFFLINE',
  route: 'routes of billers through operators: list, set, dry run',
  invoice: 'invoices for fees, credit notes, the company on them',
  'summary-journal': 'journals for accounting software, codes of accounts',
  price: 'prices: fees of vendors, costs and commissions of operators',
  prefix: 'phone prefixes and their airtime billers',
  income: 'vendors’ income: report what was collected, move it into the float',
  receipts: 'money in: sources, account numbers, and receipts without a vendor',
  pay: 'create a payment',
  payment: 'payments: find them, see what happened to them, ask operators again',
  overview: 'how the service is doing now',
  archive: 'move old payments into files, and verify the files',
  job: 'long work that somebody began: how far it has come',
  ledger: 'the ledger: check, hash chain',
  statement: 'operators’ statements: import, show, pull from the operator',
  'account-statement': 'account statements: a vendor’s money with us, our float with an operator',
  day: 'days beside operators’ statements: show, totals, close',
  disbursement: 'payouts to phones, and refunds: propose, list, cancel',
  house: 'our own books: trial balance, transfers, entries that two people decide',
  report: 'reports: profit, balance sheet, margin, VAT, receivables, exposure, corrections, floats',
  proposal: 'what one person proposed and another one decides: list, show, approve, reject',
  case: 'cases that two people resolve',
  credit: 'the credit registry: import, reports, disputes, chain of enquiries, scorecards',
  listen: 'forward a vendor’s events to a local server as they happen',
  trigger: 'cause an event in the sandbox',
  sandbox: 'controls of the sandbox: floats, billers, outcomes, answers',
  keys: 'stored keys: encrypt them with a new master key',
  'demo-data': 'what a sandbox put into production’s database by mistake: list, end',
  backup: 'back up the embedded database while the service runs',
  restore: 'restore a backup into a new data folder; it starts in quarantine',
  quarantine: 'quarantine after a restore or a promotion: status, enter, release, confirm',
  cluster: 'a database on many machines: status, distribute, undistribute',
  migrate: 'upgrade the database to this version',
};

/**
 * What is not defined in `src/staff`: it works only on this machine. Commands are loaded only when they are called, so
 * that each one starts fast.
 */
const ON_MACHINE: Readonly<Record<string, () => Promise<AddCommands>>> = {
  listen: async () => (await import('./vendor/listen.ts')).addListenCommand,
  trigger: async () => (await import('./vendor/trigger.ts')).addTriggerCommand,
  sandbox: async () => (await import('./vendor/sandbox.ts')).addSandboxCommands,
  backup: async () => (await import('./platform/backup.ts')).addBackupCommands,
  restore: async () => (await import('./platform/restore.ts')).addRestoreCommand,
  cluster: async () => (await import('./platform/cluster.ts')).addClusterCommands,
  migrate: async () => (await import('./platform/migrate.ts')).addMigrateCommand,
};

/**
 * Runs one command line.
 * @param args without the interpreter and the script.
 * Returns the exit code: 0, or one of `EXIT`. Never throws for a failing command.
 */
export async function runCli(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const { stdout, stderr } = surroundings;
  const progress = createProgress(stderr);
  let exitCode: number = EXIT.done;
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
      await withSession(surroundings.environment, needs ?? {}, async (session) => {
        const answer = await work(session);
        // Printed at once, so that a failure while the database is being closed cannot lose it.
        if (answer === undefined) progress.clear();
        else show(options, answer);
      });
    },
  };
  const program = createProgram(surroundings);
  try {
    await addCommands(program, cli, args);
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
  for (const [name, summary] of Object.entries(GROUPS)) {
    const load = ON_MACHINE[name];
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
