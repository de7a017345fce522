import { Type } from 'typebox';
import { strict } from '../../../platform/base/json-fields.ts';
import { LIMITS } from '../../../platform/base/limits.ts';
import { createSettingsReader } from '../../settings.ts';
import type { Protocol } from '../../operator.ts';
import {
  acceptanceWindowMs,
  CONNECTION_SETTINGS,
  connectionOf,
  payTimeoutOf,
} from '../../connection.ts';
import { createHttpJsonConnector } from './connector.ts';
import { HTTP_JSON } from './declaration.ts';
import { createStatementFormat } from './statement.ts';

const readSettings = createSettingsReader(
  strict({
    ...CONNECTION_SETTINGS,
    /** null: "not found" is never proof with this operator. */
    acceptance_window_ms: Type.Optional(acceptanceWindowMs),
    /**
     * 1: a payment that a complete statement does not list was not made, once the acceptance
     * window is over.
     */
    statement_absence_is_proof: Type.Optional(Type.Union([Type.Literal(0), Type.Literal(1)])),
  }),
);

export const httpJson: Protocol = {
  declaration: HTTP_JSON,
  exampleSecret: `whsec_${Buffer.alloc(32).toString('base64')}`,
  inventsSecret: true,
  create: (operator, callbackUrl) => {
    const settings = readSettings(operator.operatorCode, operator.settings);
    return createHttpJsonConnector({
      operatorCode: operator.operatorCode,
      baseUrl: operator.baseUrl,
      key: operator.secret,
      formerKeys: operator.secrets.slice(1),
      callbackUrl,
      ...connectionOf(operator, settings),
      acceptanceWindowMs: acceptanceWindowOf(settings),
      answerBytes: LIMITS.operatorAnswerBytes,
    });
  },
  statementFormat: ({ operatorCode, settings: given }) => {
    const settings = readSettings(operatorCode, given);
    return createStatementFormat({
      absenceIsProof: settings.statement_absence_is_proof === 1,
      acceptanceWindowMs: acceptanceWindowOf(settings),
      payDeadlineMs: payTimeoutOf(settings),
    });
  },
};

function acceptanceWindowOf(settings: { readonly acceptance_window_ms?: number | null }) {
  return settings.acceptance_window_ms === undefined ? 60_000 : settings.acceptance_window_ms;
}
