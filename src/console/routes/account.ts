import { Type } from 'typebox';
import { addPasskey, beginPasskey, removePasskey } from '../../parties/people/passkeys.ts';
import { listPasskeys } from '../../parties/people/read-passkeys.ts';
import type { PasskeyRow } from '../../parties/people/read-passkeys.ts';
import { requireParty } from '../../parties/people/relying-party.ts';
import type { RelyingParty } from '../../parties/people/relying-party.ts';
import { checkSignIn } from '../../parties/people/sign-in.ts';
import type { Clock } from '../../platform/base/clock.ts';
import { createLongReads } from '../../platform/base/long-reads.ts';
import type { Mac } from '../../platform/base/mac.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { PasskeysAnswer } from '../answers.ts';
import { Audited, longReaderOf, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';

/** Hashing a password takes a core. */
const PASSWORDS_AT_ONCE = 1;

export interface AccountRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly ledgerMac: Mac;
  readonly masterKeys: MasterKeys;
  readonly codesRequired: boolean;
  /** Undefined: browsers allow no passkeys at the configured public URL. */
  readonly party: RelyingParty | undefined;
}

/** The person's own passkeys. */
export function accountRoutes(options: AccountRoutesOptions): AnyRoute[] {
  const { pool, party } = options;
  return [
    route({
      method: 'GET',
      path: '/account/passkeys',
      permission: 'passkeys.read',
      handle: async (_input, { viewer }): Promise<PasskeysAnswer> => ({
        origin: party?.origin ?? null,
        passkeys: (await listPasskeys(pool, viewer.personId)).map(passkeyView),
      }),
    }),
    beginRoute(options),
    addRoute(options),
    route({
      method: 'DELETE',
      path: '/account/passkeys/:id',
      permission: 'passkeys.act',
      action: 'passkey.remove',
      params: Type.Object({ id: Type.String({ maxLength: 1500 }) }),
      handle: async ({ params: { id } }, { viewer }) =>
        await removePasskey(pool, viewer.personId, id),
    }),
  ];
}

/**
 * A stolen session must not become lasting access, so the password is asked for again. Such checks wait
 * only for each other, not for strangers who sign in, and those of a vendor's people take turns as one.
 */
function beginRoute(options: AccountRoutesOptions): AnyRoute {
  const inTurn = createLongReads(PASSWORDS_AT_ONCE);
  return route({
    method: 'POST',
    path: '/account/passkeys/begin',
    permission: 'passkeys.act',
    action: 'passkey.begin',
    body: Type.Object(
      {
        password: Type.String({ maxLength: 1024 }),
        code: Type.Optional(Type.String({ maxLength: 16 })),
      },
      { additionalProperties: false },
    ),
    handle: async ({ body }, context, { headers }) => {
      const { viewer } = context;
      const party = requireParty(options.party, headers.origin);
      const now = options.clock.now();
      const again = { login: viewer.login, ...body, code: body.code, from: 'session' } as const;
      const reader = { ...longReaderOf(context), isNeverRefused: true };
      await inTurn(reader, () => checkSignIn(options, again, now));
      return await beginPasskey({ ...options, party }, viewer, now);
    },
  });
}

function addRoute(options: AccountRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/account/passkeys',
    permission: 'passkeys.act',
    action: 'passkey.add',
    body: Type.Object(
      {
        name: Type.String({
          minLength: 1,
          maxLength: 60,
          pattern: String.raw`^[^\p{C}]*\S[^\p{C}]*$`,
        }),
        /** What the browser got from the device. */
        response: Type.Object(
          { id: Type.String({ maxLength: 1500 }) },
          { additionalProperties: true },
        ),
      },
      { additionalProperties: false },
    ),
    handle: async ({ body: { name, response } }, { viewer }, { headers }) => {
      const party = requireParty(options.party, headers.origin);
      const made = { name: name.trim(), response, now: options.clock.now() };
      const added = passkeyView(await addPasskey({ ...options, party }, viewer, made));
      return new Audited(added, { target: added.id, after: { name: added.name } });
    },
  });
}

function passkeyView(row: PasskeyRow): PasskeysAnswer['passkeys'][number] {
  const { credentialId: id, name, createdAt, usedAt } = row;
  return {
    id,
    name,
    createdAt: createdAt.toISOString(),
    usedAt: usedAt?.toISOString() ?? null,
  };
}
