import { Type } from 'typebox';
import { byCode } from '../../../platform/base/json-fields.ts';
import { LIMITS } from '../../../platform/base/limits.ts';
import { connectionOf, readBaseUrl } from '../../connection.ts';
import { createSecretReader } from '../../settings.ts';
import type { Protocol, UsableOperator } from '../../operator.ts';
import { createHttpConnector } from './connector.ts';
import { requireConsistent } from './consistent.ts';
import { HTTP } from './declaration.ts';
import { readHttpSettings } from './settings.ts';
import type { HttpSettings } from './settings.ts';
import type { SecretPart } from './signing.ts';
import type { VerifyingKeys } from './verifying.ts';

const readSecret = createSecretReader(byCode(Type.String({ maxLength: 8_000 })));

/** Stands for the secret of an operator that has none yet. */
const EXAMPLE = '{"api_key":"…"}';

export const http: Protocol = {
  declaration: HTTP,
  exampleSecret: EXAMPLE,
  inventsSecret: false,
  create: (operator, callbackUrl) => {
    const { operatorCode } = operator;
    const settings = readHttpSettings(operatorCode, operator.settings);
    const secret = readSecret(operator);
    try {
      requireConsistent(settings);
      return createHttpConnector({
        ...connectionOf(operator, settings),
        baseUrl: readBaseUrl(operator),
        tokenUrl: tokenUrlOf(operator, settings),
        settings,
        secret,
        partOf: operator.secret === EXAMPLE ? () => undefined : requirePart(secret),
        verifyingKeys: verifyingKeysOf(operator),
        callbackUrl,
        answerBytes: LIMITS.operatorAnswerBytes,
      });
    } catch (error) {
      const { message } = error as Error;
      if (message.startsWith('operator ')) throw error;
      throw new Error(`operator ${operatorCode}: settings.${message}`, { cause: error });
    }
  },
  statementFormat: null,
};

type Parts = Readonly<Record<string, string>>;

function requirePart(parts: Parts): SecretPart {
  return (name) => {
    if (!Object.hasOwn(parts, name)) throw new Error(`names no part of the secret: ${name}`);
    return parts[name];
  };
}

/** The newest must have the part that the settings name; a former one may be of other settings. */
function verifyingKeysOf(operator: UsableOperator): VerifyingKeys {
  if (operator.secret === EXAMPLE) return [];
  const newest = requirePart(readSecret(operator));
  return [
    { validUntil: null, partOf: newest },
    ...operator.secrets.slice(1).map(({ secret, validUntil }) => {
      const parts = readSecret({ ...operator, secret });
      return { validUntil, partOf: (name: string) => parts[name] };
    }),
  ];
}

function tokenUrlOf(operator: UsableOperator, { auth }: HttpSettings): URL {
  const baseUrl = auth?.kind === 'oauth' ? auth.base_url : undefined;
  if (baseUrl === undefined) return readBaseUrl(operator);
  return readBaseUrl({ ...operator, baseUrl, what: 'settings.auth.base_url' });
}
