import type { Command } from 'commander';
import { PlainError } from '../../platform/base/plain-error.ts';
import { resealAllKeys } from '../../parties/people/reseal.ts';
import { command } from '../arguments.ts';
import type { Cli } from '../cli.ts';

export function addKeyCommands(program: Command, cli: Cli): void {
  const keys = program.command('keys').description('Stored keys.');
  command(
    keys,
    'reseal',
    'Re-encrypt all stored keys, and the secrets of one-time codes, with MASTER_KEY, decrypting them with it or with MASTER_KEY_PREVIOUS. Re-encrypts all of them or none, and can be repeated. First restart the service with both keys.',
  ).action(async (options: { json?: boolean }) => {
    await cli.run(options, async (session) => {
      if (session.config.masterKey === undefined) {
        throw new PlainError(
          'Set MASTER_KEY to the new key and MASTER_KEY_PREVIOUS to the former one.',
        );
      }
      const { masterKeys } = await session.sealing();
      const counts = await resealAllKeys(session.pool, masterKeys);
      return {
        json: counts,
        text: `${counts.resealed} keys encrypted under the new master key; ${counts.already} already were.`,
      };
    });
  });
}
