import { Option } from 'commander';
import type { Command } from 'commander';
import { rotateKey } from '../../parties/administer.ts';
import type { KeyRow } from '../../parties/store.ts';
import { SIGNATURE_VERSIONS } from '../../parties/vendor.ts';
import { command, durationSeconds, signerName } from '../arguments.ts';
import type { Cli } from '../cli.ts';
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

/** What may be shown of a holder's valid keys, newest first. */
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

const DAY_SECONDS = 86_400;

/** `rotate-key` of a collector. */
export function addRotateKeyCommand(parent: Command, cli: Cli): void {
  command(parent, 'rotate-key', 'Create a new security key. It is printed once.')
    .argument('<collector>', 'collector ID', signerName)
    .option(
      '--overlap <time>',
      'how long the former key stays valid: 90s, 30m, 24h, 7d; 0: it ends now (default 24h)',
      durationSeconds,
    )
    .action(async (holder: string, options: { json?: boolean; overlap?: number }) => {
      await cli.run(options, async ({ pool, sealing }) => {
        const overlapSeconds = options.overlap ?? DAY_SECONDS;
        const key = await rotateKey(
          pool,
          { holderKind: 'collector', holder },
          { ...(await sealing()), overlapSeconds },
        );
        const former =
          overlapSeconds === 0
            ? 'The former key is no longer valid.'
            : `The former key stays valid for ${overlapSeconds} seconds.`;
        return {
          json: { collector: holder, security_key: key, overlap_seconds: overlapSeconds },
          text: `${newKeyText('collector', holder, key)} ${former}`,
        };
      });
    });
}
