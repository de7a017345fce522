import type { Secret } from '../../operator.ts';
import { compileExpression, textOf } from './expression.ts';
import type { SignatureSettings } from './settings.ts';
import { createVerifier, isHmac } from './signature.ts';
import { at, schemeOf, signedText } from './signing.ts';
import type { SecretPart } from './signing.ts';

/** Why a callback is not believed; null: it is the operator's. */
export type Verifying = (received: object) => Promise<string | null>;

/** The operator's secrets, newest first: a callback may be signed with a former one. */
export type VerifyingKeys = readonly (Pick<Secret, 'validUntil'> & {
  readonly partOf: SecretPart;
})[];

const TOLERANCE_MS = 300_000;

/** Throws: `Error` naming the setting. */
export function compileVerifying(settings: SignatureSettings, secrets: VerifyingKeys): Verifying {
  const keys = keysOf(settings, secrets);
  const text = compileExpression('callback.signature.text', settings.text);
  const value = compileExpression('callback.signature.value', settings.value);
  const time =
    settings.time === null ? null : compileExpression('callback.signature.time', settings.time);
  const { tolerance_ms: toleranceMs = TOLERANCE_MS } = settings;
  return async (received) => {
    const signature = textOf(await value.evaluate(received));
    if (signature === undefined) return 'the callback is not signed';
    const signed = await signedText('callback.signature.text', text, received);
    const isSigned = keys.some(
      ({ validUntilMs, verify }) => validUntilMs > Date.now() && verify(signed, signature),
    );
    if (!isSigned) return 'the signature is not valid';
    if (time === null) return null;
    const atMs = Number(textOf(await time.evaluate(received)) ?? Number.NaN);
    // Not `>`, so that NaN is refused.
    return Math.abs(Date.now() - atMs) <= toleranceMs
      ? null
      : 'the callback is too old, or its clock is wrong';
  };
}

interface Key {
  readonly validUntilMs: number;
  readonly verify: ReturnType<typeof createVerifier>;
}

function keysOf(settings: SignatureSettings, secrets: VerifyingKeys): readonly Key[] {
  const scheme = schemeOf(settings);
  if (!isHmac(settings.algorithm)) {
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
