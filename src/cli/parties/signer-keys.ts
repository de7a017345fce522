import { Option } from 'commander';
import type { Command } from 'commander';
import { newSecurityKey } from '../../parties/keys.ts';
import { COLLECTOR_KEY, collectorSealed } from '../../payments/settings/collectors.ts';
import { sealSecret } from '../../payments/settings/sealed.ts';
import type { KeyRow } from '../../parties/store.ts';
import { SIGNATURE_VERSIONS } from '../../parties/vendor.ts';
import { command, durationSeconds, signerName } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { record } from '../output.ts';
import { changeSetting, withSetter } from './setting.ts';
import type { SetterOptions } from './setting.ts';

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

const DAY_SECONDS = 86_400;

interface RotateOptions extends SetterOptions {
  readonly json?: boolean;
  readonly overlap?: number;
}

/** `rotate-key` of a collector. */
export function addRotateKeyCommand(parent: Command, cli: Cli): void {
  const rotate = command(parent, 'rotate-key', 'Create a new security key. It is printed once.')
    .argument('<collector>', 'collector ID', signerName)
    .option(
      '--overlap <time>',
      'how long the former key stays valid: 90s, 30m, 24h, 7d; 0: it ends now (default 24h)',
      durationSeconds,
    );
  withSetter(rotate).action(async (holder: string, options: RotateOptions) => {
    await cli.run(options, async (session) => {
      const overlapSeconds = options.overlap ?? DAY_SECONDS;
      const key = newSecurityKey();
      const { masterKeys } = await session.sealing();
      const secret = sealSecret(key, collectorSealed(holder), masterKeys);
      const former =
        overlapSeconds === 0
          ? 'The former key is no longer valid.'
          : `The former key stays valid for ${overlapSeconds} seconds.`;
      const asked = {
        ...{ ...options, setting: COLLECTOR_KEY, change: { secret, overlapSeconds } },
        ...{ key: { collector: holder }, action: 'collector.rotate-key' },
        shownOnce: { security_key: key },
      };
      return await changeSetting(cli, session, asked, () => ({
        json: { collector: holder, security_key: key, overlap_seconds: overlapSeconds },
        text: `${newKeyText('collector', holder, key)} ${former}`,
      }));
    });
  });
}
