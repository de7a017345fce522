import { Option } from 'commander';
import type { Command } from 'commander';
import { addPerson, changePerson } from '../../parties/people/administer.ts';
import { reasonToActAlone } from '../../parties/people/alone.ts';
import { isAuthentic } from '../../parties/people/authenticity.ts';
import type { PeopleDeps } from '../../parties/people/authenticity.ts';
import { createLink, LINK_HOURS } from '../../parties/people/links.ts';
import { listPeople } from '../../parties/people/people-store.ts';
import { ROLES } from '../../parties/people/roles.ts';
import type { Role } from '../../parties/people/roles.ts';
import { tellVendor } from '../../payments/events/tell-vendor.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { COMMAND_LINE } from '../../proposals/actors.ts';
import type { Actor } from '../../proposals/kind.ts';
import { confirmedBy } from '../../proposals/parties/person.ts';
import { command, displayName, loginName, requireSome, signerName } from '../arguments.ts';
import type { Cli } from '../cli.ts';
import { table } from '../output.ts';
import type { Session } from '../session.ts';
import { asPerson } from './as-person.ts';
import type { Act } from './as-person.ts';
import { noted } from './noted.ts';
import { openProposals } from './proposal.ts';

interface MakerOptions {
  readonly json?: boolean;
  readonly by?: string;
}

const byOption = (): Option =>
  new Option('--by <login>', 'who does it; required where two members of staff sign in');

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
    .addOption(byOption())
    .action(async (login: string, options: MakerOptions) => {
      await cli.run(options, async (session) => {
        // Any colleague may: the administrator who confirms it is another one.
        const act = { by: options.by, action: 'person.link', target: login };
        return await asMaker(cli, session, act, async (maker) => linkAnswer(session, login, maker));
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
    .addOption(byOption())
    .action(
      async (login: string, options: MakerOptions & { name: string; role: Role; vid?: string }) => {
        await cli.run(options, async (session) => {
          const { name, role, vid, by } = options;
          const act = {
            by,
            permission: 'people.act',
            action: 'person.add',
            target: login,
          } as const;
          return await asMaker(cli, session, act, async (maker) => {
            await addPerson(maker.deps, { login, name, role, vid }, new Date());
            return await linkAnswer(session, login, maker);
          });
        });
      },
    );
}

async function peopleDeps({ pool, ledgerMac }: Session): Promise<PeopleDeps> {
  return { pool, ledgerMac: await ledgerMac(), tell: tellVendor };
}

/** Who gives or changes what a person may do. */
interface Maker {
  /** Null: there is no second person. */
  readonly personId: string | null;
  readonly deps: PeopleDeps;
}

/** @param note why, in the proposal that another person confirms. */
async function makerOf(session: Session, by: Actor, note: string): Promise<Maker> {
  const confirm = confirmedBy(await openProposals(session), { by, note });
  return {
    personId: by.personId,
    deps: { ...(await peopleDeps(session)), confirm, by: by.personId },
  };
}

/**
 * Gives or changes what a person may do, as the member of staff that `--by` names: another administrator then
 * confirms the person. Otherwise whoever runs commands could be both people of a decision.
 */
async function asMaker<Result>(
  cli: Cli,
  session: Session,
  act: Omit<Act, 'by'> & { readonly by: string | undefined; readonly target: string },
  work: (maker: Maker) => Promise<Result>,
): Promise<Result> {
  const { by, action, target } = act;
  const reason = await reasonToActAlone(session.pool, target);
  if (reason !== undefined) {
    const told = by === undefined ? reason : `${by}: ${reason}`;
    return await noted(session.pool, { action, target, reason: told }, async () =>
      work(await makerOf(session, COMMAND_LINE, told)),
    );
  }
  const named = 'Give the login of a member of staff: another administrator then confirms it.';
  if (by === undefined) throw new PlainError(named, { field: 'by' });
  return await asPerson(cli, session, { ...act, by }, async (_by, actor) => {
    if (actor.personId === null) {
      throw new PlainError(`${by} has to sign in for this.`, { field: 'by' });
    }
    return await work(
      await makerOf(session, actor, `${action.replace('.', ' ')} on the command line`),
    );
  });
}

async function linkAnswer(
  session: Session,
  login: string,
  { deps, personId: madeBy }: Maker,
): Promise<{ json: object; text: string }> {
  const { config } = session;
  const token = await createLink(deps, login, { madeBy, now: new Date() });
  // In the fragment, which browsers send to no server: it is in no log.
  const link = `${config.publicUrl}${config.consolePath}/welcome#${token}`;
  return {
    json: { login, link, valid_hours: LINK_HOURS },
    text: [
      `${login} chooses a password here, once, within ${LINK_HOURS} hours:\n${link}`,
      ...(madeBy === null
        ? []
        : ['Then an administrator other than you confirms it: see malipo proposal list.']),
    ].join('\n'),
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
    .addOption(byOption())
    .action(async (login: string, options: MakerOptions & { name?: string; role?: Role }) => {
      requireSome(options, ['name', 'role']);
      const { name, role, by } = options;
      await cli.run(options, async (session) => {
        const action = 'person.change';
        const act = { by, permission: 'people.act', action, target: login } as const;
        await asMaker(cli, session, act, async ({ deps }) =>
          changePerson(deps, login, { name, role }),
        );
        return { json: { login, changed: true }, text: `${login} is changed.` };
      });
    });
}

function addStatus(person: Command, cli: Cli, verb: 'disable' | 'enable', summary: string): void {
  const status = verb === 'disable' ? 'disabled' : 'active';
  command(person, verb, summary)
    .argument('<login>', 'e-mail address or name', loginName)
    .addOption(byOption())
    .action(async (login: string, options: MakerOptions) => {
      await cli.run(options, async (session) => {
        const deps = await peopleDeps(session);
        const { by } = options;
        const note = { action: `person.${verb}`, target: login };
        const work = async (): Promise<void> => await changePerson(deps, login, { status });
        // In an emergency anybody disables.
        if (verb === 'disable' && by === undefined) await noted(session.pool, note, work);
        else await asMaker(cli, session, { ...note, by, permission: 'people.act' }, work);
        return { json: { login, status }, text: `${login} is ${status}.` };
      });
    });
}
