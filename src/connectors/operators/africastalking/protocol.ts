import { Type } from 'typebox';
import { codeField, strict } from '../../../platform/base/json-fields.ts';
import { caseAfterMs, CONNECTION_SETTINGS } from '../../connection.ts';
import { apiOf } from '../../http-api.ts';
import { createSettingsReader, createSecretReader } from '../../settings.ts';
import type { Protocol } from '../../operator.ts';
import { createAfricastalkingConnector } from './connector.ts';
import { AFRICASTALKING } from './declaration.ts';

const readSettings = createSettingsReader(
  strict({
    ...CONNECTION_SETTINGS,
    /** The name of our application there; `sandbox` in the sandbox. */
    username: Type.String({ pattern: '^[\\x21-\\x7e]{1,100}$' }),
    /** Codes of our billers that sell airtime. */
    billers: Type.Array(codeField, {
      minItems: 1,
      maxItems: 50,
    }),
    case_after_ms: Type.Optional(caseAfterMs),
  }),
);

const readSecret = createSecretReader(
  strict({ api_key: Type.String({ pattern: '^[\\x21-\\x7e]{1,500}$' }) }),
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
      ...apiOf(operator, settings),
      username: settings.username,
      apiKey: secret.api_key,
      billers: new Set(settings.billers),
      caseAfterMs: settings.case_after_ms ?? 1_800_000,
    });
  },
  statementFormat: null,
};
