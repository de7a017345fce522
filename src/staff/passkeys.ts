import { Type } from 'typebox';
import type { Static } from 'typebox';
import { vendorReaderName } from '../platform/base/long-reads.ts';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, NOTHING, text, textOrNull, time, timeOrNull, titled } from './fields.ts';
import type { Viewer } from './viewer.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../parties/people/passkeys.ts')),
  ...(await import('../parties/people/read-passkeys.ts')),
  ...(await import('../parties/people/read-people.ts')),
  ...(await import('../parties/people/relying-party.ts')),
});

const passkey = Type.Object({
  /** As browsers name it. */
  passkey: text(),
  ...titled({ name: text, created_at: time }),
  used_at: timeOrNull({ title: 'Last used', nullText: 'never' }),
});

const passkeys = Type.Object({
  /** Where they work; null: browsers allow none at the configured public URL. */
  origin: textOrNull(),
  passkeys: Type.Array(passkey),
});
export type PasskeysAnswer = Static<typeof passkeys>;

/** What the browser asks the device for, and what the device answers: of WebAuthn. */
const request = Type.Object({ options: Type.Record(Type.String(), Type.Unknown()) });
const response = Type.Object(
  { id: Type.String({ maxLength: 1500 }) },
  { additionalProperties: true, description: 'what the browser got from the device' },
);

/** A device answers a browser alone, and a program has no business with its owner’s devices. */
const OWN = { onPages: true, ownVendor: true } as const;
const ACTS = { ...OWN, permission: 'passkeys.act' } as const;

export const PASSKEYS: Noun = {
  command: 'passkey',
  summary: 'The own passkeys of whoever is signed in.',
  definitions: [
    view(core, {
      ...OWN,
      name: 'passkey.list',
      summary: 'The own passkeys.',
      route: 'GET /account/passkeys',
      permission: 'passkeys.read',
      input: NOTHING,
      output: passkeys,
      handle: async ({ core: loaded, deps, viewer }) => ({
        origin: deps.signIn?.party?.origin ?? null,
        passkeys: (await loaded.listPasskeys(deps.pool, ownerOf(viewer))).map(viewOf),
      }),
    }),
    action(core, {
      ...ACTS,
      name: 'passkey.begin',
      summary:
        'What to ask a device for. The password is needed, so that a stolen session does not become lasting access.',
      route: 'POST /account/passkeys/begin',
      input: inputOf({
        password: Type.String({ maxLength: 1024, description: 'the own password' }),
        code: Type.Optional(Type.String({ maxLength: 16, description: 'a one-time code' })),
      }),
      output: request,
      handle: async ({ core: loaded, input, deps, viewer, turns }) => {
        const own = await signingIn(deps);
        const party = loaded.requireParty(own.party, undefined);
        const { vendor, login } = viewer;
        const personId = ownerOf(viewer);
        const name = vendor === undefined ? personId : vendorReaderName(vendor.vid);
        const { password, code } = input;
        await own.again({ name, isClosed: turns.isClosed }, { login, password, code });
        const person = await loaded.findPerson(deps.pool, login);
        const options = await loaded.beginPasskey(
          { ...own, party },
          { personId, login, name: person?.name ?? login },
          deps.clock.now(),
        );
        return { result: { options: { ...options } }, audit: { after: {} } };
      },
    }),
    action(core, {
      ...ACTS,
      name: 'passkey.add',
      summary: 'Keep what the device made.',
      route: 'POST /account/passkeys',
      input: inputOf({
        name: fields.displayName({ maxLength: 60, description: 'what to call it' }),
        response,
      }),
      output: passkey,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const own = await signingIn(deps);
        const party = loaded.requireParty(own.party, undefined);
        const person = { personId: ownerOf(viewer) };
        const made = { ...input, now: deps.clock.now() };
        const result = viewOf(await loaded.addPasskey({ ...own, party }, person, made));
        return { result, audit: { target: result.passkey, after: { name: result.name } } };
      },
    }),
    action(core, {
      ...ACTS,
      name: 'passkey.remove',
      summary: 'Remove a passkey for good.',
      route: 'POST /account/passkeys/:passkey/remove',
      input: inputOf({
        passkey: Type.String({
          ...{ pattern: '^[A-Za-z0-9_-]{1,1500}$', form: 'the passkey’s id' },
          description: 'the passkey’s id',
        }),
      }),
      output: Type.Object({}),
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const owner = ownerOf(viewer);
        const all = await loaded.listPasskeys(deps.pool, owner);
        const former = all.find(({ credentialId }) => credentialId === input.passkey);
        await loaded.removePasskey(deps.pool, owner, input.passkey);
        return { result: {}, audit: { before: { name: former?.name }, after: {} } };
      },
    }),
  ],
};

const viewOf = ({ credentialId, name, createdAt, usedAt }: Row) =>
  wireOf({ passkey: credentialId, name, createdAt, usedAt });

type Row = Awaited<ReturnType<Awaited<ReturnType<typeof core>>['listPasskeys']>>[number];

function ownerOf({ personId }: Pick<Viewer, 'personId'>): string {
  if (personId === null) throw new Error('nobody is signed in');
  return personId;
}

async function signingIn({ pool, signIn, ledgerMac }: StaffDeps) {
  if (signIn === undefined) throw new Error('nobody signs in here');
  return { ...signIn, pool, ledgerMac: await ledgerMac() };
}
