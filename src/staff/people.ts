import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { PeopleDeps } from '../parties/people/authenticity.ts';
import { MAX_LOGIN_LENGTH, TYPED_LOGIN } from '../parties/people/login.ts';
import { ROLES, VENDOR_ROLES } from '../parties/people/roles.ts';
import { Refusal } from '../platform/base/errors.ts';
import { PlainError } from '../platform/base/plain-error.ts';
import { action, view } from './definition.ts';
import type { Asked, Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, NOTHING, reasonOr, text, textOrNull, time, titled, vid } from './fields.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../parties/people/administer.ts')),
  ...(await import('../parties/people/alone.ts')),
  ...(await import('../parties/people/links.ts')),
  ...(await import('../parties/people/login.ts')),
  ...(await import('../parties/people/people.ts')),
  ...(await import('../payments/events/tell-vendor.ts')),
  ...(await import('../proposals/actors.ts')),
  ...(await import('../proposals/parties/person.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

interface Kept {
  readonly is_altered: boolean | null;
}

const person = Type.Object({
  ...titled({ login: text, name: text }),
  role: Type.Enum([...ROLES], { title: 'Role' }),
  vid: textOrNull({ title: 'Vendor' }),
  status: Type.Enum(['active', 'disabled'], {
    title: 'Status',
    text: (status: string, { is_altered: isAltered }: Kept) =>
      isAltered === true ? 'changed in the database' : status,
  }),
  signs_in_with: Type.Enum(['invited', 'password', 'password and code'], {
    title: 'Signs in with',
  }),
  created_at: time({ title: 'Created', wide: true }),
  /** Changed in the database, not by the service: cannot sign in. Null: not known without a master key. */
  is_altered: Type.Union([Type.Boolean(), Type.Null()]),
  /** The proposal with which another person confirms this one; null: confirmed, or not signed in yet. */
  waits_for: textOrNull({ title: 'To confirm', wide: true }),
});
export type PersonView = Static<typeof person>;

const people = Type.Object({
  people: Type.Array(person),
  /** The roles that the viewer may give. */
  roles: Type.Array(Type.Enum([...ROLES])),
});
export type PeopleAnswer = Static<typeof people>;

const invitation = Type.Object({
  login: text({ title: 'Login' }),
  link: text({ title: 'Link', secret: true }),
  valid_hours: fields.count({ title: 'Valid for hours' }),
  /** True: the person who uses the link may act only after another administrator has confirmed them. */
  is_confirmed_later: Type.Boolean({ title: 'Another administrator then confirms it' }),
});
export type InvitationAnswer = Static<typeof invitation>;

const login = Type.String({
  ...{ minLength: 1, maxLength: MAX_LOGIN_LENGTH, argument: true },
  description: 'e-mail address or name',
});
const name = fields.displayName();
const role = Type.Enum([...ROLES], { description: 'what the person may do' });

/** What staff do alone from the command line, the handler refuses where another person has to confirm it. */
const rules = { permission: 'people.act', ownVendor: true, actsAlone: 'always' } as const;

export const PEOPLE: Noun = {
  command: 'person',
  summary: 'People who sign in to the console: staff, and vendors’ own people.',
  definitions: [
    view(core, {
      name: 'person.list',
      summary: 'All people.',
      route: 'GET /people',
      permission: 'people.read',
      ownVendor: true,
      input: NOTHING,
      output: people,
      rows: 'people',
      empty: 'no people; add the first with `person add`',
      handle: async (asked) => ({
        people: (await asked.core.readPeople(asked.deps.pool, await seenBy(asked))).map(wireOf),
        roles: [...(asked.viewer.vendor === undefined ? ROLES : VENDOR_ROLES)],
      }),
    }),
    action(core, {
      name: 'person.add',
      summary:
        'Add a person. The one-time link to choose a password is shown; another administrator confirms whoever has used it.',
      route: 'POST /people',
      ...rules,
      input: inputOf({
        login: Type.String({
          ...{ pattern: TYPED_LOGIN, argument: true, description: 'e-mail address or name' },
          form: 'an e-mail address, or a name of 2 to 127 letters, digits, dots and hyphens; a vendor’s id and a colon may come before it',
        }),
        ...{ name, role },
        vid: Type.Optional(vid({ description: 'the vendor, for the vendor’s own people' })),
        reason: reasonOr('added by hand'),
      }),
      output: invitation,
      handle: async (asked) => {
        const { core: loaded, input, viewer, deps } = asked;
        const { vendor } = viewer;
        const added = {
          login:
            vendor === undefined
              ? loaded.loginFrom(input.login)
              : loaded.ownLogin(vendor.vid, input.login),
          ...{ name: input.name, role: input.role, vid: vendor?.vid ?? input.vid },
        };
        const by = await makerOf(asked, added.login);
        await loaded.addPerson(by.people, added, deps.clock.now());
        const result = await invite(asked, added.login, by);
        const after = { ...added, vid: added.vid ?? null, ...by.noted };
        return { result, audit: { target: added.login, after } };
      },
    }),
    action(core, {
      name: 'person.link',
      summary:
        'Make a new one-time link, for a person who lost the password or the phone. It replaces both when it is used.',
      route: 'POST /people/:login/link',
      ...rules,
      // The administrator who confirms it is another person.
      commandsMay: 'people.propose',
      input: inputOf({ login, reason: reasonOr('asked for a new link') }),
      output: invitation,
      handle: async (asked) => {
        const of = asked.core.loginFrom(asked.input.login);
        await asked.core.readPerson(asked.deps.pool, of, await seenBy(asked));
        const by = await makerOf(asked, of);
        const result = await invite(asked, of, by);
        return { result, audit: { target: of, after: { login: of, ...by.noted } } };
      },
    }),
    action(core, {
      name: 'person.set',
      summary: 'Change a person’s name or role.',
      route: 'POST /people/:login',
      ...rules,
      needsOne: ['name', 'role'],
      input: inputOf({
        login,
        ...{ name: Type.Optional(name), role: Type.Optional(role) },
        reason: reasonOr('changed by hand'),
      }),
      output: person,
      handle: async (asked) =>
        await change(asked, { name: asked.input.name, role: asked.input.role }),
    }),
    action(core, {
      name: 'person.disable',
      summary: 'Sign a person out and refuse new sign-ins. In an emergency anybody may.',
      route: 'POST /people/:login/disable',
      ...rules,
      input: inputOf({ login, reason: reasonOr('disabled by hand') }),
      output: person,
      handle: async (asked) => await change(asked, { status: 'disabled' }),
    }),
    action(core, {
      name: 'person.enable',
      summary: 'Let a disabled person sign in again.',
      route: 'POST /people/:login/enable',
      ...rules,
      input: inputOf({ login, reason: reasonOr('enabled by hand') }),
      output: person,
      handle: async (asked) => await change(asked, { status: 'active' }),
    }),
  ],
};

type By = Pick<Asked<Core, { readonly reason: string }>, 'core' | 'input' | 'viewer' | 'deps'>;

/** Whose people the viewer sees. Without a master key nobody knows who was changed in the database. */
async function seenBy({ viewer, deps }: Pick<By, 'viewer' | 'deps'>) {
  const mac = await deps.ledgerMac().catch((error: unknown) => {
    if (error instanceof PlainError) return undefined;
    throw error;
  });
  return { vendorId: viewer.vendor?.vendorId, mac };
}

const ownDeps = async ({ deps: { pool, ledgerMac } }: Pick<By, 'deps'>): Promise<PeopleDeps> => ({
  pool,
  ledgerMac: await ledgerMac(),
});

interface Maker {
  readonly people: PeopleDeps;
  /** For the audit log: why nobody confirms it. */
  readonly noted: { readonly alone?: string };
}

/**
 * Whoever gives or changes what a person may do. Another administrator confirms what staff do, because they could have
 * used the link, and is told the reason; a vendor’s administrator vouches for the vendor’s own people, and the vendor is
 * told what staff do with them. Throws: `PlainError` (field `by`).
 */
async function makerOf({ core: loaded, input, viewer, deps }: By, of: string): Promise<Maker> {
  const own = await ownDeps({ deps });
  if (viewer.vendor !== undefined) return { people: own, noted: {} };
  const { tellVendor: tell, confirmedBy } = loaded;
  const { personId } = viewer;
  const alone = personId === null ? await loaded.reasonToActAlone(deps.pool, of) : undefined;
  if (personId === null && alone === undefined) {
    const told = 'Give the login of a member of staff: another administrator then confirms it.';
    throw new PlainError(told, { field: 'by' });
  }
  const by = personId === null ? loaded.COMMAND_LINE : viewer.actor;
  const confirm = confirmedBy(await deps.proposals(), { by, note: alone ?? input.reason });
  return {
    people: { ...own, tell, confirm, by: personId },
    noted: alone === undefined ? {} : { alone },
  };
}

/** The token is in the fragment, which browsers send to no server: it is in no log. */
async function invite(
  { core: { createLink, LINK_HOURS }, viewer, deps }: By,
  of: string,
  { people: by }: Maker,
): Promise<InvitationAnswer> {
  const made = { madeBy: viewer.personId, now: deps.clock.now() };
  const token = await createLink(by, of, made);
  return {
    login: of,
    link: `${deps.consoleUrl}/welcome#${token}`,
    valid_hours: LINK_HOURS,
    is_confirmed_later: viewer.vendor === undefined && viewer.personId !== null,
  };
}

async function change(
  asked: By & { readonly input: { readonly login: string } },
  to: Parameters<Core['changePerson']>[2],
) {
  const { core: loaded, input, viewer, deps } = asked;
  const of = loaded.loginFrom(input.login);
  const seen = await seenBy(asked);
  const before = await loaded.readPerson(deps.pool, of, seen);
  if (of === viewer.login && (to.role ?? to.status) !== undefined) {
    const says = 'Another administrator must change your own role or status';
    throw new Refusal('invalid_field', { field: 'login', text: says });
  }
  const isEmergency = to.status === 'disabled' && viewer.personId === null;
  const { people: by, noted } = isEmergency
    ? { people: { ...(await ownDeps(asked)), tell: loaded.tellVendor }, noted: {} }
    : await makerOf(asked, of);
  await loaded.changePerson(by, of, to);
  const after = await loaded.readPerson(deps.pool, of, seen);
  const kept = ({ name: called, role: has, status }: typeof after) => ({
    ...{ name: called, role: has, status },
  });
  return {
    result: wireOf(after),
    audit: { target: of, before: kept(before), after: { ...kept(after), ...noted } },
  };
}
