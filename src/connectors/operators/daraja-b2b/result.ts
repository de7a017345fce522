import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { objectOf, readJson, textOf } from '../../values.ts';
import { MONEY_PATTERN, parseMoney } from '../../../platform/base/money.ts';

/** The documented `Result`, with values of any type. */
export interface Result {
  /** More is to come. */
  readonly isPartial: boolean;
  readonly code: string;
  readonly description: string;
  readonly conversationId: string;
  readonly originatorId: string;
  readonly transactionId: string;
  readonly parameter: (key: string) => string | undefined;
}

/** True for what may be the number of an M-PESA receipt, such as `UA51XX0001`. */
export function isReceiptNumber(text: string): boolean {
  return /^[A-Z0-9]{6,20}$/i.test(text);
}

/** Undefined for anything else. */
export function readResult(body: Buffer): Result | undefined {
  const result = objectOf(objectOf(readJson(body))?.['Result']);
  const code = textOf(result?.['ResultCode']);
  if (result === undefined || code === undefined) return undefined;
  // Some malformed samples nest them, so both are read as one list.
  const values = parametersOf(objectOf(result['ResultParameters'])?.['ResultParameter']);
  return {
    isPartial: textOf(result['ResultType']) === '1',
    code,
    description: cleanMessage(textOf(result['ResultDesc']) ?? ''),
    conversationId: textOf(result['ConversationID']) ?? '',
    originatorId: textOf(result['OriginatorConversationID']) ?? '',
    transactionId: textOf(result['TransactionID']) ?? '',
    parameter: (key) => values.get(key),
  };
}

/** An array, or one object when there is a single one. An item may lack its value, and repeat. */
function parametersOf(given: unknown): Map<string, string> {
  const values = new Map<string, string>();
  for (const item of Array.isArray(given) ? given.slice(0, 100) : [given]) {
    const entry = objectOf(item);
    const key = textOf(entry?.['Key']);
    const value = textOf(entry?.['Value']);
    if (key !== undefined && value !== undefined && !values.has(key)) values.set(key, value);
  }
  return values;
}

/** Cents of an amount such as `190` or `190.00`; undefined for anything that is not an amount above zero. */
export function amountOf(text: string | undefined): bigint | undefined {
  if (text === undefined || !MONEY_PATTERN.test(text)) return undefined;
  const cents = parseMoney(text);
  return cents > 0n ? cents : undefined;
}

/** Available cents of one of the accounts `name|currency|current|available|reserved|uncleared&…`. */
export function availableBalance(text: string, account: string): bigint | undefined {
  for (const entry of text.split('&')) {
    const [name, currency, , available = ''] = entry.split('|');
    if (name === account && currency === 'KES' && MONEY_PATTERN.test(available)) {
      return parseMoney(available);
    }
  }
  return undefined;
}
