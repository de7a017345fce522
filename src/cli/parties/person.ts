import { Option } from 'commander';
import type { Command } from 'commander';
import { addPerson, changePerson } from '../../parties/people/administer.ts';
import { isAuthentic } from '../../parties/people/authenticity.ts';
import type { PeopleDeps } from '../../parties/people/authenticity.ts';
import { createLink, LINK_HOURS } from '../../parties/people/links.ts';
import { listPeople } from '../../parties/people/people-store.ts';
import { ROLES } from '../../parties/people/roles.ts';
import type { Role } from '../../parties/people/roles.ts';
import { tellVendor } from '../../payments/events/tell-vendor.ts';
import { command, displayName, loginName, requireSome, signerName } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';
import type { Session } from '../session.ts';
import { noted } from './noted.ts';

const roleOption = (): Option =>
  new Option('--role <role>', 'what the person may do').choices(ROLES);

export function addPersonCommands(program: Command, cli: Cli): void {
  const person = program
    .command('person')
    .description('People who sign in to the console: staff, and vendors’ own people.');
  addAdd(person, cli);
  addList(person, cli);
  addSet(person, cli);
  command(
    person,
    'link',
    'Make a new one-time link, for a person who lost the password or the phone.',
  )
    .argument('<login>', 'e-mail address or name', loginName)
    .action(async (login: string, options: { json?: boolean }) => {
      await cli.run(options, async (session) => {
        const note = { action: 'person.link', target: login };
        const deps = await peopleDeps(session);
        return await noted(session.pool, note, async () => await linkAnswer(session, login, deps));
      });
    });
  addStatus(person, cli, 'disable', 'Sign a person out and refuse new sign-ins.');
  addStatus(person, cli, 'enable', 'Let a disabled person sign in again.');
}

function addAdd(person: Command, cli: Cli): void {
  command(person, 'add', 'Add a person. A one-time link to choose a password is printed.')
    .argument('<login>', 'e-mail address or name', loginName)
    .requiredOption('--name <name>', 'name for people', displayName)
    .addOption(roleOption().makeOptionMandatory())
    .option('--vid <vid>', 'the vendor, for the vendor’s own people', signerName)
    .action(
      async (
        login: string,
        options: { json?: boolean; name: string; role: Role; vid?: string },
      ) => {
        await cli.run(options, async (session) => {
          const { name, role, vid } = options;
          const deps = await peopleDeps(session);
          return await noted(session.pool, { action: 'person.add', target: login }, async () => {
            await addPerson(deps, { login, name, role, vid }, new Date());
            return await linkAnswer(session, login, deps);
          });
        });
      },
    );
}

async function peopleDeps({ pool, ledgerMac }: Session): Promise<PeopleDeps> {
  return { pool, ledgerMac: await ledgerMac(), tell: tellVendor };
}

async function linkAnswer(
  { config }: Session,
  login: string,
  deps: PeopleDeps,
): Promise<{ json: object; text: string }> {
  const token = await createLink(deps, login, { madeBy: null, now: new Date() });
  // In the fragment, which browsers send to no server: it is in no log.
  const link = `${config.publicUrl}${config.consolePath}/welcome#${token}`;
  return {
    json: { login, link, valid_hours: LINK_HOURS },
    text: `${login} chooses a password here, once, within ${LINK_HOURS} hours:\n${link}`,
  };
}

function addList(person: Command, cli: Cli): void {
  command(person, 'list', 'All people.').action(async (options: { json?: boolean }) => {
    await cli.run(options, async ({ pool, findLedgerMac }) => {
      const mac = await findLedgerMac();
      const people = (await listPeople(pool)).map((row) => ({
        login: row.login,
        name: row.name,
        role: row.role,
        vid: row.vid,
        // Without a master key nobody knows.
        status: mac === undefined || isAuthentic(row, mac) ? row.status : 'changed in the database',
        signs_in_with: row.hasPassword
          ? row.hasCodes
            ? 'password and code'
            : 'password'
          : 'invited',
        created_at: row.createdAt.toISOString(),
      }));
      return {
        json: { people },
        text: table(
          ['LOGIN', 'NAME', 'ROLE', 'VENDOR', 'STATUS', 'SIGNS IN WITH'].map((title) => ({
            title,
          })),
          people.map((row) => [
            row.login,
            row.name,
            row.role,
            row.vid ?? '',
            row.status,
            row.signs_in_with,
          ]),
          'no people; add the first with `person add`',
        ),
      };
    });
  });
}

function addSet(person: Command, cli: Cli): void {
  command(person, 'set', 'Change a person’s name or role.')
    .argument('<login>', 'e-mail address or name', loginName)
    .option('--name <name>', 'name for people', displayName)
    .addOption(roleOption())
    .action(async (login: string, options: { json?: boolean; name?: string; role?: Role }) => {
      requireSome(options, ['name', 'role']);
      const { name, role } = options;
      await cli.run(options, async (session) => {
        const deps = await peopleDeps(session);
        await noted(session.pool, { action: 'person.change', target: login }, async () => {
          await changePerson(deps, login, { name, role });
        });
        return { json: { login, changed: true }, text: `${login} is changed.` };
      });
    });
}

function addStatus(person: Command, cli: Cli, verb: 'disable' | 'enable', summary: string): void {
  const status = verb === 'disable' ? 'disabled' : 'active';
  command(person, verb, summary)
    .argument('<login>', 'e-mail address or name', loginName)
    .action(async (login: string, options: { json?: boolean }) => {
      await cli.run(options, async (session) => {
        const deps = await peopleDeps(session);
        await noted(session.pool, { action: `person.${verb}`, target: login }, async () => {
          await changePerson(deps, login, { status });
        });
        return { json: { login, status }, text: `${login} is ${status}.` };
      });
    });
}
