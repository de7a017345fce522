import { Type } from 'typebox';
import { byCode, strict } from '../../../platform/base/json-fields.ts';
import { MOBILE_NUMBER } from '../../../platform/base/mobile-number.ts';
import { acceptanceWindowMs, CONNECTION_SETTINGS } from '../../connection.ts';
import { apiOf } from '../../http-api.ts';
import { createSettingsReader, createSecretReader, secretsOf } from '../../settings.ts';
import type { Protocol } from '../../operator.ts';
import { createSecretPaths } from '../../secret-path.ts';
import { createTinggConnector } from './connector.ts';
import { TINGG } from './declaration.ts';

const readSettings = createSettingsReader(
  strict({
    ...CONNECTION_SETTINGS,
    billers: byCode(
      strict({
        service_code: Type.String({ pattern: '^[A-Za-z0-9_-]{1,60}$' }),
        /** The biller presents bills, with what is due. */
        bills: Type.Optional(Type.Boolean()),
      }),
    ),
    phone_number: Type.String({ pattern: MOBILE_NUMBER.source }),
    /** After this time “not found” is proof; null: never. Set it only if Tingg guarantees that. */
    acceptance_window_ms: Type.Optional(acceptanceWindowMs),
    case_after_ms: Type.Optional(Type.Integer({ minimum: 60_000, maximum: 172_800_000 })),
  }),
);

const readSecret = createSecretReader(
  strict({ username: Type.String({ minLength: 1 }), password: Type.String({ minLength: 1 }) }),
);

export const tingg: Protocol = {
  declaration: TINGG,
  exampleSecret: JSON.stringify({ username: '…', password: '…' }),
  inventsSecret: false,
  create: (operator, callbackUrl) => {
    const { operatorCode } = operator;
    const settings = readSettings(operatorCode, operator.settings);
    const { username, password } = readSecret(operator);
    return createTinggConnector({
      ...apiOf(operator, settings),
      credentials: { username, password },
      billers: new Map(
        Object.entries(settings.billers).map(([code, service]) => [
          code,
          { serviceCode: service.service_code, hasBills: service.bills ?? false },
        ]),
      ),
      phoneNumber: settings.phone_number,
      acceptanceWindowMs: settings.acceptance_window_ms ?? null,
      // Tingg reconciles escalated payments within 24 hours; people may check earlier.
      caseAfterMs: settings.case_after_ms ?? 1_800_000,
      callbackUrl,
      paths: createSecretPaths(operatorCode, secretsOf(operator)),
    });
  },
  statementFormat: null,
};
