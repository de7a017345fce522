import { createSecretKey } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { HASH_FIELD, canonicalText } from '../platform/base/canonical.ts';
import type { Fields } from '../platform/base/canonical.ts';
import { Refusal } from '../platform/base/errors.ts';
import type { MasterKeys } from '../platform/base/sealing.ts';
import type { Queryable } from '../platform/db/pool.ts';
import { KnownNames } from '../platform/http/wire/parameters.ts';
import { readFields } from '../platform/http/wire/request.ts';
import { firstDifference, hintFor } from './compare-texts.ts';
import type { SignatureHint } from './compare-texts.ts';
import {
  headerSignatureText,
  readHeaderSignature,
  verifyHeaderSignature,
} from './header-signature.ts';
import { openSecretsOf } from './keys.ts';
import { verify } from './signature.ts';

/** A request that a vendor signed, and what it signed. */
export interface SignedByVendor {
  /** The parameters as they were sent: a query string, a form or JSON. */
  readonly request: string;
  /** The text that was signed. */
  readonly signed?: string | undefined;
  /** The authorization header. Only a request with a signature by header (v2) has it, its method and its path with the query. */
  readonly header?: string | undefined;
  readonly method?: string | undefined;
  readonly target?: string | undefined;
}

/** The text that we would sign, compared with the one that was signed. */
export interface ComparedSignature {
  readonly ours: string;
  /** Null: none was given. */
  readonly yours: string | null;
  /** Where the two differ first, in characters from 0; null: they are equal, or there is one only. */
  readonly differsAt: number | null;
  readonly hint: SignatureHint | null;
  /** Null: no `hash` or header was sent. */
  readonly isHashRight: boolean | null;
}

interface Keys {
  readonly vid: string;
  readonly keys: readonly KeyObject[];
}

/**
 * Compares the text that a vendor signed with the one that we would. It shows no secret; whether a `hash` is right, the
 * API tells everybody who sends one. Throws: `missing_field`, `invalid_field`, `malformed_request` and the refusals of
 * `readFields`.
 */
export async function compareSignature(
  db: Queryable,
  { vid, masterKeys }: { readonly vid: string; readonly masterKeys: MasterKeys },
  { signed = '', header = '', ...asked }: SignedByVendor,
): Promise<ComparedSignature> {
  const secrets = await openSecretsOf(db, { holderKind: 'vendor', holder: vid }, masterKeys);
  const keys = secrets.map((secret) => createSecretKey(secret, 'utf8'));
  const { ours, isHashRight } =
    header === '' ? await byHash({ ...asked, vid, keys }) : byHeader({ ...asked, header, keys });
  const yours = signed === '' ? null : signed;
  return {
    ...{ ours, yours, isHashRight },
    differsAt: yours === null ? null : (firstDifference(ours, yours) ?? null),
    hint: yours === null || yours === ours ? null : (hintFor(ours, yours) ?? null),
  };
}

type Ours = Pick<ComparedSignature, 'ours' | 'isHashRight'>;

/** Makes the text that `hash` covers (v1). */
async function byHash(asked: Pick<SignedByVendor, 'request'> & Keys): Promise<Ours> {
  const request = asked.request.trim();
  if (request === '') throw new Refusal('missing_field', { field: 'request' });
  const fields = await fieldsOf(request);
  const isHashRight =
    (fields.get(HASH_FIELD) ?? '') === ''
      ? null
      : fields.get('vid') === asked.vid && verify({ fields }, () => asked) !== undefined;
  return { ours: canonicalText(fields), isHashRight };
}

/** Makes the text that the header covers (v2): the request is the body, byte for byte. */
function byHeader(asked: SignedByVendor & { readonly header: string } & Pick<Keys, 'keys'>): Ours {
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

/** As the API reads them, whatever the operation. */
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
