import { createSecretKey } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { headerSignatureText } from '../../src/parties/header-signature.ts';
import { sign } from '../../src/parties/signature.ts';
import { createWireTime } from '../../src/platform/base/clock.ts';
import { ERRORS, Refusal } from '../../src/platform/base/errors.ts';
import type { ErrorCode } from '../../src/platform/base/errors.ts';
import { formatMoney, moneyNumber, parseMoney } from '../../src/platform/base/money.ts';
import { refusalBody } from '../../src/platform/http/errors.ts';
import { RESOURCE_REFUSALS_FORM } from '../../src/platform/http/resource-refusals.ts';

// What the clients must compute as the service does. Everything here is computed by the service's own
// code; only the inputs, and what each error means to a caller, are written down.

const KEY = 'demo-security-key';

/** Header signatures, version 2. */
export function headerSignatures() {
  const requests: readonly {
    readonly name: string;
    readonly method?: string;
    readonly target: string;
    readonly body: string;
  }[] = [
    {
      name: 'form',
      target: '/transaction/create',
      body: 'account=37200009901&amount=100.00&vid=demo',
    },
    { name: 'no body', target: '/billing/account/balance', body: '' },
    {
      name: 'query',
      target: '/transaction/bulk?batch_reference=a%20b&vid=demo',
      body: '{"a":1}\n',
    },
    { name: 'text', target: '/pay/generic-score', body: 'physicalTown=Nyeri é 😀 & Sons' },
    { name: 'below /v1', method: 'GET', target: '/v1/payments?limit=2&vid=demo', body: '' },
    { name: 'JSON', method: 'PUT', target: '/v1/webhook?vid=demo', body: '{"url":"https://a/"}' },
  ];
  return requests.map(({ name, method = 'POST', target, body }, index) => {
    const signedAtSeconds = 1_795_241_699 + index;
    const nonce = `nonce-of-the-${index}th_Vector`;
    const request = { method, target, body: Buffer.from(body) };
    const text = headerSignatureText(request, { signedAtSeconds, nonce });
    const sig = sign(text, createSecretKey(Buffer.from(KEY)));
    const header = `v2,t=${signedAtSeconds},nonce=${nonce},sig=${sig}`;
    return {
      name,
      key: KEY,
      method,
      target,
      body,
      seconds: signedAtSeconds,
      nonce,
      header,
    };
  });
}

/** Amounts as decimal text, as numbers of a response, and in cents. */
export function amounts() {
  const texts = ['0', '0.01', '0.1', '0.29', '1.10', '8.2', '19.99', '100', '100.5', '353.60'];
  texts.push('1005.05', '4503599627370.49', '70368744177.66', '999999999999.99');
  const plain = texts.filter((text) => /^\d{1,12}(\.\d{1,2})?$/.test(text));
  return {
    amounts: plain.map((text) => {
      const cents = parseMoney(text);
      return {
        text,
        cents: Number(cents),
        decimal: formatMoney(cents),
        number: moneyNumber(cents),
      };
    }),
    refused: [
      '',
      '.5',
      '1.',
      '1.005',
      '1e3',
      '1,000',
      ' 1',
      '1 ',
      '١',
      '1234567890123',
      '0x10',
    ].filter((text) => !isAmount(text)),
  };
}

function isAmount(text: string): boolean {
  try {
    parseMoney(text);
    return true;
  } catch {
    return false;
  }
}

/** Times on the wire and the instants that they name. */
export function times() {
  const wireTime = createWireTime('Africa/Nairobi');
  const texts = ['1970-01-01 03:00:00', '2026-01-01 00:00:00', '2026-11-21 09:15:00'];
  texts.push('2028-02-29 23:59:59', '2026-12-31 23:59:59');
  const wrong = ['', '2026-02-30 00:00:00', '2026-13-01 00:00:00', '2026-11-21T09:15:00', 'now'];
  return {
    times: texts.map((text) => ({ text, instant: wireTime.parse(text)?.toISOString() })),
    refused: wrong.filter((text) => wireTime.parse(text) === undefined),
  };
}

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const OTHER_SECRET = 'whsec_c2VjcmV0LW9mLWEtZGlmZmVyZW50LXNob3A=';

const EVENT_DATA = {
  vid: 'acme',
  status: 1,
  ipay_reference: '00000000G06B8M1Z2Y3X4W5V6T7S8R9Q',
  posted_time: '2026-01-05 12:00:02',
  merchant_reference: 'order-1',
  biller_response_time: '2026-01-05 12:00:03',
  biller_reference: 'KP-88412',
  transaction_status: 'SUCCESS',
  transaction_message: 'Paid: “asante” é',
  failure_code: null,
  account: '14234569901',
  amount: 100.5,
  biller_name: 'kplc_prepaid',
  details: { token: '12345678901234567890', units: '4.2' },
};

/** Events as the service signs them, and what is not one. */
export function webhooks() {
  const id = 'evt_019b8d5c-0000-7000-8000-000000000001';
  const at = new Date('2026-01-05T09:00:03.000Z');
  const seconds = String(at.getTime() / 1000);
  const type = 'transaction.succeeded';
  const timestamp = '2026-01-05T09:00:03.512Z';
  const body = JSON.stringify({ type, timestamp, data: EVENT_DATA });
  const signature = new Webhook(SECRET).sign(id, at, body);
  const other = new Webhook(OTHER_SECRET).sign(id, at, body);
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': signature,
  };
  const good = { secrets: [SECRET], now: at.toISOString(), body, headers, valid: true };
  const low = JSON.stringify({ type: 'float.low', timestamp, data: { vid: 'acme', low: '5.00' } });
  const noEvent = 'not json';
  const signed = (text: string) => ({
    ...headers,
    'webhook-signature': new Webhook(SECRET).sign(id, at, text),
  });
  const bad = { ...good, valid: false };
  return {
    event: { id, type, timestamp, data: EVENT_DATA },
    cases: [
      { name: 'valid', ...good },
      {
        name: 'names of headers in any case',
        ...good,
        headers: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]),
        ),
      },
      {
        name: 'signed with both secrets during a rotation',
        ...good,
        headers: { ...headers, 'webhook-signature': `${other} ${signature}` },
      },
      { name: 'the receiver knows both secrets', ...good, secrets: [OTHER_SECRET, SECRET] },
      { name: 'at the edge of the tolerance', ...good, now: '2026-01-05T09:05:03.000Z' },
      { name: 'not about a payment', ...good, body: low, headers: signed(low) },
      { name: 'another secret', ...bad, secrets: [OTHER_SECRET] },
      { name: 'altered body', ...bad, body: body.replace('100.5', '900.5') },
      { name: 'another id', ...bad, headers: { ...headers, 'webhook-id': 'evt_2' } },
      { name: 'too old', ...bad, now: '2026-01-05T09:05:04.000Z' },
      { name: 'from the future', ...bad, now: '2026-01-05T08:55:02.000Z' },
      {
        name: 'a time with a sign',
        ...bad,
        headers: { ...headers, 'webhook-timestamp': `+${seconds}` },
      },
      { name: 'no headers', ...bad, headers: {} },
      {
        name: 'no version',
        ...bad,
        headers: { ...headers, 'webhook-signature': signature.replace('v1,', '') },
      },
      {
        name: 'another version',
        ...bad,
        headers: { ...headers, 'webhook-signature': signature.replace('v1,', 'v1a,') },
      },
      { name: 'an empty signature', ...bad, headers: { ...headers, 'webhook-signature': 'v1,' } },
      { name: 'not base64', ...bad, headers: { ...headers, 'webhook-signature': 'v1,é!' } },
      { name: 'signed, but no event', ...bad, body: noEvent, headers: signed(noEvent) },
    ],
  };
}

/** What a caller makes of a failed attempt. */
type Kind = 'refused' | 'unavailable' | 'unknown';

/** Codes from which 500 on that say that nothing was accepted. Every other 5xx is `unknown`. */
const NOTHING_ACCEPTED: ReadonlySet<ErrorCode> = new Set([
  'overloaded',
  'unavailable',
  'biller_offline',
  'operator_unavailable',
  'scoring_unavailable',
  'bureau_unavailable',
]);
/** Refusals that are none: the first is for now only, the second answers a copy of a request. */
const KINDS: Partial<Record<ErrorCode, Kind>> = {
  too_many_requests: 'unavailable',
  signature_replayed: 'unknown',
};
/** Waiting some seconds does not help. */
const NOT_RETRIED: ReadonlySet<ErrorCode> = new Set([
  'biller_offline',
  'scoring_unavailable',
  'quarantine',
]);

/** Every refusal of the service, and answers that are not the service's. */
export function attempts() {
  return [...ofOperations().map((one) => ({ ...one, form: undefined })), ...ofResources()];
}

/** Below `/v1` the status says whether it is a success, and a refusal has another form. */
function ofResources() {
  const refused = { kind: 'refused', retry: false } as const;
  const unknown = { kind: 'unknown', retry: true } as const;
  const text = JSON.stringify({ items: [], next_cursor: null });
  const refusal = (code: ErrorCode) => ({
    status: ERRORS[code].status,
    text: JSON.stringify(RESOURCE_REFUSALS_FORM.body?.of(new Refusal(code), 'request-1')),
  });
  const later = { error: { code: 'heard_of_later', text: 'Later', request_id: 'request-1' } };
  const found = [
    attempt('a list', { status: 200, text }, 'success'),
    attempt('not found', refusal('not_found'), refused),
    attempt('too many requests', refusal('too_many_requests'), {
      kind: 'unavailable',
      retry: true,
    }),
    attempt('quarantine', refusal('quarantine'), { kind: 'unknown', retry: false }),
    attempt('a later 4xx', { status: 422, text: JSON.stringify(later) }, refused),
    attempt('a later 5xx', { status: 503, text: JSON.stringify(later) }, unknown),
    attempt('an error with 200', { status: 200, text: JSON.stringify(later) }, unknown),
    attempt('a page with 200', { status: 200, text: '<html>Log in</html>' }, unknown),
    attempt('half a list', { status: 200, text: text.slice(0, -4) }, unknown),
    attempt('a proxy’s 502', { status: 502, text: '<html>' }, unknown),
  ];
  return found.map((one) => ({ ...one, name: `below /v1: ${one.name}`, form: 'resource' }));
}

/** Attempts of the specification's operations. */
function ofOperations() {
  const codes = Object.entries(ERRORS).flatMap(([code, entry]) =>
    'consoleOnly' in entry ? [] : [code as ErrorCode],
  );
  const refusals = codes.map((code) => {
    const refusal = new Refusal(code, { field: 'account' });
    const body = refusalBody(refusal, { requestId: '019b76da-c740-7a5e-8b6d-2c90f1d3e457' });
    const { status } = ERRORS[code];
    const listed = NOTHING_ACCEPTED.has(code) ? 'unavailable' : undefined;
    const kind = KINDS[code] ?? listed ?? (status < 500 ? 'refused' : 'unknown');
    const retry = kind !== 'refused' && !NOT_RETRIED.has(code);
    return attempt(code, { status, text: JSON.stringify(body) }, { kind, retry });
  });
  const ok = JSON.stringify({ header_status: 200, balance: 1 });
  const unheard = { code: 'heard_of_later', text: 'Later' };
  const bodyOf = (status: number) =>
    JSON.stringify({ header_status: status, error: [unheard], msg: { status: 0, text: 'Later' } });
  const unknown = { kind: 'unknown', retry: true } as const;
  const refused = { kind: 'refused', retry: false } as const;
  const others = [
    attempt('a later 4xx', { status: 422, text: bodyOf(422) }, refused),
    attempt('a later 5xx', { status: 503, text: bodyOf(503) }, unknown),
    attempt('another status on the way', { status: 200, text: bodyOf(422) }, refused),
    attempt('a page with 200', { status: 200, text: '<html>Log in</html>' }, unknown),
    attempt('an empty body with 200', { status: 200, text: '' }, unknown),
    attempt('half a body', { status: 200, text: ok.slice(0, -4) }, unknown),
    attempt('a list', { status: 200, text: '[]' }, unknown),
    attempt('a redirect', { status: 302, text: '' }, refused),
    attempt('a proxy’s 404', { status: 404, text: '<html>' }, refused),
    attempt('a proxy’s 408', { status: 408, text: '<html>' }, unknown),
    attempt('a proxy’s 429', { status: 429, text: '' }, { kind: 'unavailable', retry: true }),
    attempt('a proxy’s 502', { status: 502, text: '<html>' }, unknown),
    attempt('a proxy’s 503', { status: 503, text: 'no server is available' }, unknown),
    attempt('a proxy’s 504', { status: 504, text: '' }, unknown),
  ];
  const silent = (kind: 'notSent' | 'noAnswer') => ({ kind, reason: 'No response' });
  return [
    {
      name: 'success',
      attempt: answer({ status: 200, text: ok }),
      write: 'success',
      read: 'success',
      retry: false,
    },
    ...refusals,
    ...others,
    {
      name: 'no connection',
      attempt: silent('notSent'),
      ...meaning({ kind: 'unavailable', retry: true }),
    },
    {
      name: 'no answer',
      attempt: silent('noAnswer'),
      ...meaning({ kind: 'unknown', retry: true }),
    },
  ];
}

interface Meaning {
  readonly kind: Kind;
  readonly retry: boolean;
}

function answer({ status, text }: { readonly status: number; readonly text: string }) {
  return { kind: 'answer', status, text, retryAfter: null };
}

function attempt(
  name: string,
  given: { readonly status: number; readonly text: string },
  means: Meaning | 'success',
) {
  if (means === 'success') {
    return { name, attempt: answer(given), write: means, read: means, retry: false };
  }
  return { name, attempt: answer(given), ...meaning(means, name === 'quarantine') };
}

/** A read accepts nothing; a restored service, however, may have accepted the payment before. */
function meaning({ kind, retry }: Meaning, restored = false) {
  const read = kind === 'unknown' && !restored ? 'unavailable' : kind;
  return { write: kind, read, retry };
}
