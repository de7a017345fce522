import { expect, test } from 'vitest';
import { addPasskey, checkPasskey } from '../../../../src/parties/people/passkeys.ts';
import type { Mac } from '../../../../src/platform/base/mac.ts';
import type { Pool } from '../../../../src/platform/db/pool.ts';

const party = { id: 'pay.example', origin: 'https://pay.example' };
const id = 'cGFzc2tleQ';
/** Passkey and person are the service's. */
const ledgerMac: Mac = { sign: () => Buffer.alloc(32), verify: () => true };
const at = new Date();
const answer = (type: string) => ({
  id,
  rawId: id,
  type: 'public-key',
  clientExtensionResults: {},
  response: {
    clientDataJSON: Buffer.from(
      JSON.stringify({ type, challenge: 'asked', origin: party.origin }),
    ).toString('base64url'),
    authenticatorData: '',
    attestationObject: '',
    signature: '',
  },
});

/** The passkey is known; then the database fails, or the challenge is unknown. */
function databaseWith(challenge: () => Promise<{ rows: unknown[]; rowCount: number }>): Pool {
  const key = { credentialId: id, personId: 'p', publicKey: Buffer.alloc(1), signCount: 0n };
  const query = async (text: string) =>
    text.includes('challenge') ? await challenge() : { rows: [key], rowCount: 1 };
  return { query } as unknown as Pool;
}

test('a database that fails is not a passkey that does not fit', async () => {
  const down = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
  const pool = databaseWith(async () => await Promise.reject(down));
  const asked = checkPasskey({ pool, party, ledgerMac }, answer('webauthn.get'), at);
  await expect(asked).rejects.toBe(down);
  const made = { response: answer('webauthn.create'), name: 'x', now: at };
  await expect(addPasskey({ pool, party, ledgerMac }, { personId: 'p' }, made)).rejects.toBe(down);
});

test('an unknown challenge is a passkey that does not fit', async () => {
  const pool = databaseWith(async () => await Promise.resolve({ rows: [], rowCount: 0 }));
  const asked = checkPasskey({ pool, party, ledgerMac }, answer('webauthn.get'), at);
  await expect(asked).rejects.toMatchObject({ code: 'sign_in_failed' });
  const made = { response: answer('webauthn.create'), name: 'x', now: at };
  const added = addPasskey({ pool, party, ledgerMac }, { personId: 'p' }, made);
  await expect(added).rejects.toMatchObject({ code: 'invalid_field', field: 'response' });
});
