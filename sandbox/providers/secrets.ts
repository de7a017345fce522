import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The parts of each provider's secret, with their lengths in bytes. */
const PARTS = {
  daraja: { consumer_key: 24, consumer_secret: 24, security_credential: 256 },
  paybill: { consumer_key: 24, consumer_secret: 24, passkey: 32 },
  jambopay: { username: 8, password: 24, app_key: 24 },
  dtone: { api_key: 16, api_secret: 24 },
  reloadly: { client_id: 16, client_secret: 24, webhook_secret: 24 },
  vtpass: { api_key: 24, secret_key: 24, public_key: 24 },
  africastalking: { api_key: 24 },
  tingg: { username: 8, password: 24 },
  darajab2c: { consumer_key: 24, consumer_secret: 24, security_credential: 256 },
  till: { consumer_key: 24, consumer_secret: 24, passkey: 32 },
  airtelmoney: { client_id: 16, client_secret: 24, pin: 6 },
  flutterwave: { secret_key: 24, secret_hash: 24 },
  kopokopo: { client_id: 16, client_secret: 24, api_key: 24 },
  pesalink: { consumer_key: 16, consumer_secret: 24 },
} as const;

export type ProviderCode = keyof typeof PARTS;
export type ProviderSecrets = {
  readonly [Code in ProviderCode]: { readonly [Part in keyof (typeof PARTS)[Code]]: string };
} & {
  /** PEM. PINs sent to the emulated Airtel Money are encrypted with its public key. */
  readonly airtel_private_key: string;
};

/** Where the emulators of providers keep what they know. */
export function providersFolder(dataDir: string): string {
  return path.join(dataDir, 'providers');
}

/** The secrets between us and the emulated providers: made at the first call, and kept. */
export function providerSecrets(dataDir: string): ProviderSecrets {
  const folder = providersFolder(dataDir);
  const file = path.join(folder, 'secrets.json');
  mkdirSync(folder, { recursive: true });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, JSON.stringify(newSecrets()), { mode: 0o600 });
  try {
    // Unlike a rename, a link leaves alone what is there.
    linkSync(unfinished, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(unfinished);
  }
  return JSON.parse(readFileSync(file, 'utf8')) as ProviderSecrets;
}

function newSecrets(): ProviderSecrets {
  const parts = Object.entries(PARTS).map(([code, lengths]) => [
    code,
    Object.fromEntries(
      Object.entries(lengths).map(([part, bytes]) => [part, randomBytes(bytes).toString('base64')]),
    ),
  ]);
  const { privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  return { ...Object.fromEntries(parts), airtel_private_key: privateKey } as ProviderSecrets;
}
