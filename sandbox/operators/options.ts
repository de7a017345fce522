import { Command, InvalidArgumentError, Option } from 'commander';
import type { DarajaChoices } from '../providers/providers.ts';
import type { Delays } from './behaviour.ts';

/**
 * The key between the sandbox and its simulated operators (a Standard Webhooks secret). Public, like
 * every demo credential: it protects nothing but the protocol's own rules.
 */
export const SANDBOX_OPERATOR_KEY = 'whsec_c2ltdWxhdGVkLW9wZXJhdG9ycy1rZXktb3Blbi10by1hbGw=';

export interface OperatorOptions extends Delays {
  /** 0: any free port. */
  readonly port: number;
  readonly dataDir: string;
  readonly key: string;
  /** Time for which a connection is held that never gets an answer. */
  readonly holdMs: number;
  /** Also emulates providers: operators’ callback URLs begin with this. */
  readonly providers?: string;
  /** Which id a status query to Daraja names as the original one. Default: `originator`. */
  readonly darajaId?: DarajaChoices['originalId'];
  /** How many of a hundred Results Daraja loses. Default: none. */
  readonly darajaLoses?: number;
}

export const DARAJA_IDS: readonly DarajaChoices['originalId'][] = ['originator', 'conversation'];

/**
 * Reads the command line; prints help or what is wrong, and exits.
 * @param args without the interpreter and the script.
 */
export function readOptions(args: readonly string[]): OperatorOptions {
  return new Command('operators')
    .description('The simulated operators of the sandbox, on 127.0.0.1.')
    .requiredOption('--port <port>', 'port to listen on; 0 takes a free one', wholeNumber)
    .requiredOption('--data-dir <dir>', 'folder of the journal; made when it is missing')
    .option('--key <secret>', 'Standard Webhooks secret of all operators', SANDBOX_OPERATOR_KEY)
    .option('--callback-delay-ms <ms>', '9905, 9906: time to the callback', wholeNumber, 2000)
    .option('--callback-repeat-ms <ms>', '9906: time to the late repeat', wholeNumber, 5000)
    .option('--slow-ms <ms>', '9907: time to the answer', wholeNumber, 10_000)
    .option('--hold-ms <ms>', 'how long an unanswered connection is held', wholeNumber, 60_000)
    .option('--providers <url>', 'also emulate providers, which call back to <url>/<operator code>')
    .addOption(
      new Option(
        '--daraja-id <which>',
        'with --providers: the id by which Daraja is asked about a payment',
      ).choices(DARAJA_IDS),
    )
    .option(
      '--daraja-loses <percent>',
      'with --providers: how many of a hundred Results Daraja never sends',
      wholeNumber,
    )
    .parse(args, { from: 'user' })
    .opts<OperatorOptions>();
}

function wholeNumber(text: string): number {
  if (!/^\d{1,7}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(text);
}
