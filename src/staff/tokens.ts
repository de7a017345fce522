import { Type } from 'typebox';
import type { Static } from 'typebox';
import { PERMISSIONS } from '../parties/people/permissions.ts';
import type { Permission } from '../parties/people/permissions.ts';
import { STAFF_ROLES } from '../parties/people/roles.ts';
import type { TokenRow } from '../parties/people/read-tokens.ts';
import { action } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, orNull, text } from './fields.ts';
import { BY_TIME, list } from './lists.ts';
import type { PageOf } from './lists.ts';
import { fit, wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../parties/people/tokens.ts')),
  ...(await import('../parties/people/token-terms.ts')),
  ...(await import('../parties/people/read-tokens.ts')),
  ...(await import('../parties/people/read-people.ts')),
});

const joined = (all: readonly string[] | null): string => (all === null ? 'all' : all.join(' '));

const tokenView = Type.Object({
  name: text({ title: 'Token' }),
  owner: text({ title: 'Owner' }),
  role: Type.Enum([...STAFF_ROLES], { title: 'Role' }),
  scopes: orNull(Type.Array(Type.String()), { title: 'Scopes', text: joined, wide: true }),
  addresses: orNull(Type.Array(Type.String()), { title: 'Addresses', text: joined, wide: true }),
  created_at: fields.time({ title: 'Created', wide: true }),
  expires_at: fields.time({ title: 'Expires' }),
  used_at: fields.timeOrNull({ title: 'Used', nullText: 'never' }),
  state: Type.Enum(['valid', 'ended'], { title: 'State' }),
});
export type TokenView = Static<typeof tokenView>;
export type TokenList = PageOf<'tokens', typeof tokenView>;

const newToken = Type.Object({
  ...tokenView.properties,
  token: text({ title: 'Secret', secret: true }),
});
export type NewToken = Static<typeof newToken>;

const name = Type.String({
  pattern: '^[A-Za-z0-9_.-]{1,40}$',
  form: '1 to 40 letters, digits, dots, hyphens or underscores',
  description: 'the token’s name',
  argument: true,
});

export const TOKENS: Noun = {
  command: 'token',
  summary:
    'Tokens of programs that use the staff API. A program reads and proposes, with at most the rights of the token’s owner.',
  definitions: [
    list(core, BY_TIME, {
      name: 'token.list',
      summary: 'Tokens of programs with their last use, newest first.',
      route: 'GET /tokens',
      permission: 'tokens.read',
      rows: 'tokens',
      row: tokenView,
      empty: 'no tokens',
      read: async ({ core: { listTokens }, deps: { pool } }, page) => await listTokens(pool, page),
      placeOf: ({ createdAt: at, tokenId: id }) => ({ at, id }),
      show: (shown, { core: { isValid }, deps: { clock } }) =>
        shown.map((row) => viewOf(row, isValid(row, clock.now()))),
    }),
    action(core, {
      name: 'token.add',
      summary: 'Make a token for a program, which acts for you with it. The token is shown once.',
      route: 'POST /tokens',
      permission: 'tokens.act',
      actsAlone: true,
      input: inputOf({
        name,
        role: Type.Enum([...STAFF_ROLES], { description: 'at most the rights of this role' }),
        scopes: Type.Optional(
          fields.listOf(Type.Enum(Object.keys(PERMISSIONS) as Permission[]), {
            ...{ option: 'scope', placeholder: 'permission', form: 'a permission' },
            ...{ minItems: 1, maxItems: 50, uniqueItems: true },
            description: 'only this permission of the role; repeatable (default: all)',
          }),
        ),
        addresses: Type.Optional(
          fields.listOf(fields.line(50), {
            ...{ option: 'address', placeholder: 'network', form: 'a network' },
            ...{ minItems: 1, maxItems: 20 },
            description: 'only from this address or network; repeatable (default: any)',
          }),
        ),
        expires: fields.moment({
          default: '90d',
          form: 'a number of days such as 90d, or a day or time within a year',
          description: 'after so many days, or at a time',
        }),
      }),
      output: newToken,
      handle: async ({ core: { addToken, endOf, listPeople, ownerOf }, input, deps, viewer }) => {
        const { pool, clock } = deps;
        const personId = viewer.personId ?? ownerOf(viewer.login, await listPeople(pool));
        const { scopes = null, addresses = null, expires, ...named } = input;
        const made = await addToken(
          { pool, clock, masterKeys: await deps.masterKeys() },
          { ...named, scopes, addresses, personId, expiresAt: endOf(expires, deps) },
        );
        const result = viewOf(made.row, true);
        return { result: { ...result, token: made.token }, audit: { after: result } };
      },
    }),
    action(core, {
      name: 'token.revoke',
      summary: 'End a token for good, from the next request on.',
      route: 'POST /tokens/:name/revoke',
      permission: 'tokens.act',
      actsAlone: true,
      input: inputOf({ name }),
      output: tokenView,
      handle: async ({ core: { revokeToken, findTokenNamed, isValid }, input, deps }) => {
        const now = deps.clock.now();
        const former = await findTokenNamed(deps.pool, input.name);
        const before = former && { state: viewOf(former, isValid(former, now)).state };
        const result = viewOf(await revokeToken(deps.pool, input.name), false);
        return { result, audit: { ...(before && { before }), after: { state: result.state } } };
      },
    }),
  ],
};

const viewOf = (row: TokenRow, isValid: boolean): TokenView =>
  fit(tokenView, {
    ...wireOf(row),
    ...{ name: row.tokenName, owner: row.login, role: row.tokenRole },
    state: isValid ? 'valid' : 'ended',
  });
