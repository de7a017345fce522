import { constants, createPublicKey, publicEncrypt, X509Certificate } from 'node:crypto';
import type { KeyObject } from 'node:crypto';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { LIMITS } from '../../../platform/base/limits.ts';
import { CONNECTION_SETTINGS, connectionOf, readBaseUrl } from '../../connection.ts';
import { createSettingsReader, createSecretReader, secretsOf } from '../../settings.ts';
import type { Protocol } from '../../operator.ts';
import { createSecretPaths } from '../../secret-path.ts';
import { requireCallbackUrl } from './callback-url.ts';
import { createDarajaConnector } from './connector.ts';
import { DARAJA_B2B } from './declaration.ts';
import type { Receiver } from './requests.ts';

const shortCode = Type.String({ pattern: '^\\d{5,7}$' });

/** What a biller is paid to: one of the two. */
const BILLER = Type.Object(
  {
    pay_bill: Type.Optional(shortCode),
    /** A till, the number of a store, or the head office of a merchant. */
    till: Type.Optional(shortCode),
    /** Of a till. Default: 4. */
    identifier_type: Type.Optional(Type.Enum(['2', '4'])),
    account_reference: Type.Optional(Type.String({ pattern: '^[^{}]*\\{account\\}[^{}]*$' })),
  },
  { additionalProperties: false },
);

const SETTINGS = Type.Object(
  {
    ...CONNECTION_SETTINGS,
    /** Our own short code, which pays. */
    short_code: shortCode,
    /** API operator with the roles for pay bill, status query and balance query. */
    initiator: Type.String({ pattern: '^\\S{1,60}$' }),
    /** Safaricom's certificate of the environment, PEM; for `initiator_password`. */
    certificate: Type.Optional(Type.String({ maxLength: 8_000 })),
    billers: Type.Record(Type.String({ pattern: '^[a-z0-9_]{1,40}$' }), BILLER, {
      additionalProperties: false,
    }),
    max_account_length: Type.Optional(Type.Integer({ minimum: 1, maximum: 32 })),
    float_account: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
    case_after_ms: Type.Optional(Type.Integer({ minimum: 60_000, maximum: 86_400_000 })),
  },
  { additionalProperties: false },
);
const readSettings = createSettingsReader(SETTINGS);

const SECRET = Type.Object(
  {
    consumer_key: Type.String({ minLength: 1 }),
    consumer_secret: Type.String({ minLength: 1 }),
    /** One of the two. */
    initiator_password: Type.Optional(Type.String({ minLength: 1 })),
    security_credential: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9+/=]{100,1000}$' })),
  },
  { additionalProperties: false },
);
const readSecret = createSecretReader(
  SECRET,
  'consumer_key, consumer_secret, and security_credential or initiator_password',
);

export const darajaB2b: Protocol = {
  declaration: DARAJA_B2B,
  exampleSecret: JSON.stringify({
    consumer_key: '…',
    consumer_secret: '…',
    security_credential: Buffer.alloc(256).toString('base64'),
  }),
  inventsSecret: false,
  create: (operator, callbackUrl) => {
    const { operatorCode } = operator;
    const settings = readSettings(operatorCode, operator.settings);
    const secret = readSecret(operator);
    requireCallbackUrl(`operator ${operatorCode}`, callbackUrl);
    return createDarajaConnector({
      ...connectionOf(operator, settings),
      baseUrl: readBaseUrl(operator),
      consumerKey: secret.consumer_key,
      consumerSecret: secret.consumer_secret,
      initiator: {
        name: settings.initiator,
        shortCode: settings.short_code,
        securityCredential: credentialOf(operatorCode, settings, secret),
      },
      billers: new Map(
        Object.entries(settings.billers).map(([code, rule]) => [
          code,
          {
            receiver: receiverOf(operatorCode, code, rule),
            accountReference: rule.account_reference ?? '{account}',
          },
        ]),
      ),
      maxAccountLength: settings.max_account_length ?? 13,
      floatAccount: settings.float_account ?? 'Working Account',
      caseAfterMs: settings.case_after_ms ?? 1_800_000,
      callbackUrl,
      paths: createSecretPaths(operatorCode, secretsOf(operator)),
      answerBytes: LIMITS.operatorAnswerBytes,
    });
  },
  statementFormat: null,
};

function receiverOf(
  operatorCode: string,
  billerCode: string,
  { pay_bill: payBill, till, identifier_type: identifierType }: Static<typeof BILLER>,
): Receiver {
  if (till !== undefined && payBill === undefined) {
    return {
      command: 'BusinessBuyGoods',
      shortCode: till,
      identifierType: identifierType ?? '4',
    };
  }
  if (payBill !== undefined && till === undefined && identifierType === undefined) {
    return { command: 'BusinessPayBill', shortCode: payBill, identifierType: '4' };
  }
  throw new Error(
    `operator ${operatorCode}: settings.billers.${billerCode} needs pay_bill, or till (with identifier_type if it is not 4)`,
  );
}

/** Encrypted once: the padding is random, so any one result may be used again. */
function credentialOf(
  operatorCode: string,
  settings: Static<typeof SETTINGS>,
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
