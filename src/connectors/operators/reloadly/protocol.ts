import { Type } from 'typebox';
import type { Static } from 'typebox';
import { byCode, strict } from '../../../platform/base/json-fields.ts';
import { LIMITS } from '../../../platform/base/limits.ts';
import {
  acceptanceWindowMs,
  caseAfterMs,
  CONNECTION_SETTINGS,
  connectionOf,
  readBaseUrl,
} from '../../connection.ts';
import { createSettingsReader, createSecretReader, secretsOf } from '../../settings.ts';
import type { Protocol, UsableOperator } from '../../operator.ts';
import type { WebhookSecret } from './callbacks.ts';
import { createReloadlyConnector } from './connector.ts';
import { RELOADLY } from './declaration.ts';
import { BY_NUMBER } from './questions.ts';

const networkId = Type.Integer({ minimum: 1, maximum: 999_999_999 });
const SETTINGS = strict({
  ...CONNECTION_SETTINGS,
  /** Where tokens come from. */
  auth_url: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  /** The API that tokens give access to. Default: the origin of the base URL. */
  audience: Type.Optional(Type.String({ pattern: '^https://\\S{1,200}$' })),
  /** Reloadly's number of the network for each biller; `by_number`: looked up for each payment. */
  billers: byCode(strict({ network: Type.Union([networkId, Type.Literal(BY_NUMBER)]) })),
  country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$' })),
  /** `wallet`: the wallet is in our currency, and recipients get another. */
  amounts_in: Type.Optional(Type.Union([Type.Literal('recipient'), Type.Literal('wallet')])),
  /** The network whose exchange rate converts the balance of a wallet in another currency. */
  rate_of: Type.Optional(networkId),
  /** null: an empty report is never proof. */
  acceptance_window_ms: Type.Optional(acceptanceWindowMs),
  /** Less than 30 minutes: with an emulator on this machine only. */
  settles_after_ms: Type.Optional(Type.Integer({ minimum: 0, maximum: 86_400_000 })),
  case_after_ms: Type.Optional(caseAfterMs),
});
const readSettings = createSettingsReader(SETTINGS);

const readSecret = createSecretReader(
  strict({
    client_id: Type.String({ minLength: 1 }),
    client_secret: Type.String({ minLength: 1 }),
    webhook_secret: Type.String({ minLength: 8 }),
  }),
);

export const reloadly: Protocol = {
  declaration: RELOADLY,
  exampleSecret: JSON.stringify({
    client_id: '…',
    client_secret: '…',
    webhook_secret: 'example-secret',
  }),
  inventsSecret: false,
  create: (operator) => {
    const { operatorCode } = operator;
    const settings = readSettings(operatorCode, operator.settings);
    const secret = readSecret(operator);
    const baseUrl = readBaseUrl(operator);
    requireSettled(operatorCode, baseUrl, settings.settles_after_ms ?? SETTLES_AFTER_MS);
    const authUrl = settings.auth_url ?? 'https://auth.reloadly.com';
    return createReloadlyConnector({
      // A top-up has been held for 52 seconds.
      ...connectionOf(operator, { pay_timeout_ms: 90_000, ...settings }),
      ...rulesOf(settings),
      baseUrl,
      authUrl: readBaseUrl({ operatorCode, baseUrl: authUrl, what: 'settings/auth_url' }),
      audience: settings.audience ?? baseUrl.origin,
      clientId: secret.client_id,
      clientSecret: secret.client_secret,
      webhookSecrets: webhookSecretsOf(operator),
      toleranceMs: 300_000,
      answerBytes: LIMITS.operatorAnswerBytes,
    });
  },
  statementFormat: null,
};

/** FAILED, and a report that lists nothing, are not final before. */
const SETTLES_AFTER_MS = 1_800_000;

function requireSettled(operatorCode: string, baseUrl: URL, settlesAfterMs: number): void {
  if (settlesAfterMs >= SETTLES_AFTER_MS || baseUrl.protocol === 'http:') return;
  throw new Error(
    `operator ${operatorCode}: settings/settles_after_ms must be at least ${SETTLES_AFTER_MS}: before, FAILED is not final`,
  );
}

function rulesOf(settings: Static<typeof SETTINGS>) {
  const billers = new Map(
    Object.entries(settings.billers).map(([code, { network }]) => [code, String(network)]),
  );
  const first = [...billers.values()].find((network) => network !== BY_NUMBER);
  const window = settings.acceptance_window_ms;
  return {
    billers,
    country: settings.country ?? 'KE',
    amountsIn: settings.amounts_in ?? 'recipient',
    rateOf: settings.rate_of?.toString() ?? first ?? null,
    acceptanceWindowMs: window === undefined ? 600_000 : window,
    settlesAfterMs: settings.settles_after_ms ?? SETTLES_AFTER_MS,
    caseAfterMs: settings.case_after_ms ?? 3_600_000,
  };
}

/** Returns every key that is still valid, so that callbacks are accepted while one is replaced. */
function webhookSecretsOf(operator: UsableOperator): WebhookSecret[] {
  return secretsOf(operator).map(({ secret, validUntil }) => {
    const { operatorCode } = operator;
    const parts = readSecret({ operatorCode, secret });
    return {
      secret: parts.webhook_secret,
      validUntilMs: validUntil?.getTime() ?? Number.POSITIVE_INFINITY,
    };
  });
}
