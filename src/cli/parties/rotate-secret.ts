import type { Command } from 'commander';
import { rotateAsStaff } from '../../payments/vendor-secrets/rotate.ts';
import type { SecretOf } from '../../payments/vendor-secrets/vendor-secret.ts';
import { command, durationSeconds, noteText, signerName } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { asPerson } from './as-person.ts';
import { bySupplier, openProposals, waitingAnswer } from './proposal.ts';
import { requireVendorId } from './vendors.ts';
import { newKeyText } from './signer-keys.ts';

const DAY_SECONDS = 86_400;

interface Rotation {
  readonly json?: boolean;
  readonly overlap?: number;
  readonly by: string;
  readonly note: string;
}

/** The words in which the commands for a security key and for a webhook secret differ. */
interface Texts {
  readonly of: SecretOf;
  readonly name: string;
  readonly summary: string;
  /** Help text of `--overlap`. */
  readonly overlap: string;
  readonly action: string;
  readonly field: 'security_key' | 'secret';
  readonly former: (overlapSeconds: number) => string;
}

export const KEY_ROTATION: Texts = {
  ...{ of: 'vendor', name: 'rotate-key', field: 'security_key', action: 'vendor.rotate-key' },
  summary: 'Create a new security key. It is printed once, after another person approved it.',
  overlap: 'how long the former key stays valid',
  former: (seconds) =>
    seconds === 0
      ? 'The former key is no longer valid.'
      : `The former key stays valid for ${seconds} seconds.`,
};

export const SECRET_ROTATION: Texts = {
  ...{ of: 'webhook', name: 'rotate-secret', field: 'secret', action: 'webhook.rotate-secret' },
  summary: 'Create a new signing secret. It is printed once, after another person approved it.',
  overlap: 'how long events are also signed with the former secret',
  former: (seconds) =>
    seconds === 0
      ? 'The former secret is no longer used.'
      : `Events are also signed with the former secret for ${seconds} seconds.`,
};

/** A new secret of a vendor. */
export function addRotation(parent: Command, cli: Cli, texts: Texts): void {
  const { of, name, summary, overlap, action, field, former } = texts;
  command(parent, name, `${summary} Then repeat the command.`)
    .argument('<vid>', 'vendor ID', signerName)
    .option(
      '--overlap <time>',
      `${overlap}: 90s, 30m, 24h, 7d; 0: it ends now (default 24h)`,
      durationSeconds,
    )
    .addOption(bySupplier('who gets it; another person approves it'))
    .option('--note <text>', 'why', noteText, 'on the command line')
    .action(async (vid: string, options: Rotation) => {
      await cli.run(options, async (session) => {
        const { by, note, overlap: overlapSeconds = DAY_SECONDS } = options;
        const vendor = { vid, vendorId: await requireVendorId(session.pool, vid) };
        const sealing = await session.sealing();
        const proposals = await openProposals(session);
        const act = {
          by,
          permission: 'integration.act',
          action,
          target: vid,
          reason: note,
        } as const;
        const made = await asPerson(cli, session, act, async (_by, actor) =>
          rotateAsStaff(
            { pool: session.pool, proposals },
            { vendor, of, overlapSeconds, by: actor, note },
            sealing,
          ),
        );
        const { row, secret } = made;
        if (secret === undefined) {
          const next =
            'Nothing was created yet. Repeat this command within a day of the approval, which another person gives in the console or with';
          return await waitingAnswer(session, proposals, row, next);
        }
        return {
          json: { vid, [field]: secret, overlap_seconds: made.overlapSeconds },
          text: `${newKeyText('vendor', vid, secret)} ${former(made.overlapSeconds)}`,
        };
      });
    });
}
