import { createMac } from '../../../platform/base/mac.ts';
import type { CallbackReading, CallbackReport, Callbacks } from '../../operator-callbacks.ts';
import { ASK, contradictory, NOTHING, refused, reported, unreadable } from '../../outcomes.ts';
import { cleanReference } from '../../../platform/base/clean-text.ts';
import { objectOf, readContradictory, readJson } from '../../values.ts';
import type { AmountsIn } from './requests.ts';
import { isAbout, paidBy, readTransaction } from './transaction.ts';
import type { Transaction } from './transaction.ts';

/** A webhook secret, and until when callbacks under it are accepted. */
export interface WebhookSecret {
  readonly secret: string;
  readonly validUntilMs: number;
}

export interface CallbackOptions {
  readonly secrets: readonly WebhookSecret[];
  /** Tolerated difference between a callback's timestamp and our clock. */
  readonly toleranceMs: number;
  readonly bodyBytes: number;
  readonly amountsIn: AmountsIn;
}

type Key = Pick<WebhookSecret, 'validUntilMs'> & { readonly mac: ReturnType<typeof createMac> };

/** Signed callbacks: HMAC-SHA256 over the body as received, a colon and the timestamp. */
export function createCallbacks(options: CallbackOptions): Callbacks {
  const keys = options.secrets.map(({ secret, validUntilMs }) => ({
    validUntilMs,
    mac: createMac(Buffer.from(secret)),
  }));
  return {
    acceptedBody: { received: true },
    keepsHandles: false,
    read: async ({ headers, body }, find) => {
      if (body.length > options.bodyBytes) return refused('the body is too large');
      const timestamp = headers['x-reloadly-request-timestamp'] ?? '';
      if (!isSigned(body, timestamp, headers['x-reloadly-signature'] ?? '', keys)) {
        return refused('the signature is not valid');
      }
      const atMs = instantOf(timestamp);
      if (atMs === undefined || Math.abs(Date.now() - atMs) > options.toleranceMs) {
        return refused('the timestamp is too old');
      }
      const event = objectOf(readJson(body));
      if (event === undefined)
        return contradictoryEvent(body) ?? unreadable('it is not JSON', null);
      if (event['type'] !== 'airtime_transaction.status') return NOTHING;
      const transaction = readTransaction(event['data']);
      if (transaction === undefined) return withoutTransaction(event['data']);
      const sent = await find.byReference(transaction.reference);
      const fits = sent === undefined || isAbout(transaction, sent);
      return report(transaction, options.amountsIn, fits);
    },
  };
}

/** An event whose body has a name twice, if it names a payment. */
function contradictoryEvent(body: Buffer): CallbackReading | undefined {
  const transaction = readTransaction(objectOf(readContradictory(body))?.['data']);
  return transaction && contradictory(cleanReference(transaction.reference));
}

/** A top-up that was not made by us, such as one of people in Reloadly's portal, has no reference of ours. */
function withoutTransaction(data: unknown): CallbackReading {
  const { customIdentifier: reference = null } = objectOf(data) ?? { customIdentifier: '' };
  return reference === null ? NOTHING : unreadable('its data is no transaction', null);
}

function report(transaction: Transaction, amountsIn: AmountsIn, fits: boolean): CallbackReading {
  const said = outcomeOf(transaction, amountsIn);
  const says = said.kind === 'hint' ? null : said;
  const outcome: CallbackReport['outcome'] = fits
    ? said
    : { kind: 'mismatch', reason: 'it is about another recipient', says };
  return reported(cleanReference(transaction.reference), outcome);
}

/** FAILED is not final at once, and a callback may lack the amount. Then the report is queried. */
function outcomeOf(transaction: Transaction, amountsIn: AmountsIn) {
  if (transaction.status === 'REFUNDED') {
    return { kind: 'reversed', message: 'Refunded by Reloadly' } as const;
  }
  if (transaction.status !== 'SUCCESSFUL') return ASK;
  return paidBy(transaction, amountsIn) ?? ASK;
}

function isSigned(
  body: Buffer,
  timestamp: string,
  signature: string,
  keys: readonly Key[],
): boolean {
  if (!/^[0-9a-f]{64}$/i.test(signature)) return false;
  const given = Buffer.from(signature, 'hex');
  const signed = Buffer.concat([body, Buffer.from(`:${timestamp}`)]);
  return keys.some(
    ({ mac, validUntilMs }) => validUntilMs > Date.now() && mac.verify(signed, given),
  );
}

/** Seconds, milliseconds or a date with zone: the documentation does not say which one Reloadly sends. */
function instantOf(timestamp: string): number | undefined {
  if (/^\d{10}$/.test(timestamp)) return Number(timestamp) * 1000;
  if (/^\d{13}$/.test(timestamp)) return Number(timestamp);
  const isDate = /^\d{4}-\d{2}-\d{2}T[\d:.]{8,18}(?:Z|[+-]\d{2}:?\d{2})$/.test(timestamp);
  const atMs = isDate ? Date.parse(timestamp) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : atMs;
}
