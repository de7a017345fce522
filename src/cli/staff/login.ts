import type { Command } from 'commander';
import { text } from 'node:stream/consumers';
import { readJson } from '../../platform/base/json.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { command } from '../arguments.ts';
import { askFor } from '../ask-for.ts';
import type { Cli } from '../cli.ts';
import { forgetProfile, keepProfile, plainUrl, profileOf } from './profile.ts';
import { ask } from './remote.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** `login` and `logout`: a person’s token for a service on another machine. */
export function addLoginCommands(program: Command, cli: Cli, environment: Environment): void {
  command(
    program,
    'login',
    'Sign in to a service on another machine, so that commands ask it instead of a database. Asks for the password and a one-time code.',
  )
    .argument('<login>', 'the login in the console')
    .option('--url <url>', 'where the service is (default: MALIPO_URL)')
    .action(async (login: string, options: { readonly json?: boolean; readonly url?: string }) => {
      const url = plainUrl(options.url ?? environment['MALIPO_URL'] ?? '');
      const [password, code = ''] = await askFor(cli, [
        `Password of ${login}: `,
        'One-time code (empty: none): ',
      ]);
      if (password === undefined)
        throw new PlainError('The password is needed, on a line of the input.');
      const given = { login, password, ...(code.trim() !== '' && { code: code.trim() }) };
      const response = await ask(
        { url },
        { method: 'POST', path: '/session', body: JSON.stringify(given) },
      );
      const { token, expires_at: expiresAt } = readJson(await text(response)) as {
        readonly token: string;
        readonly expires_at: string;
      };
      const file = keepProfile(environment, { url, token });
      await cli.runAlone(options, async () => ({
        json: { url, login, file, expires_at: expiresAt },
        text: `Commands ask ${url} as ${login}, at most until ${expiresAt}. The token is in ${file}; malipo logout removes it.\n`,
      }));
    });
  command(program, 'logout', 'End the session of login, and forget its token.').action(
    async (options: { readonly json?: boolean }) => {
      const profile = profileOf({ ...environment, DATABASE_URL: undefined, DATA_DIR: undefined });
      if (profile !== undefined) {
        // It may have ended by itself.
        await ask(profile, { method: 'DELETE', path: '/session' }).catch(() => undefined);
      }
      forgetProfile(environment);
      await cli.runAlone(options, async () => ({ json: { ended: true }, text: 'Signed out.\n' }));
    },
  );
}
