import { Type } from 'typebox';
import type { Static } from 'typebox';
import { SIGNATURE_HINTS } from '../parties/compare-texts.ts';
import { LIMITS } from '../platform/base/limits.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, orNull, paging, text, textOrNull, titled } from './fields.ts';
import { pageByTime } from './pages.ts';

const core = async () => ({
  ...(await import('../parties/compare-signature.ts')),
  ...(await import('../parties/request-log.ts')),
  ...(await import('../self-service/request-view.ts')),
  ...(await import('../parties/require-vendor.ts')),
});

const vid = fields.vid({ argument: true });
const OF_VENDOR = { permission: 'integration.read', ownVendor: true } as const;

/** An answered request, without anything that was sent. The names are those of `/v1`. */
const requestRow = Type.Object({
  at: fields.time({ title: 'When' }),
  ...titled({ method: text, path: text, status: fields.count }),
  /** Null: it was not refused. */
  error_code: textOrNull({ title: 'Refused' }),
  duration_ms: Type.Number({ title: 'Milliseconds', unit: 'count' }),
  /** Null: the signature was invalid, or the operation is not signed: anybody may have sent it. */
  key_id: textOrNull({ title: 'Key', nullText: 'not proven', wide: true }),
  request_id: text({ title: 'Request', wide: true }),
});
export type RequestRow = Static<typeof requestRow>;

const list = Type.Object({
  requests: Type.Array(requestRow),
  /** The number of days for which requests are kept. */
  days: Type.Integer(),
  next: fields.next,
});
export type RequestList = Static<typeof list>;

const compared = Type.Object({
  is_right: orNull(Type.Boolean(), {
    title: 'The hash or header is right',
    nullText: 'none was sent',
  }),
  differs_at: orNull(Type.Integer(), { title: 'They differ from character', isOptional: true }),
  hint: orNull(Type.Enum([...SIGNATURE_HINTS]), { title: 'Usual mistake', isOptional: true }),
  ours: text({ title: 'Text to sign' }),
  yours: textOrNull({ title: 'Text that was signed', isOptional: true }),
});
export type SignatureCompared = Static<typeof compared>;

export const VENDOR_REQUESTS: Noun = {
  command: 'vendor request',
  summary: 'Vendors’ requests of the last days, and why a signature is not valid.',
  definitions: [
    view(core, {
      ...OF_VENDOR,
      name: 'request.list',
      summary: 'A vendor’s requests of the last days, newest first, without what was sent.',
      route: 'GET /vendors/:vid/requests',
      input: inputOf({
        vid,
        only: Type.Optional(
          Type.Enum(['refused'], {
            description: 'which',
            shorthands: { refused: 'only those that were refused' },
          }),
        ),
        ...paging(50),
      }),
      output: list,
      rows: 'requests',
      empty: 'no requests',
      isLong: 'for vendors',
      isWatched: true,
      handle: async ({ core: loaded, input, deps: { pool, clock } }) => {
        const { vendorId } = await loaded.requireVendor(pool, input.vid);
        const onlyRefused = input.only === 'refused';
        const { shown, next } = await pageByTime(
          input,
          async ({ before, limit }) =>
            await loaded.readRequests(pool, clock, vendorId, {
              ...{ onlyRefused, limit },
              before: before && { at: before.at, requestId: before.id },
            }),
          ({ at, requestId: id }) => ({ at, id }),
        );
        return { requests: shown.map(loaded.requestView), days: LIMITS.requestLogDays, next };
      },
    }),
    view(core, {
      ...OF_VENDOR,
      name: 'signature.compare',
      summary:
        'Compare the text that a vendor signed with the one that has to be signed. Nobody needs the key for this.',
      route: 'POST /vendors/:vid/signature',
      isNoted: true,
      input: inputOf({
        vid,
        request: Type.String({
          maxLength: LIMITS.bodyBytes,
          description:
            'the parameters as they were sent: a query string, a form or JSON; with --header the body',
        }),
        signed: Type.Optional(
          Type.String({
            ...{ maxLength: LIMITS.bodyBytes, placeholder: 'text' },
            description: 'the text that was signed',
          }),
        ),
        header: Type.Optional(
          Type.String({ maxLength: 300, description: 'for v2: the header X-Signature' }),
        ),
        method: Type.Optional(
          Type.Enum(['GET', 'POST'], { description: 'for v2: the method (usually POST)' }),
        ),
        target: Type.Optional(
          Type.String({
            ...{ maxLength: LIMITS.queryBytes, placeholder: 'path' },
            description: 'for v2: the path with its query',
          }),
        ),
      }),
      output: compared,
      handle: async ({ core: loaded, input, deps }) => {
        const { vid: named } = await loaded.requireVendor(deps.pool, input.vid);
        const keys = { vid: named, masterKeys: await deps.masterKeys() };
        const { isHashRight, differsAt, ...found } = await loaded.compareSignature(
          deps.pool,
          keys,
          input,
        );
        return { ...found, is_right: isHashRight, differs_at: differsAt };
      },
    }),
  ],
};
