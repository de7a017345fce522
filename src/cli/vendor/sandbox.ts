import { Option } from 'commander';
import type { Command } from 'commander';
import { formatMoney } from '../../platform/base/money.ts';
import { code, durationSeconds, money, moneyAboveZero, wholeNumber } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { UsageError } from '../failure.ts';
import { record } from '../output.ts';
import type { Answer } from '../output.ts';
import { apiCommand, openApi } from './api.ts';
import type { ApiAnswer, ApiOptions } from './api.ts';

interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Calls a control and prints what it answers. */
async function run(cli: Cli, options: ApiOptions, { method, path, body }: Call): Promise<void> {
  await cli.runAlone(options, async () =>
    answerOf(await openApi(cli, options).control(method, path, body)),
  );
}

export function addSandboxCommands(program: Command, cli: Cli): void {
  const sandbox = program
    .command('sandbox')
    .description('Controls of the sandbox, for tests of a vendor’s program.');
  apiCommand(sandbox, 'state', 'Show what is set for the vendor.').action(
    async (options: ApiOptions) => await run(cli, options, { method: 'GET', path: '/state' }),
  );
  addFloats(sandbox, cli);
  addBillers(sandbox, cli);
  addOutcomes(sandbox, cli);
  addAnswers(sandbox, cli);
}

function addFloats(sandbox: Command, cli: Cli): void {
  apiCommand(sandbox, 'refill', 'Collect income for the vendor and move it into its float.')
    .addOption(
      new Option('--amount <amount>', 'in KES')
        .argParser(moneyAboveZero)
        .default(10_000_00n, '10000.00'),
    )
    .action(async (options: ApiOptions & { readonly amount: bigint }) => {
      const body = { amount_cents: String(options.amount) };
      await run(cli, options, { method: 'POST', path: '/float', body });
    });
  apiCommand(
    sandbox,
    'operator-float',
    'Add to our float with a simulated operator, or set it. Once you have set it, the operator pays no more than it holds.',
  )
    .argument('<operator>', 'operator code', code)
    .option('--add <amount>', 'in KES', moneyAboveZero)
    .option('--set <amount>', 'in KES', money)
    .action(async (operator: string, options: ApiOptions & { add?: bigint; set?: bigint }) => {
      const { add, set } = options;
      if ((add === undefined) === (set === undefined)) {
        throw new UsageError('Either --add or --set is required.');
      }
      const body = add === undefined ? { set_cents: String(set) } : { add_cents: String(add) };
      await run(cli, options, { method: 'POST', path: `/operators/${operator}/float`, body });
    });
}

function addBillers(sandbox: Command, cli: Cli): void {
  apiCommand(sandbox, 'offline', 'Take a biller offline, for all vendors.')
    .argument('<biller>', 'biller code', code)
    .option(
      '--for <time>',
      'ends after this time, such as 90s, 30m or 24h (default: stays until online)',
      durationSeconds,
    )
    .action(async (biller: string, options: ApiOptions & { readonly for?: number }) => {
      const body = options.for === undefined ? {} : { seconds: options.for };
      await run(cli, options, { method: 'POST', path: `/billers/${biller}/offline`, body });
    });
  apiCommand(sandbox, 'online', 'Bring a biller online again.')
    .argument('<biller>', 'biller code', code)
    .action(async (biller: string, options: ApiOptions) => {
      await run(cli, options, { method: 'POST', path: `/billers/${biller}/online` });
    });
}

interface NextOptions extends ApiOptions {
  readonly times: number;
  readonly account?: string;
}

function addOutcomes(sandbox: Command, cli: Cli): void {
  apiCommand(
    sandbox,
    'next-outcome',
    'Choose how the vendor’s next payment ends: paid, declined, paid_unanswered, not_paid_unanswered, callback, callback_repeated, slow, garbage, never, lost. Several are used in order.',
  )
    .argument('<outcome>', 'see above')
    .option('--times <count>', 'for this many payments', wholeNumber(1, 1_000), 1)
    .option('--account <account>', 'only for payments to this account')
    .action(async (outcome: string, options: NextOptions) => {
      const { times, account } = options;
      const body = { outcome, times, ...(account === undefined ? {} : { account }) };
      await run(cli, options, { method: 'POST', path: '/next-outcome', body });
    });
  apiCommand(sandbox, 'drop-outcomes', 'Drop the chosen outcomes that were not used yet.').action(
    async (options: ApiOptions) =>
      await run(cli, options, { method: 'DELETE', path: '/next-outcome' }),
  );
  apiCommand(sandbox, 'advance', 'Have the operator decide a payment that it keeps open.')
    .argument('<reference>', 'ipay_reference of the payment')
    .argument('<result>', 'paid or declined')
    .action(async (reference: string, result: string, options: ApiOptions) => {
      const path = `/payments/${encodeURIComponent(reference)}/advance`;
      await run(cli, options, { method: 'POST', path, body: { result } });
    });
}

interface AnswerOptions extends ApiOptions {
  readonly requests?: number;
  readonly for?: number;
}

function addAnswers(sandbox: Command, cli: Cli): void {
  apiCommand(
    sandbox,
    'answers',
    'Choose what the API answers next: overloaded or unavailable (nothing happens), outcome_unknown (it happens, but the answer is lost), or normal again.',
  )
    .argument('<answer>', 'see above')
    .option('--requests <count>', 'for this many requests (default: 1)', wholeNumber(1, 10_000))
    .option('--for <time>', 'for this long, such as 30s, instead', durationSeconds)
    .action(async (answer: string, options: AnswerOptions) => {
      const { requests, for: seconds } = options;
      if (answer === 'normal')
        return await run(cli, options, { method: 'DELETE', path: '/answers' });
      const body = {
        answer,
        ...(requests === undefined ? {} : { requests }),
        ...(seconds === undefined ? {} : { seconds }),
      };
      await run(cli, options, { method: 'POST', path: '/answers', body });
    });
}

function answerOf(json: ApiAnswer['body']): Answer {
  const pairs = Object.entries(json).map(([name, value]) =>
    name === 'float_cents' && typeof value === 'string'
      ? (['float', `KES ${formatMoney(BigInt(value))}`] as const)
      : ([name.replaceAll('_', ' '), value === null ? '' : wordsOf(value)] as const),
  );
  return { json, text: record(pairs) };
}

/** A list or an object in one line. */
function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map(wordsOf).join('; ');
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? '');
  return Object.entries(value)
    .filter(([, own]) => own !== null)
    .map(([name, own]) => `${name} ${wordsOf(own)}`)
    .join(', ');
}
