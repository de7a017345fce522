import { Option } from 'commander';
import type { KeyRow } from '../../parties/store.ts';
import { SIGNATURE_VERSIONS } from '../../parties/vendor.ts';
import { record } from '../output.ts';

const SHOWN_ONCE = 'This key is shown only once. Store it in a safe place now.';

/** A new key for people. */
export function newKeyText(holderKind: string, holder: string, key: string): string {
  return `${record([
    [holderKind, holder],
    ['key', key],
  ])}\n${SHOWN_ONCE}`;
}

interface KeyView {
  readonly created_at: string;
  /** null: until it is replaced. */
  readonly valid_until: string | null;
}

/** Lists a holder's valid keys, newest first, without their secrets. */
export function keysOf(rows: readonly KeyRow[], holder: string): readonly KeyView[] {
  return rows
    .filter((row) => row.holder === holder)
    .map((row) => ({
      created_at: row.createdAt.toISOString(),
      valid_until: row.validUntil?.toISOString() ?? null,
    }));
}

export function keysText(keys: readonly KeyView[], format: (time: Date) => string): string {
  if (keys.length === 0) return 'none';
  const until = keys.find((key) => key.valid_until !== null)?.valid_until;
  const count = String(keys.length);
  return typeof until === 'string' ? `${count}, one until ${format(new Date(until))}` : count;
}

export const signatureOption = (): Option =>
  new Option(
    '--signature <version>',
    'v2: refuse requests without the X-Signature header (initially v1)',
  ).choices(SIGNATURE_VERSIONS);
