import { Type } from 'typebox';
import { byCode, strict } from '../../../platform/base/json-fields.ts';
import { MOBILE_NUMBER } from '../../../platform/base/mobile-number.ts';
import { caseAfterMs, CONNECTION_SETTINGS } from '../../connection.ts';
import { apiOf } from '../../http-api.ts';
import { createSettingsReader, createSecretReader, secretsOf } from '../../settings.ts';
import type { Protocol } from '../../operator.ts';
import { createSecretPaths } from '../../secret-path.ts';
import { createJambopayConnector } from './connector.ts';
import { JAMBOPAY } from './declaration.ts';

const biller = Type.Union([
  strict({ stream: Type.Union([Type.Literal('kplc'), Type.Literal('nairobiwater')]) }),
  strict({
    stream: Type.Literal('credit'),
    /** 1 Airtel, 2 Telkom, 4 Safaricom. */
    operator_code: Type.Union([Type.Literal('1'), Type.Literal('2'), Type.Literal('4')]),
  }),
]);

const readSettings = createSettingsReader(
  strict({
    ...CONNECTION_SETTINGS,
    billers: byCode(biller),
    phone_number: Type.String({ pattern: MOBILE_NUMBER.source }),
    grant_type: Type.Optional(Type.Union([Type.Literal('agency'), Type.Literal('password')])),
    paid_by: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
    code_field: Type.Optional(Type.String({ pattern: '^[A-Za-z_]{1,40}$' })),
    case_after_ms: Type.Optional(caseAfterMs),
  }),
);

const readSecret = createSecretReader(
  strict({
    username: Type.String({ minLength: 1 }),
    password: Type.String({ minLength: 1 }),
    app_key: Type.String({ pattern: '^[\\x21-\\x7e]{1,500}$' }),
  }),
);

export const jambopay: Protocol = {
  declaration: JAMBOPAY,
  exampleSecret: JSON.stringify({ username: '…', password: '…', app_key: 'key' }),
  inventsSecret: false,
  create: (operator, callbackUrl) => {
    const { operatorCode } = operator;
    const settings = readSettings(operatorCode, operator.settings);
    const secret = readSecret(operator);
    return createJambopayConnector({
      ...apiOf(operator, settings),
      grantType: settings.grant_type ?? 'agency',
      username: secret.username,
      password: secret.password,
      appKey: secret.app_key,
      billers: new Map(
        Object.entries(settings.billers).map(([code, rule]) => [
          code,
          {
            stream: rule.stream,
            operatorCode: rule.stream === 'credit' ? rule.operator_code : null,
          },
        ]),
      ),
      phoneNumber: settings.phone_number,
      paidBy: settings.paid_by ?? null,
      codeField: settings.code_field ?? null,
      caseAfterMs: settings.case_after_ms ?? 1_800_000,
      callbackUrl,
      paths: createSecretPaths(operatorCode, secretsOf(operator)),
    });
  },
  statementFormat: null,
};
