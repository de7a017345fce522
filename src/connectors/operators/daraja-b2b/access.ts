import { constants, createPublicKey, publicEncrypt, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { strict } from '../../../platform/base/json-fields.ts';
import { caseAfterMs, CONNECTION_SETTINGS } from '../../connection.ts';
import { apiOf } from '../../http-api.ts';
import type { UsableOperator } from '../../operator.ts';
import { createSecretPaths } from '../../secret-path.ts';
import { createSecretReader, secretsOf } from '../../settings.ts';
import { requireCallbackUrl } from './callback-url.ts';

export const shortCode = Type.String({ pattern: '^\\d{5,7}$' });

/** Settings of every operator that pays with Daraja. */
export const ACCESS_SETTINGS = {
  ...CONNECTION_SETTINGS,
  /** Our own short code, which pays. */
  short_code: shortCode,
  /** API operator with the roles for payments, status query and balance query. */
  initiator: Type.String({ pattern: '^\\S{1,60}$' }),
  /** Safaricom's certificate of the environment, PEM; for `initiator_password`. */
  certificate: Type.Optional(Type.String({ maxLength: 8_000 })),
  float_account: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
  case_after_ms: Type.Optional(caseAfterMs),
};
const settingsType = Type.Object(ACCESS_SETTINGS);
type AccessSettings = Static<typeof settingsType>;

const SECRET = strict({
  consumer_key: Type.String({ minLength: 1 }),
  consumer_secret: Type.String({ minLength: 1 }),
  /** One of the two. */
  initiator_password: Type.Optional(Type.String({ minLength: 1 })),
  security_credential: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9+/=]{100,1000}$' })),
});
const readSecret = createSecretReader(
  SECRET,
  'consumer_key, consumer_secret, and security_credential or initiator_password',
);

export const EXAMPLE_SECRET = JSON.stringify({
  consumer_key: '…',
  consumer_secret: '…',
  security_credential: Buffer.alloc(256).toString('base64'),
});

/** Settings and secrets that all operators of Daraja need. @param floatAccount the usual one. */
export function accessOf(
  operator: UsableOperator,
  settings: AccessSettings,
  { callbackUrl, floatAccount }: { readonly callbackUrl: string; readonly floatAccount: string },
) {
  const { operatorCode } = operator;
  const secret = readSecret(operator);
  requireCallbackUrl(`operator ${operatorCode}`, callbackUrl);
  return {
    ...apiOf(operator, settings),
    consumerKey: secret.consumer_key,
    consumerSecret: secret.consumer_secret,
    initiator: {
      name: settings.initiator,
      shortCode: settings.short_code,
      securityCredential: credentialOf(operatorCode, settings, secret),
    },
    floatAccount: settings.float_account ?? floatAccount,
    caseAfterMs: settings.case_after_ms ?? 1_800_000,
    callbackUrl,
    paths: createSecretPaths(operatorCode, secretsOf(operator)),
  };
}

/** Encrypted once: the padding is random, so any one result may be used again. */
function credentialOf(
  operatorCode: string,
  settings: AccessSettings,
  secret: Static<typeof SECRET>,
): string {
  const { security_credential: given, initiator_password: password } = secret;
  if (given !== undefined && password === undefined) return given;
  if (password === undefined || given !== undefined || settings.certificate === undefined) {
    throw new Error(
      `operator ${operatorCode}: the secret needs security_credential, or initiator_password with the setting certificate`,
    );
  }
  return encryptCredential(publicKeyOf(operatorCode, settings.certificate), password);
}

export function encryptCredential(key: KeyObject, password: string): string {
  const padding = constants.RSA_PKCS1_PADDING;
  return publicEncrypt({ key, padding }, Buffer.from(password)).toString('base64');
}

function publicKeyOf(operatorCode: string, pem: string): KeyObject {
  try {
    return pem.includes('BEGIN CERTIFICATE')
      ? new X509Certificate(pem).publicKey
      : createPublicKey(pem);
  } catch (error) {
    throw new Error(`operator ${operatorCode}: certificate is not a PEM certificate`, {
      cause: error,
    });
  }
}
