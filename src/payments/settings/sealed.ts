import { filledText, strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { deriveKey, seal, unseal } from '../../platform/base/sealing.ts';
import type { MasterKeys } from '../../platform/base/sealing.ts';
import { createMac } from '../../platform/base/mac.ts';
import { newId } from '../../platform/base/ids.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { openSecretsOf } from '../../parties/keys.ts';
import type { Holder } from '../../parties/keys.ts';
import { listKeysOf } from '../../parties/read-keys.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import type { Fields, Tools } from './setting.ts';

type WithKeys = Pick<Tools, 'masterKeys'>;

/** A secret in the content of a proposal: encrypted, and usable in no other content. */
export const sealedSecret = strict({
  id: filledText(36),
  masterKeyId: filledText(64),
  bytes: Type.String({ minLength: 1, maxLength: 40_000 }),
});
export type SealedSecret = Static<typeof sealedSecret>;

/** @param of whose it is, such as `operator kplc`. */
export function sealSecret(secret: string, of: string, masterKeys: MasterKeys): SealedSecret {
  const id = newId();
  const { masterKeyId, bytes } = seal(secret, locationOf(of, id), masterKeys);
  return { id, masterKeyId, bytes: bytes.toString('base64') };
}

/** Throws: `PlainError` if the master key has been replaced since. */
export function openSecret(sealed: SealedSecret, of: string, tools: WithKeys): string {
  const { id, masterKeyId, bytes } = sealed;
  const given = { masterKeyId, bytes: Buffer.from(bytes, 'base64') };
  return unseal(given, locationOf(of, id), requireMasterKeys(tools));
}

const locationOf = (of: string, id: string): string => `proposals|${of}|${id}`;

const FINGERPRINT_DIGITS = 12;

/** Tells two secrets apart, and nothing else about them: without the master key it cannot be computed. */
export function fingerprint(secret: string, tools: WithKeys): string {
  const key = deriveKey(requireMasterKeys(tools).current, 'malipo fingerprints of secrets');
  return createMac(key).sign(secret).toString('hex').slice(0, FINGERPRINT_DIGITS);
}

/** Describes a holder's current key; null: it has none. */
export async function keyFields(
  db: Queryable,
  holder: Holder,
  tools: WithKeys,
): Promise<Fields | null> {
  if ((await listKeysOf(db, holder)).length === 0) return null;
  try {
    const [current = ''] = await openSecretsOf(db, holder, requireMasterKeys(tools));
    return { Fingerprint: fingerprint(current, tools) };
  } catch (error) {
    // A damaged one must be possible to replace.
    if (error instanceof PlainError) return { Fingerprint: 'it cannot be read' };
    throw error;
  }
}

export function requireMasterKeys({ masterKeys }: WithKeys): MasterKeys {
  if (masterKeys !== undefined) return masterKeys;
  throw new PlainError('Set MASTER_KEY to the value that the service uses.');
}
