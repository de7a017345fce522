import { createSecretKey } from 'node:crypto';
import { HASH_FIELD, canonicalText } from '../../platform/base/canonical.ts';
import { sign } from '../signature.ts';

/** Keys of the sandbox's vendors and collector, who sign the contract's examples. They are public. */
export const DEMO_KEYS = {
  demo: 'demo-security-key',
  demo2: 'demo2-security-key',
  'demo-collector': 'demo-collector-key',
} as const;

/** The sandbox shares it with its simulated operators, which have a copy. It is public. */
export const DEMO_OPERATOR_KEY = 'whsec_c2ltdWxhdGVkLW9wZXJhdG9ycy1rZXktb3Blbi10by1hbGw=';

/** The password of everybody who signs in to the sandbox's console. It is public. */
export const DEMO_PASSWORD = 'demo-console-password';

/** The keys that an example's signature is made with. */
interface SignedExample {
  readonly key: string;
  readonly text: string;
  readonly hash: string;
}

/** Throws if the signer is not one of the sandbox's. */
export function signatureOfExample(
  request: Readonly<Record<string, string>>,
  signerName: string,
): SignedExample {
  const key = new Map<string, string>(Object.entries(DEMO_KEYS)).get(signerName);
  if (key === undefined) throw new Error(`the sandbox has no signer ${signerName}`);
  const text = canonicalText(new Map(Object.entries(request)));
  return { key, text, hash: sign(text, createSecretKey(key, 'utf8')) };
}

/** The request with its `hash`. */
export function signExample(
  request: Readonly<Record<string, string>>,
  signerName: string,
): Readonly<Record<string, string>> {
  return { ...request, [HASH_FIELD]: signatureOfExample(request, signerName).hash };
}
