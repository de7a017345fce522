import { plainReference } from '../../../platform/base/written-alike.ts';

/** Length of M-PESA's receipt numbers. */
const LENGTH = 10;
/** More are no text about a payment. */
const MAX_NUMBERS = 20;
/** Between two parts of a text: also the marks of numbered parts (`?21`). */
const SEPARATOR = /\?\d\d|[^A-Za-z0-9]+/;

/**
 * Lists each text that may be M-PESA's number, as `plainReference` makes it: ten letters and digits, both, with or without
 * separators among them, in any case. Most of them are something else, so they only say that people decide, if a
 * receipt with such a number is known.
 */
export function namedNumbers(text: string): string[] {
  const parts = text.split(SEPARATOR).filter((part) => part !== '');
  const numbers = new Set<string>();
  for (const index of parts.keys()) {
    let joined = '';
    for (const part of parts.slice(index)) {
      joined += part;
      if (joined.length >= LENGTH) break;
    }
    if (isNumber(joined)) numbers.add(plainReference(joined));
    if (numbers.size === MAX_NUMBERS) break;
  }
  return [...numbers].toSorted();
}

function isNumber(text: string): boolean {
  return text.length === LENGTH && /\d/.test(text) && /[A-Za-z]/.test(text);
}
