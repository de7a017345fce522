import { centsOf } from '../../values.ts';
import type { AmountFormat } from './settings.ts';

const ZERO = /^(?:KES ?)?0(?:\.0+)?$/;

/** The amount of an answer in cents, zero included; undefined for any other text. */
export function readAmount(format: AmountFormat, text: string | undefined): bigint | undefined {
  if (format === 'cents') return /^\d{1,14}$/.test(text ?? '') ? BigInt(text ?? '') : undefined;
  return ZERO.test(text ?? '') ? 0n : centsOf(text);
}
