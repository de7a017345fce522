import { InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { readConfig } from '../../config.ts';
import { EVENT_TYPES } from '../../payments/events/event-types.ts';
import { createWireTime } from '../../platform/base/clock.ts';
import { hmac } from '../../platform/base/mac.ts';
import { periodStart } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { shownLines } from '../output.ts';
import { address, apiCommand, openApi } from './api.ts';
import type { ApiOptions, VendorApi } from './api.ts';
import { followEvents, requireRecording } from './follow.ts';
import { forward } from './forward.ts';
import type { Forwarded } from './forward.ts';

interface ListenOptions extends ApiOptions {
  readonly forwardTo: URL;
  readonly events?: ReadonlySet<string>;
  readonly since?: string;
  readonly secret?: string;
}

export function addListenCommand(program: Command, cli: Cli): void {
  apiCommand(
    program,
    'listen',
    'Forward the vendor’s events to a local server as they happen, signed as webhooks are. Ctrl-C ends it. With --json, one JSON object on each line.',
  )
    .requiredOption('--forward-to <url>', 'such as http://127.0.0.1:4242/webhooks', address)
    .option('--events <types>', 'only these types, separated by commas', eventTypes)
    .option('--since <time>', 'begin with the events of this day or time (default: now)')
    .option(
      '--secret <secret>',
      'sign with this secret (whsec_…) instead of the one printed',
      webhookSecret,
    )
    .action(async (options: ListenOptions) => {
      await cli.runAlone(options, async () => {
        await listen(cli, options);
        return undefined;
      });
    });
}

async function listen(cli: Cli, options: ListenOptions): Promise<void> {
  const { stdout, stderr, environment } = cli.surroundings;
  const api = openApi(cli, options);
  const secret = options.secret ?? secretOf(api);
  const wireTime = createWireTime(readConfig('sandbox', environment).timeZone);
  const since =
    options.since === undefined
      ? undefined
      : periodStart(options.since, '--since', wireTime).toISOString();
  await requireRecording(api);
  const ending = new AbortController();
  const { signal } = ending;
  const end = (): void => ending.abort();
  process.on('SIGINT', end).on('SIGTERM', end);
  const url = options.forwardTo.href;
  const note = (text: string): void => void stderr.write(`${shownLines(text)}\n`);
  try {
    const events = await followEvents(api, { since, signal, onTrouble: note });
    note(`Events of ${options.vid} go to ${url}, signed with ${secret}`);
    for await (const event of events) {
      const isWanted = options.events?.has(event.type) ?? event.delivery.state !== 'off';
      if (!isWanted) continue;
      for await (const forwarded of forward(event, { url, secret, signal })) {
        stdout.write(options.json === true ? jsonLine(forwarded) : textLine(forwarded));
      }
    }
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}

/** Always the same for a vendor and its key, so that a program can be set up once. */
function secretOf({ key }: Pick<VendorApi, 'key'>): string {
  return `whsec_${hmac(key, 'malipo listen', 'base64')}`;
}

function jsonLine({ event, result, durationMs, retryInMs }: Forwarded): string {
  const { webhook_id, type, reference } = event;
  const line = { webhook_id, type, reference, result: result.text, duration_ms: durationMs };
  return `${JSON.stringify({ ...line, retry_in_ms: retryInMs ?? null })}\n`;
}

function textLine({ event, result, durationMs, retryInMs }: Forwarded): string {
  const time = new Date().toLocaleTimeString('en-GB');
  const again = retryInMs === undefined ? '' : `; again in ${retryInMs / 1_000} s`;
  const about = [event.type, event.reference, event.webhook_id].filter((text) => text !== null);
  return shownLines(`${time}  ${about.join('  ')}  ${result.text}  ${durationMs} ms${again}\n`);
}

function eventTypes(text: string): ReadonlySet<string> {
  const types = text.split(',').map((name) => name.trim());
  const unknown = types.find((name) => !EVENT_TYPES.some((type) => type === name));
  if (unknown === undefined) return new Set(types);
  throw new InvalidArgumentError(
    `There is no type ${unknown}. There are ${EVENT_TYPES.join(', ')}.`,
  );
}

function webhookSecret(text: string): string {
  if (/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(text)) return text;
  throw new InvalidArgumentError('It must be whsec_ and the base64 of 24 to 64 bytes.');
}
