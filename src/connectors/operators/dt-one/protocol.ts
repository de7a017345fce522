import { Type } from 'typebox';
import { byCode, strict } from '../../../platform/base/json-fields.ts';
import { MONEY_PATTERN, parseMoney } from '../../../platform/base/money.ts';
import { caseAfterMs, CONNECTION_SETTINGS } from '../../connection.ts';
import { apiOf } from '../../http-api.ts';
import { createSettingsReader, createSecretReader, secretsOf } from '../../settings.ts';
import type { Protocol } from '../../operator.ts';
import { createSecretPaths } from '../../secret-path.ts';
import { createDtOneConnector } from './connector.ts';
import { DT_ONE } from './declaration.ts';

const productId = Type.Integer({ minimum: 1 });
const identifier = Type.Optional(
  Type.Union([Type.Literal('account_number'), Type.Literal('mobile_number')]),
);

const biller = Type.Union([
  strict({ product_id: productId, identifier, statement_inquiry: Type.Optional(Type.Boolean()) }),
  strict({
    /** By amount. */
    products: Type.Record(Type.String({ pattern: MONEY_PATTERN.source }), productId, {
      additionalProperties: false,
      minProperties: 1,
    }),
    identifier,
  }),
]);

const readSettings = createSettingsReader(
  strict({
    ...CONNECTION_SETTINGS,
    billers: byCode(biller),
    mode: Type.Optional(Type.Union([Type.Literal('async'), Type.Literal('sync')])),
    confirm: Type.Optional(Type.Union([Type.Literal('two_step'), Type.Literal('at_once')])),
    acceptance_window_ms: Type.Optional(Type.Integer({ minimum: 180_000, maximum: 86_400_000 })),
    case_after_ms: Type.Optional(caseAfterMs),
  }),
);

const readSecret = createSecretReader(
  strict({
    api_key: Type.String({ pattern: '^[^:]+$' }),
    api_secret: Type.String({ minLength: 1 }),
  }),
);

export const dtOne: Protocol = {
  declaration: DT_ONE,
  exampleSecret: JSON.stringify({ api_key: '…', api_secret: '…' }),
  inventsSecret: false,
  create: (operator, callbackUrl) => {
    const { operatorCode } = operator;
    const settings = readSettings(operatorCode, operator.settings);
    const secret = readSecret(operator);
    return createDtOneConnector({
      ...apiOf(operator, settings),
      apiKey: secret.api_key,
      apiSecret: secret.api_secret,
      billers: new Map(
        Object.entries(settings.billers).map(([code, rule]) => [
          code,
          {
            product:
              'product_id' in rule
                ? rule.product_id
                : new Map(
                    Object.entries(rule.products).map(([amount, id]) => [parseMoney(amount), id]),
                  ),
            identifier: rule.identifier ?? 'account_number',
            hasStatementInquiry: 'product_id' in rule && rule.statement_inquiry === true,
          },
        ]),
      ),
      mode: settings.mode ?? 'async',
      confirm: settings.confirm ?? 'two_step',
      acceptanceWindowMs: settings.acceptance_window_ms ?? null,
      caseAfterMs: settings.case_after_ms ?? 1_800_000,
      callbackUrl,
      paths: createSecretPaths(operatorCode, secretsOf(operator)),
    });
  },
  statementFormat: null,
};
