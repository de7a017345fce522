import type { Ending } from '../../../platform/outbound/exchange.ts';
import { LIMITS } from '../../../platform/base/limits.ts';
import { connectionOf, readBaseUrl } from '../../connection.ts';
import { openApi } from '../../http-api.ts';
import { requireCallbackUrl } from '../../operators/daraja-b2b/callback-url.ts';
import { createDarajaCaller } from '../../operators/daraja-b2b/caller.ts';
import type { DarajaCaller } from '../../operators/daraja-b2b/caller.ts';
import { objectOf, readJson, textOf } from '../../values.ts';
import { createSecretPaths } from '../../secret-path.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { darajaTimeOf, readPulled } from './payment.ts';
import { MPESA } from '../../source.ts';
import type { ConfiguredSource, PullPeriod, ReceiptSource, Registered } from '../../source.ts';
import { CONFIRMATION, createReader, VALIDATION } from './reader.ts';
import {
  limitOf,
  numbersOf,
  readAddresses,
  readDarajaSecret,
  readDarajaSettings,
} from './settings.ts';
import type { DarajaSettings, OurNumbers } from './settings.ts';
import { pushBody, pushQueryBody, readPushSent, readPushState, whyNoPrompt } from './stk.ts';

/** Kinds of callback URLs, besides those that are read. */
const PULL = 'pull';
const PUSH = 'push';

const MAX_CONNECTIONS = 4;

/**
 * A short code at Safaricom whose receipts are reported to us.
 * Throws an `Error` naming the source and what is invalid.
 */
export function createDarajaSource(options: ConfiguredSource): ReceiptSource {
  const { sourceCode, callbackUrl } = options;
  const settings = readDarajaSettings(sourceCode, options.settings);
  const secret = readDarajaSecret(sourceCode, options.secret);
  requireCallbackUrl(`source ${sourceCode}`, callbackUrl);
  const paths = createSecretPaths(sourceCode, options.pathSecrets);
  const urlOf = (kind: string): string =>
    `${callbackUrl}/${paths.make({ kind, reference: '', attemptNumber: 0 })}`;
  const connection = connectionOf({ maxConcurrency: MAX_CONNECTIONS }, settings);
  const baseUrl = readBaseUrl({
    operatorCode: sourceCode,
    baseUrl: settings.base_url,
    kind: 'source',
  });
  const api = openApi({ ...connection, baseUrl, answerBytes: LIMITS.receiptsAnswerBytes });
  const app = { consumerKey: secret.consumer_key, consumerSecret: secret.consumer_secret };
  const ask = askingOf(createDarajaCaller(api, app), connection.statusTimeoutMs);
  const urls = { confirmation: urlOf(CONFIRMATION), validation: urlOf(VALIDATION) };
  const ours = numbersOf(settings);
  const pulling: Pick<ReceiptSource, 'registerPull' | 'pull'> = {
    registerPull: async (signal) =>
      registered(await ask(PULL_REGISTER_PATH, pullRegistration(settings, urlOf(PULL)), signal), [
        '1000',
        '1001',
      ]),
    pull: async (period, signal) => {
      const ending = await ask(PULL_PATH, pullQuery(ours.shortCode, period), signal);
      const page = ending.kind === 'answer' ? readPulled(ending.body, ours, period.to) : undefined;
      if (page !== undefined) return page;
      throw new Error(`source ${sourceCode}: the pull failed: ${messageOf(ending)}`);
    },
  };
  return {
    issuer: MPESA,
    urls,
    confirmFromCents: limitOf(settings.confirm_from),
    read: createReader({
      ours,
      paths,
      isAllowed: readAddresses(sourceCode, settings.addresses),
      minimumCents: limitOf(settings.minimum),
      maximumCents: limitOf(settings.maximum),
    }),
    register: async (signal) =>
      registered(await ask(registerPath(settings), registration(settings, urls), signal), ['0']),
    ...(settings.pull === 'off' ? { registerPull: null, pull: null } : pulling),
    ...pushing(ask, ours, { passkey: secret.passkey, callbackUrl: urlOf(PUSH) }),
    close: api.close,
  };
}

/** Prompts on phones. Their callbacks are only acknowledged: a receipt reports the payment. */
function pushing(
  ask: Asking,
  ours: OurNumbers,
  { passkey, callbackUrl }: { readonly passkey: string | undefined; readonly callbackUrl: string },
): Pick<ReceiptSource, 'sendPush' | 'queryPush'> {
  if (passkey === undefined) return { sendPush: null, queryPush: null };
  const prompting = { ...ours, passkey };
  return {
    sendPush: async (push, signal) => {
      const hindrance = whyNoPrompt(ours, push);
      if (hindrance !== null) return { kind: 'refused', reason: hindrance };
      const body = pushBody(prompting, push, { now: new Date(), callbackUrl });
      return readPushSent(await ask('/mpesa/stkpush/v1/processrequest', body, signal));
    },
    queryPush: async (checkoutId, signal) => {
      const body = pushQueryBody(prompting, checkoutId, new Date());
      return readPushState(await ask('/mpesa/stkpushquery/v1/query', body, signal));
    },
  };
}

const PULL_REGISTER_PATH = '/pulltransactions/v1/register';
const PULL_PATH = '/pulltransactions/v1/query';

function registerPath({ register_version: version = 'v2' }: DarajaSettings): string {
  return `/mpesa/c2b/${version}/registerurl`;
}

function registration(settings: DarajaSettings, urls: ReceiptSource['urls']): object {
  return {
    ShortCode: settings.short_code,
    ResponseType: settings.unreachable ?? 'Completed',
    ConfirmationURL: urls.confirmation,
    ValidationURL: urls.validation,
  };
}

function pullRegistration(settings: DarajaSettings, callbackUrl: string): object {
  return {
    ShortCode: settings.short_code,
    RequestType: 'Pull',
    NominatedNumber: settings.nominated_number ?? '',
    CallBackURL: callbackUrl,
  };
}

function pullQuery(shortCode: string, { from, to, offset }: PullPeriod): object {
  return {
    ShortCode: shortCode,
    StartDate: darajaTimeOf(from),
    EndDate: darajaTimeOf(to),
    OffSetValue: String(offset),
  };
}

type Asking = (path: string, body: object, signal: AbortSignal) => Promise<Ending>;

function askingOf(call: DarajaCaller, deadlineMs: number): Asking {
  return async (path, body, signal) => await call(path, body, { deadlineMs, signal });
}

function registered(ending: Ending, doneCodes: readonly string[]): Registered {
  const content = ending.kind === 'answer' ? objectOf(readJson(ending.body)) : undefined;
  const code = textOf(sayingOf(content, ['ResponseCode', 'ResponseStatus']));
  const message = messageOf(ending);
  // It was done before, and lasts until it is changed in Safaricom's portal.
  const isKnown = /already registered|duplicate notification/i.test(message);
  return { isDone: isKnown || (code !== undefined && doneCodes.includes(code)), message };
}

function messageOf(ending: Ending): string {
  if (ending.kind !== 'answer') return ending.reason;
  const content = objectOf(readJson(ending.body));
  const said = sayingOf(content, ['errorMessage', 'ResponseDescription', 'ResponseMessage']);
  return cleanMessage(textOf(said) ?? `HTTP ${ending.httpStatus} without an answer`);
}

/** The first of these values. The registration of the pull answers with blanks in its names: `Response Status`. */
function sayingOf(
  content: Readonly<Record<string, unknown>> | undefined,
  names: readonly string[],
): unknown {
  const plain = new Map(
    Object.entries(content ?? {}).map(([name, value]) => [name.replaceAll(' ', ''), value]),
  );
  return names.map((name) => plain.get(name)).find((value) => (value ?? null) !== null);
}
