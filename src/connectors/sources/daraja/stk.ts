import type { Ending } from '../../../platform/outbound/exchange.ts';
import { objectOf, readJson, textOf } from '../../values.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import type { PromptRequest, PromptSent, PromptState } from '../../source.ts';
import { stampOf } from './payment.ts';
import type { OurNumbers } from './settings.ts';

interface Prompting extends OurNumbers {
  readonly passkey: string;
}

/** Why a prompt would credit somebody else. Null: it may be sent. A payment to a till has no account number. */
export function whyNoPrompt({ till }: OurNumbers, { account }: PromptRequest): string | null {
  if (till === null || account === till) return null;
  return `A payment to the till is for whoever has the account number ${till}, not ${account}`;
}

export function pushBody(
  by: Prompting,
  request: PromptRequest,
  when: { now: Date; callbackUrl: string },
) {
  return {
    ...signed(by, when.now),
    TransactionType: by.till === null ? 'CustomerPayBillOnline' : 'CustomerBuyGoodsOnline',
    Amount: String(request.amountCents / 100n),
    PartyA: request.phone,
    PartyB: by.till ?? by.shortCode,
    PhoneNumber: request.phone,
    CallBackURL: when.callbackUrl,
    AccountReference: request.account,
    TransactionDesc: 'Float top-up',
  };
}

export function pushQueryBody(by: Prompting, checkoutId: string, now: Date) {
  return { ...signed(by, now), CheckoutRequestID: checkoutId };
}

function signed({ shortCode, passkey }: Prompting, now: Date) {
  const stamp = stampOf(now);
  const password = Buffer.from(`${shortCode}${passkey}${stamp}`).toString('base64');
  return { BusinessShortCode: shortCode, Password: password, Timestamp: stamp };
}

/** Reads Daraja's answer to our request for a prompt. */
export function readPushSent(ending: Ending): PromptSent {
  if (ending.kind === 'nothing_written') return { kind: 'refused', reason: ending.reason };
  if (ending.kind === 'no_answer') return { kind: 'unknown', reason: ending.reason };
  const content = objectOf(readJson(ending.body));
  const code = textOf(content?.['ResponseCode']);
  const checkoutId = textOf(content?.['CheckoutRequestID']);
  if (code === '0' && checkoutId !== undefined && /^[\w.-]{1,100}$/.test(checkoutId)) {
    return { kind: 'sent', checkoutId };
  }
  const reason = saidBy(ending, content);
  const isRefused =
    (code !== undefined && code !== '0') ||
    (ending.httpStatus >= 400 && ending.httpStatus < 500 && content?.['errorCode'] !== undefined);
  return { kind: isRefused ? 'refused' : 'unknown', reason };
}

/**
 * Results after which nothing is paid any more: the customer has too little money or is at a limit,
 * did not answer, cancelled, or gave a wrong PIN; the prompt could not be sent, or M-PESA was busy (17, 26) or the phone
 * busy with another one (1001). Anything else, such
 * as a result of the query itself or one that is not documented, says nothing about the payment.
 */
const NOT_PAID: ReadonlySet<string> = new Set([
  '1',
  '2',
  '3',
  '4',
  '8',
  '17',
  '26',
  '1001',
  '1019',
  '1025',
  '1032',
  '1037',
  '2001',
  '8006',
  '9999',
  'SFC_IC0003',
]);

/** Reads the state of a prompt. Only a result of the prompt itself ends it. */
export function readPushState(ending: Ending): PromptState {
  if (ending.kind !== 'answer') return { kind: 'open', reason: ending.reason };
  const content = objectOf(readJson(ending.body));
  const result = textOf(content?.['ResultCode']);
  const reason = saidBy(ending, content);
  if (ending.httpStatus !== 200 || result === undefined) return { kind: 'open', reason };
  if (result === '0') return { kind: 'paid' };
  const said = `${result}: ${reason}`;
  return { kind: NOT_PAID.has(result) ? 'failed' : 'open', reason: said };
}

function saidBy(
  ending: Extract<Ending, { kind: 'answer' }>,
  content: Readonly<Record<string, unknown>> | undefined,
): string {
  const said =
    content?.['errorMessage'] ?? content?.['ResultDesc'] ?? content?.['ResponseDescription'];
  return cleanMessage(textOf(said) ?? `HTTP ${ending.httpStatus} without an answer`).slice(0, 200);
}
