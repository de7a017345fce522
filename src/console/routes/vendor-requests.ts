import type { KeyObject } from 'node:crypto';
import { Type } from 'typebox';
import { firstDifference, hintFor } from '../../parties/compare-texts.ts';
import type { VendorDirectory } from '../../parties/directory.ts';
import {
  headerSignatureText,
  readHeaderSignature,
  verifyHeaderSignature,
} from '../../parties/header-signature.ts';
import { listRequests } from '../../parties/request-log-store.ts';
import type { LoggedRequest } from '../../parties/request-log-store.ts';
import { verify } from '../../parties/signature.ts';
import { HASH_FIELD, canonicalText } from '../../platform/base/canonical.ts';
import type { Fields } from '../../platform/base/canonical.ts';
import type { Clock } from '../../platform/base/clock.ts';
import { DAY_MS } from '../../platform/base/days.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { LIMITS } from '../../platform/base/limits.ts';
import type { LongReads } from '../../platform/base/long-reads.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { KnownNames } from '../../platform/http/wire/parameters.ts';
import { readFields } from '../../platform/http/wire/request.ts';
import type { RequestView, RequestsAnswer, SignatureCompared } from '../request-answers.ts';
import { Audited, readInVendorsTurn, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { pageOf, readTimeCursor, timeCursor } from '../../staff/pages.ts';
import { requireVendor, vendorParams as params } from './vendor.ts';

export interface RequestRoutesOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly directory: Pick<VendorDirectory, 'vendor'>;
  readonly reads: LongReads;
}

const PAGE = 50;

/** A vendor's requests of the last days, and why a signature does not fit. */
export function requestRoutes(options: RequestRoutesOptions): AnyRoute[] {
  return [listRoute(options), signatureRoute(options)];
}

function listRoute({ pool, clock, reads }: RequestRoutesOptions): AnyRoute {
  return route({
    method: 'GET',
    path: '/vendors/:vid/requests',
    permission: 'integration.read',
    params,
    query: Type.Object(
      {
        only: Type.Optional(Type.Enum(['refused'])),
        cursor: Type.Optional(Type.String({ maxLength: 80 })),
      },
      { additionalProperties: false },
    ),
    handle: async (input, context): Promise<RequestsAnswer> => {
      const { vendorId } = await requireVendor(pool, input.params.vid);
      const { only, cursor } = input.query;
      const days = LIMITS.requestLogDays;
      const page = {
        onlyRefused: only === 'refused',
        since: new Date(clock.now().getTime() - days * DAY_MS),
        before: cursor === undefined ? undefined : readCursor(cursor),
        limit: PAGE + 1,
      };
      const read = async () => await listRequests(pool, vendorId, page);
      const found = await readInVendorsTurn(reads, context, read);
      const { shown, next } = pageOf(found, PAGE, ({ at, requestId }) => timeCursor(at, requestId));
      return {
        requests: shown.map(requestView),
        next,
        days,
      };
    },
  });
}

/** Throws: `invalid_field`. */
function readCursor(cursor: string): { readonly at: Date; readonly requestId: string } {
  const { at, id: requestId } = readTimeCursor(cursor);
  return { at, requestId };
}

function requestView({ at, durationUs, ...row }: LoggedRequest): RequestView {
  const { requestId, method, route: path, status, code, keyId } = row;
  const durationMs = durationUs / 1000;
  return {
    requestId,
    at: at.toISOString(),
    method,
    route: path,
    status,
    code,
    durationMs,
    keyId,
  };
}

/**
 * Compares the text that a vendor signed with the one that we would. It needs no secret and shows none;
 * whether a `hash` is right, the API tells everybody who sends one.
 */
function signatureRoute({ pool, directory }: RequestRoutesOptions): AnyRoute {
  return route({
    method: 'POST',
    path: '/vendors/:vid/signature',
    permission: 'integration.read',
    action: 'signature.compare',
    params,
    body: Type.Object(
      {
        /** The parameters as they were sent: a query string, a form or JSON. */
        request: Type.String({ maxLength: LIMITS.bodyBytes }),
        /** The text that was signed. */
        signed: Type.Optional(Type.String({ maxLength: LIMITS.bodyBytes })),
        /** For a signature by header (v2): the header, the method and the path with its query. */
        header: Type.Optional(Type.String({ maxLength: 300 })),
        method: Type.Optional(Type.Enum(['GET', 'POST'])),
        target: Type.Optional(Type.String({ maxLength: LIMITS.queryBytes })),
      },
      { additionalProperties: false },
    ),
    handle: async (input) => {
      const { vid } = await requireVendor(pool, input.params.vid);
      const { signed, header = '' } = input.body;
      const keys = directory.vendor(vid)?.keys ?? [];
      const asked = { ...input.body, vid, keys };
      const { ours, isHashRight } =
        header === '' ? await byHash(asked) : byHeader({ ...asked, header });
      const yours = signed === undefined || signed === '' ? null : signed;
      const answer: SignatureCompared = {
        ours,
        yours,
        differsAt: yours === null ? null : (firstDifference(ours, yours) ?? null),
        hint: yours === null || yours === ours ? null : (hintFor(ours, yours) ?? null),
        isHashRight,
      };
      return new Audited(answer, { after: { isHashRight: answer.isHashRight } });
    },
  });
}

type Ours = Pick<SignatureCompared, 'ours' | 'isHashRight'>;

/** What `hash` is made of (v1). Throws: `missing_field` and the refusals of `readFields`. */
async function byHash(asked: {
  readonly request: string;
  readonly vid: string;
  readonly keys: readonly KeyObject[];
}): Promise<Ours> {
  const request = asked.request.trim();
  if (request === '') throw new Refusal('missing_field', { field: 'request' });
  const fields = await fieldsOf(request);
  const isHashRight =
    (fields.get(HASH_FIELD) ?? '') === ''
      ? null
      : fields.get('vid') === asked.vid && verify({ fields }, () => asked) !== undefined;
  return { ours: canonicalText(fields), isHashRight };
}

/** What the header is made of (v2): the request is the body, byte for byte. Throws: `invalid_field`. */
function byHeader(asked: {
  readonly request: string;
  readonly header: string;
  readonly method?: string | undefined;
  readonly target?: string | undefined;
  readonly keys: readonly KeyObject[];
}): Ours {
  const signature = readHeaderSignature(asked.header.trim().replace(/^x-signature:\s*/i, ''));
  if (signature === undefined) {
    const text = 'It must be v2,t=<epoch seconds>,nonce=<16 to 64 characters>,sig=<64 digits>';
    throw new Refusal('invalid_field', { field: 'header', text });
  }
  const { method = 'POST', target = '' } = asked;
  if (!target.startsWith('/')) {
    const text = 'It must be the path with its query, beginning with /';
    throw new Refusal('invalid_field', { field: 'target', text });
  }
  const request = { method, target, body: Buffer.from(asked.request, 'utf8') };
  return {
    ours: headerSignatureText(request, signature),
    isHashRight: verifyHeaderSignature(signature, request, asked.keys) !== undefined,
  };
}

/** As the API reads them, whatever the operation. Throws the refusals of `readFields`. */
async function fieldsOf(request: string): Promise<Fields> {
  const isJson = request.startsWith('{');
  const text = isJson ? request : request.replace(/^[^?&=]*\?/, '');
  const body = Buffer.from(text, 'utf8');
  const contentType = isJson ? 'application/json' : 'application/x-www-form-urlencoded';
  const names = isJson
    ? jsonNames(text)
    : text.split('&').map((part) => part.split('=', 1)[0] ?? '');
  const known = names.filter((name) => /^[A-Za-z][A-Za-z0-9_]*$/.test(name));
  const { fields } = await readFields(
    { contentType, body, query: '' },
    new KnownNames().signed(known),
  );
  return fields;
}

/** Throws: `malformed_request`. */
function jsonNames(text: string): string[] {
  try {
    return Object.keys(JSON.parse(text) as object);
  } catch (cause) {
    throw new Refusal('malformed_request', {
      field: 'request',
      text: 'It is not valid JSON',
      cause,
    });
  }
}
