import { Type } from 'typebox';
import { addPerson, changePerson } from '../../parties/people/administer.ts';
import { isAuthentic } from '../../parties/people/authenticity.ts';
import type { PeopleDeps } from '../../parties/people/authenticity.ts';
import { LINK_HOURS, createLink } from '../../parties/people/links.ts';
import { findPerson, listPeople } from '../../parties/people/people-store.ts';
import type { PersonRow } from '../../parties/people/people-store.ts';
import { MAX_LOGIN_LENGTH, TYPED_LOGIN, loginFrom, ownLogin } from '../../parties/people/login.ts';
import { ROLES, VENDOR_ROLES } from '../../parties/people/roles.ts';
import { tellVendor } from '../../payments/events/tell-vendor.ts';
import type { Clock } from '../../platform/base/clock.ts';
import { Refusal } from '../../platform/base/errors.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { confirmedBy } from '../../proposals/parties/person.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { InvitationAnswer, PeopleAnswer, PersonView } from '../operations-answers.ts';
import { Audited, route } from '../route.ts';
import type { AnyRoute, Viewer } from '../route.ts';
import { personName as name } from './fields.ts';
import { actorOf } from './proposal-decisions.ts';
import { onlyReason, reason } from './reason.ts';

export interface PeopleRoutesOptions {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly clock: Clock;
  readonly proposals: Proposals;
}

const params = Type.Object({ login: Type.String({ maxLength: MAX_LOGIN_LENGTH }) });
const role = Type.Enum([...ROLES]);

/** People. The staff see everybody; a vendor's administrator sees the vendor's people alone. */
export function peopleRoutes(options: PeopleRoutesOptions): AnyRoute[] {
  const { pool, ledgerMac } = options;
  return [
    route({
      method: 'GET',
      path: '/people',
      permission: 'people.read',
      handle: async (_input, { viewer }): Promise<PeopleAnswer> => ({
        people: (await listPeople(pool, viewer.vendor?.vendorId)).map((row) =>
          personView(row, ledgerMac),
        ),
        roles: viewer.vendor === undefined ? ROLES : VENDOR_ROLES,
      }),
    }),
    inviteRoute(options),
    changeRoute(options),
    linkRoute(options),
  ];
}

function inviteRoute(options: PeopleRoutesOptions): AnyRoute {
  const { clock } = options;
  return route({
    method: 'POST',
    path: '/people',
    permission: 'people.act',
    action: 'person.add',
    body: Type.Object(
      {
        login: Type.String({ pattern: TYPED_LOGIN }),
        name,
        role,
        /** The vendor, for a vendor's role. A vendor's administrator adds to the own vendor. */
        vid: Type.Optional(Type.String({ maxLength: 64 })),
        reason,
      },
      { additionalProperties: false },
    ),
    handle: async ({ body }, { viewer }) => {
      const vid = viewer.vendor?.vid ?? body.vid;
      const login =
        viewer.vendor === undefined
          ? loginFrom(body.login)
          : ownLogin(viewer.vendor.vid, body.login);
      const person = { login, name: body.name.trim(), role: body.role, vid };
      const deps = depsFor(options, viewer, body.reason);
      await addPerson(deps, person, clock.now());
      const made = { madeBy: viewer.personId, now: clock.now() };
      const answer = await invitation(deps, login, made);
      return new Audited(answer, { target: login, after: { ...person, vid: vid ?? null } });
    },
  });
}

function changeRoute(options: PeopleRoutesOptions): AnyRoute {
  const { pool, ledgerMac } = options;
  return route({
    method: 'PUT',
    path: '/people/:login',
    permission: 'people.act',
    action: 'person.change',
    params,
    body: Type.Object(
      {
        name: Type.Optional(name),
        role: Type.Optional(role),
        status: Type.Optional(Type.Enum(['active', 'disabled'])),
        reason,
      },
      { additionalProperties: false },
    ),
    handle: async ({ params: { login }, body }, { viewer }) => {
      const before = await findVisible(pool, login, viewer);
      if (login === viewer.login && (body.role ?? body.status) !== undefined) {
        const text = 'Another administrator must change your own role or status';
        throw new Refusal('invalid_field', { field: 'login', text });
      }
      const { reason: note, ...change } = body;
      await changePerson(depsFor(options, viewer, note), login, change);
      const after = await findVisible(pool, login, viewer);
      return new Audited(personView(after, ledgerMac), {
        before: kept(before),
        after: kept(after),
      });
    },
  });
}

/** A new invitation replaces password and codes: for a lost password or a lost phone. */
function linkRoute(options: PeopleRoutesOptions): AnyRoute {
  const { pool, clock } = options;
  return route({
    method: 'POST',
    path: '/people/:login/link',
    permission: 'people.act',
    action: 'person.link',
    params,
    body: onlyReason,
    handle: async ({ params: { login }, body }, { viewer }) => {
      await findVisible(pool, login, viewer);
      // The link itself is a secret, so the audit log does not keep it.
      const made = { madeBy: viewer.personId, now: clock.now() };
      const deps = depsFor(options, viewer, body.reason);
      return new Audited(await invitation(deps, login, made), {});
    },
  });
}

/**
 * A vendor is told what staff do with its people. Another person confirms what staff do, because they could have used
 * the link; a vendor’s administrator vouches for the vendor’s own people.
 */
function depsFor(
  { pool, ledgerMac, proposals }: PeopleRoutesOptions,
  viewer: Viewer,
  note: string,
): PeopleDeps {
  if (viewer.vendor !== undefined) return { pool, ledgerMac };
  const confirm = confirmedBy(proposals, { by: actorOf(viewer), note });
  return { pool, ledgerMac, tell: tellVendor, confirm, by: viewer.personId };
}

async function invitation(
  deps: PeopleDeps,
  login: string,
  made: Parameters<typeof createLink>[2],
): Promise<InvitationAnswer> {
  const token = await createLink(deps, login, made);
  return { login, path: `welcome#${token}`, validHours: LINK_HOURS };
}

/** Throws: `not_found`, also for a person of another vendor. */
async function findVisible(pool: Pool, login: string, { vendor }: Viewer): Promise<PersonRow> {
  const person = await findPerson(pool, login);
  const isVisible = vendor === undefined || person?.vendorId === vendor.vendorId;
  if (person === undefined || !isVisible)
    throw new Refusal('not_found', { text: 'Unknown person' });
  return person;
}

function personView(row: PersonRow, mac: Mac): PersonView {
  const { login, name: called, role: has, vid, status, createdAt, hasPassword, hasCodes } = row;
  return {
    login,
    name: called,
    role: has,
    vid,
    status,
    createdAt: createdAt.toISOString(),
    hasPassword,
    hasCodes,
    isAltered: !isAuthentic(row, mac),
    waitsFor: row.waitsFor,
  };
}

function kept({ name: called, role: has, status }: PersonRow): object {
  return { name: called, role: has, status };
}
