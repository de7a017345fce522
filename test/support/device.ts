import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { KeyObject } from 'node:crypto';

/** A device that makes passkeys. Its key in COSE: RFC 9053 §7.1.1. */
export function newDevice(): { readonly publicKey: Buffer; readonly privateKey: KeyObject } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
  const cose = Buffer.concat([
    Buffer.from('a5010203262001215820', 'hex'),
    Buffer.from(x, 'base64url'),
    Buffer.from('225820', 'hex'),
    Buffer.from(y, 'base64url'),
  ]);
  return { publicKey: cose, privateKey };
}

/** The flags “present” and “verified”, and that a key follows. */
const MADE = 0x45;

/** What a new device answers when a passkey is made, without an attestation (WebAuthn §7.1). */
export function madeBy(
  { publicKey }: Pick<ReturnType<typeof newDevice>, 'publicKey'>,
  asked: { readonly challenge: string; readonly id: string; readonly origin: string },
) {
  const { challenge, origin } = asked;
  const credential = randomBytes(16);
  const client = { type: 'webauthn.create', challenge, origin };
  const authenticator = Buffer.concat([
    createHash('sha256').update(asked.id).digest(),
    Buffer.from([MADE, 0, 0, 0, 0]),
    Buffer.alloc(16),
    Buffer.from([0, credential.length]),
    ...[credential, publicKey],
  ]);
  const attestation = Buffer.concat([
    Buffer.from(`\u{00a3}cfmtdnonegattStmt\u{00a0}hauthDataX`, 'latin1'),
    Buffer.from([authenticator.length]),
    authenticator,
  ]);
  const id = credential.toString('base64url');
  const response = {
    clientDataJSON: Buffer.from(JSON.stringify(client)).toString('base64url'),
    attestationObject: attestation.toString('base64url'),
  };
  return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response };
}
