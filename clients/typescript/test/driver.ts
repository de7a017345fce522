import { Buffer } from 'node:buffer';
import { createInterface } from 'node:readline';
import * as client from '../src/index.ts';
import { judge } from '../src/decide.ts';
import type { Attempt, Effect } from '../src/decide.ts';

// The test program of this client: test/clients/README.md describes its lines.

interface Judged {
  readonly attempt: Attempt;
  readonly effect: Effect;
  readonly form?: 'resource';
}

type Arguments = Readonly<Record<string, unknown>>;

const FUNCTIONS: Readonly<Record<string, (given: never) => unknown>> = {
  signedText: ({ parameters }: { parameters: Record<string, string> }) =>
    client.signedText(parameters),
  hash: ({ parameters, key }: { parameters: Record<string, string>; key: string }) =>
    client.hashOf(parameters, key),
  headerSignature: ({
    key,
    body,
    ...request
  }: Omit<Parameters<typeof client.headerSignature>[0], 'body'> & { key: string; body: string }) =>
    client.headerSignature({ ...request, body: new TextEncoder().encode(body) }, key),
  centsOf: ({ amount }: { amount: string | number }) => client.centsOf(amount),
  decimalOf: ({ cents }: { cents: number }) => client.decimalOf(cents),
  timeOf: ({ text }: { text: string }) => client.timeOf(text),
  judge: ({ attempt, effect, form }: Judged) => judge(attempt, effect, form).kind,
  isRetried: ({ attempt, effect, form }: Judged) => {
    const verdict = judge(attempt, effect, form);
    return verdict.kind !== 'success' && verdict.retry;
  },
  verifyWebhook: ({
    secrets,
    body,
    headers,
    now,
  }: {
    secrets: string[];
    body: string;
    headers: Record<string, string>;
    now: string;
  }) => new client.WebhookVerifier(secrets, { now: () => new Date(now) }).verify(body, headers),
  signTestEvent: ({
    secret,
    timestamp,
    ...event
  }: {
    secret: string;
    type: string;
    data: Record<string, unknown>;
    id: string;
    timestamp: string;
  }) => client.signTestEvent(secret, { ...event, timestamp: new Date(timestamp) }),
};

let malipo: client.Malipo | undefined;
let collector: client.Collector | undefined;

/** Operations whose only argument is not an object. */
const SINGLE = new Set([
  'billerStatus',
  'billerProducts',
  'lookup',
  'bulkStatus',
  'bulkResult',
  'batchScoreStatus',
  'batchScoreResult',
  'unwatch',
  'getPayment',
  'getBalance',
  'getEvent',
  'getInvoice',
  'exportInvoicePdf',
  'exportInvoiceCsv',
  'replayEvent',
  'retireWebhookSecret',
  'retireKey',
  'describeBiller',
]);

async function perform(name: string, given: Arguments): Promise<unknown> {
  if (name === 'open') {
    malipo = new client.Malipo(given as unknown as client.MalipoOptions);
    return null;
  }
  if (name === 'openCollector') {
    collector = new client.Collector(
      given as unknown as ConstructorParameters<typeof client.Collector>[0],
    );
    return null;
  }
  if (name === 'collect') {
    const income = given as unknown as Parameters<client.Collector['collect']>[0];
    return await collector?.collect({ ...income, paidAt: new Date(String(given['paidAt'])) });
  }
  const pure = FUNCTIONS[name];
  if (pure !== undefined) return await pure(given as never);
  const methods = malipo as unknown as Record<string, (...all: unknown[]) => Promise<unknown>>;
  const method = methods[name];
  if (method === undefined) throw new Error(`no operation ${name}`);
  if (SINGLE.has(name)) {
    return await read(await method.call(malipo, Object.values(given)[0]), undefined);
  }
  const { waitForMs, page, ...plain } = given;
  const rest = Object.fromEntries(
    Object.entries(plain).map(([each, value]) => [each, argumentOf(each, value)]),
  );
  if (waitForMs === undefined) return await read(await method.call(malipo, rest), page);
  return await method.call(malipo, rest, { waitForMs });
}

/** All of a list, or one page of it, or all of a file. */
async function read(found: unknown, page: unknown): Promise<unknown> {
  if (found instanceof client.Pages && page !== undefined) {
    const { cursor, limit } = page as { cursor?: string; limit?: number };
    return await found.page(cursor, { limit });
  }
  const isIterable = typeof found === 'object' && found !== null && Symbol.asyncIterator in found;
  if (!isIterable) return found;
  const all = await Array.fromAsync(found as AsyncIterable<unknown>);
  return found instanceof client.Pages ? all : Buffer.concat(all as Uint8Array[]).toString('utf8');
}

function argumentOf(name: string, value: unknown): unknown {
  if (isFile(value)) return fileOf(value);
  const isTime = (name === 'from' || name === 'to') && String(value).includes('T');
  return isTime ? new Date(String(value)) : value;
}

/** A file in the place of rows. */
interface File {
  readonly text: string;
  readonly contentType: string;
}

function isFile(value: unknown): value is File {
  return typeof value === 'object' && value !== null && 'contentType' in value;
}

function fileOf({ text, contentType }: File) {
  return { bytes: new TextEncoder().encode(text), contentType };
}

function described(error: unknown): unknown {
  if (!(error instanceof client.MalipoError)) {
    const { name, message } = error as Error;
    return { type: name, text: message };
  }
  const { name: type, code, text, status, requestId, field, reference, attempts } = error;
  const payment = error instanceof client.OutcomeUnknown ? error.payment : null;
  const cause = error.cause === undefined ? null : described(error.cause);
  return { type, code, text, status, requestId, field, reference, attempts, payment, cause };
}

for await (const line of createInterface({ input: process.stdin })) {
  const {
    id,
    call,
    with: given,
  } = JSON.parse(line) as { id: number; call: string; with: Arguments };
  perform(call, given).then(
    (value) => process.stdout.write(`${JSON.stringify({ id, value: value ?? null })}\n`),
    (error: unknown) =>
      process.stdout.write(`${JSON.stringify({ id, error: described(error) })}\n`),
  );
}
