import { Type } from 'typebox';
import { LIMITS } from '../../../platform/base/limits.ts';
import { CONNECTION_SETTINGS, connectionOf, readBaseUrl } from '../../connection.ts';
import { createSettingsReader, createSecretReader } from '../../settings.ts';
import type { Protocol } from '../../operator.ts';
import { createAfricastalkingConnector } from './connector.ts';
import { AFRICASTALKING } from './declaration.ts';

const readSettings = createSettingsReader(
  Type.Object(
    {
      ...CONNECTION_SETTINGS,
      /** The name of our application there; `sandbox` in the sandbox. */
      username: Type.String({ pattern: '^[\\x21-\\x7e]{1,100}$' }),
      /** Codes of our billers that sell airtime. */
      billers: Type.Array(Type.String({ pattern: '^[a-z0-9_]{1,40}$' }), {
        minItems: 1,
        maxItems: 50,
      }),
      case_after_ms: Type.Optional(Type.Integer({ minimum: 60_000, maximum: 86_400_000 })),
    },
    { additionalProperties: false },
  ),
);

const readSecret = createSecretReader(
  Type.Object(
    { api_key: Type.String({ pattern: '^[\\x21-\\x7e]{1,500}$' }) },
    { additionalProperties: false },
  ),
);

export const africastalking: Protocol = {
  declaration: AFRICASTALKING,
  exampleSecret: JSON.stringify({ api_key: 'key' }),
  inventsSecret: false,
  create: (operator) => {
    const { operatorCode } = operator;
    const settings = readSettings(operatorCode, operator.settings);
    const secret = readSecret(operator);
    return createAfricastalkingConnector({
      ...connectionOf(operator, settings),
      baseUrl: readBaseUrl(operator),
      username: settings.username,
      apiKey: secret.api_key,
      billers: new Set(settings.billers),
      caseAfterMs: settings.case_after_ms ?? 1_800_000,
      answerBytes: LIMITS.operatorAnswerBytes,
    });
  },
  statementFormat: null,
};
