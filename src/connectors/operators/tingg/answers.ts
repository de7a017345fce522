import type { Ending } from '../../../platform/outbound/exchange.ts';
import { cleanMessage } from '../../../platform/base/clean-text.ts';
import { listOf, objectOf, readJson, textOf } from '../../values.ts';

/** The one result of an answer; its outer code only says whether our credentials were accepted. */
export interface Result {
  readonly code: string;
  readonly message: string;
  readonly values: Readonly<Record<string, unknown>>;
}

export type Answer =
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'credentials_refused'; readonly message: string }
  | { readonly kind: 'none'; readonly reason: string };

/** Tingg always answers with HTTP 200; any other status is not from Tingg. */
export function readAnswer(ending: Ending): Answer {
  if (ending.kind !== 'answer') return { kind: 'none', reason: ending.reason };
  const reason = `HTTP ${ending.httpStatus} without an answer`;
  if (ending.httpStatus !== 200) return { kind: 'none', reason };
  const body = objectOf(readJson(ending.body));
  const auth = objectOf(body?.['authStatus']);
  const authCode = textOf(auth?.['authStatusCode']);
  const results = listOf(body?.['results']);
  if (authCode === '132' && results.length === 0) {
    const message = cleanMessage(textOf(auth?.['authStatusDescription']) ?? '');
    return { kind: 'credentials_refused', message };
  }
  const values = objectOf(results[0]);
  const code = textOf(values?.['statusCode']);
  if (authCode !== '131' || results.length !== 1 || values === undefined || code === undefined) {
    return { kind: 'none', reason };
  }
  const message = cleanMessage(textOf(values['statusDescription']) ?? '');
  return { kind: 'result', result: { code, message, values } };
}
