import { randomBytes } from 'node:crypto';
import type { Secret } from '../../operator.ts';
import { createMac } from '../../../platform/base/mac.ts';
import { compileExpression, textOf } from './expression.ts';
import type { Expression } from './expression.ts';
import { SHARED_SECRET } from './settings.ts';
import type { SignatureSettings } from './settings.ts';
import { createVerifier, isHmac } from './signature.ts';
import { at, schemeOf, signedText } from './signing.ts';
import type { SecretPart } from './signing.ts';

/** Why a callback is not believed; null: it is the operator's. */
export type Verifying = (received: object, bytes: Buffer) => Promise<string | null>;

/** The operator's secrets, newest first: a callback may be signed with a former one. */
export type VerifyingKeys = readonly (Pick<Secret, 'validUntil'> & {
  readonly partOf: SecretPart;
})[];

const TOLERANCE_MS = 300_000;
/** The expression of the whole body. */
const BODY = 'body_text';

/** Throws: `Error` naming the setting. */
export function compileVerifying(settings: SignatureSettings, secrets: VerifyingKeys): Verifying {
  const keys = keysOf(settings, secrets);
  const text = textOfSettings(settings);
  const value = compileExpression('callback.signature.value', settings.value);
  const time =
    settings.time === null ? null : compileExpression('callback.signature.time', settings.time);
  const { tolerance_ms: toleranceMs = TOLERANCE_MS } = settings;
  return async (received, bytes) => {
    const signature = textOf(await value.evaluate(received));
    if (signature === undefined) return `the callback has no ${nameOf(settings)}`;
    const signed =
      text === null ? bytes : await signedText('callback.signature.text', text, received);
    const isSigned = keys.some(
      ({ validUntilMs, verify }) => validUntilMs > Date.now() && verify(signed, signature),
    );
    if (!isSigned) return `the ${nameOf(settings)} is not valid`;
    if (time === null) return null;
    const atMs = Number(textOf(await time.evaluate(received)) ?? Number.NaN);
    // Not `>`, so that NaN is refused.
    return Math.abs(Date.now() - atMs) <= toleranceMs
      ? null
      : 'the callback is too old, or its clock is wrong';
  };
}

/** Null: the body as received, which need not be text. A shared secret signs nothing. */
function textOfSettings({ algorithm, text = BODY }: SignatureSettings): Expression | null {
  const isBody = algorithm === SHARED_SECRET || text.trim() === BODY;
  return isBody ? null : compileExpression('callback.signature.text', text);
}

interface Key {
  readonly validUntilMs: number;
  readonly verify: ReturnType<typeof createVerifier>;
}

function nameOf({ algorithm }: SignatureSettings): string {
  return algorithm === SHARED_SECRET ? 'shared secret' : 'signature';
}

/** Compared by their hashes, so that the time says nothing about the secret. */
function sharedSecrets(
  { key: name = '' }: SignatureSettings,
  secrets: VerifyingKeys,
): readonly Key[] {
  return secrets.flatMap(({ validUntil, partOf }) => {
    const shared = at('callback.signature.key', () => partOf(name));
    if (shared === undefined) return [];
    const mac = createMac(randomBytes(32), 'sha256');
    const expected = mac.sign(shared);
    const validUntilMs = validUntil?.getTime() ?? Number.POSITIVE_INFINITY;
    return [
      {
        validUntilMs,
        verify: (_signed: string | Buffer, given: string) => mac.verify(given, expected),
      },
    ];
  });
}

function keysOf(settings: SignatureSettings, secrets: VerifyingKeys): readonly Key[] {
  const { algorithm, encoding = 'hex' } = settings;
  if (algorithm === SHARED_SECRET) return sharedSecrets(settings, secrets);
  const scheme = schemeOf({ ...settings, algorithm, encoding });
  if (!isHmac(algorithm)) {
    const verify = at('callback.signature.public_key', () =>
      createVerifier(scheme, settings.public_key ?? ''),
    );
    return [{ validUntilMs: Number.POSITIVE_INFINITY, verify }];
  }
  return secrets.flatMap(({ validUntil, partOf }) =>
    at('callback.signature.key', () => {
      const key = partOf(settings.key ?? '');
      const validUntilMs = validUntil?.getTime() ?? Number.POSITIVE_INFINITY;
      return key === undefined ? [] : [{ validUntilMs, verify: createVerifier(scheme, key) }];
    }),
  );
}
