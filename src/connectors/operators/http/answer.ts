import type { Ending } from '../../../platform/outbound/exchange.ts';
import { decodeText } from '../../../platform/base/clean-text.ts';
import { objectOf, readContradictory, readJson } from '../../values.ts';
import { readXml } from './xml.ts';

/** The content of a body; undefined when it is not in the format, or not an object. */
export function readBody(format: 'json' | 'form' | 'xml', bytes: Buffer): object | undefined {
  const content = format === 'json' ? readJson(bytes) : readText(format, decodeText(bytes));
  return typeof content === 'object' && content !== null ? content : undefined;
}

/**
 * Reads the subject of a body that `readBody` refuses because a name occurs twice; undefined for any
 * other. Its values must not decide anything.
 */
export function readContradictoryBody(
  format: 'json' | 'form' | 'xml',
  bytes: Buffer,
): object | undefined {
  if (readBody(format, bytes) !== undefined || format === 'xml') return undefined;
  if (format === 'json') return objectOf(readContradictory(bytes));
  const fields = Object.fromEntries(new URLSearchParams(decodeText(bytes)));
  return Object.keys(fields).length > 0 ? fields : undefined;
}

/** The answer, if it came under one of these HTTP statuses; otherwise why it says nothing. */
export function readAnswer(
  ending: Ending,
  {
    format,
    httpStatus = [200],
    mayBeEmpty = false,
  }: {
    readonly format: 'json' | 'xml';
    readonly httpStatus?: readonly number[] | undefined;
    readonly mayBeEmpty?: boolean | undefined;
  },
): object | string {
  if (ending.kind !== 'answer') return ending.reason;
  const isExpected = httpStatus.includes(ending.httpStatus);
  if (isExpected && mayBeEmpty && ending.body.length === 0) return {};
  const content = isExpected ? readBody(format, ending.body) : undefined;
  return content ?? `HTTP ${ending.httpStatus} without an answer of the protocol`;
}

function readText(format: 'form' | 'xml', text: string): object | undefined {
  return format === 'xml' ? readXml(text) : readForm(text);
}

/** Undefined if a name occurs twice, because receivers differ in which one they use. */
function readForm(text: string): object | undefined {
  const fields = [...new URLSearchParams(text)];
  const names = new Set(fields.map(([name]) => name));
  return names.size === fields.length && fields.length > 0 ? Object.fromEntries(fields) : undefined;
}
