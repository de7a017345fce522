import type { Logger } from 'pino';
import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { LIMITS } from '../../platform/base/limits.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Operator } from '../billers/biller.ts';
import type { Connector } from '../dispatch/connector.ts';
import type { StatementFormat } from '../reconciliation/statement.ts';
import { createHttpJsonConnector } from './http-json/connector.ts';
import { createStatementFormat } from './http-json/statement.ts';

/** The allowed contents of an operator's `settings`; times in milliseconds. */
const SETTINGS = Type.Object(
  {
    pay_timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 120_000 })),
    status_timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 120_000 })),
    connect_timeout_ms: Type.Optional(Type.Integer({ minimum: 100, maximum: 60_000 })),
    /** Its name may resolve to a private network. */
    private_addresses: Type.Optional(Type.Literal('allow')),
    /** null: "not found" is never proof with this operator. */
    acceptance_window_ms: Type.Optional(
      Type.Union([Type.Integer({ minimum: 0, maximum: 86_400_000 }), Type.Null()]),
    ),
    /**
     * 1: a payment that a complete statement does not list was not made, once the acceptance window
     * is over.
     */
    statement_absence_is_proof: Type.Optional(Type.Union([Type.Literal(0), Type.Literal(1)])),
  },
  { additionalProperties: false },
);
const settingsSchema = Compile(SETTINGS);

type Factory = (operator: Operator, callbackUrl: string) => Connector;

/**
 * The protocols, by the name in `operators.connector`. To add one, add a folder and a line here.
 */
const PROTOCOLS: Readonly<Record<string, Factory>> = {
  'http-json': (operator, callbackUrl) => {
    const settings = readOperatorSettings(operator.operatorCode, operator.settings);
    const [newest, ...former] = operator.secrets;
    if (newest === undefined) {
      throw new PlainError(
        `operator ${operator.operatorCode} has no key yet: malipo operator set-key ${operator.operatorCode}`,
      );
    }
    return createHttpJsonConnector({
      operatorCode: operator.operatorCode,
      baseUrl: operator.baseUrl,
      key: newest.secret,
      formerKeys: former,
      allowsPrivateAddresses: settings.private_addresses === 'allow',
      callbackUrl,
      payTimeoutMs: settings.pay_timeout_ms ?? 30_000,
      statusTimeoutMs: settings.status_timeout_ms ?? 15_000,
      connectTimeoutMs: settings.connect_timeout_ms ?? 5_000,
      acceptanceWindowMs: acceptanceWindowOf(settings),
      maxConnections: operator.maxConcurrency,
      answerBytes: LIMITS.operatorAnswerBytes,
    });
  },
};

/** How to read the statements of each protocol, by the same name. */
const STATEMENTS: Readonly<Record<string, (operator: StatementOperator) => StatementFormat>> = {
  'http-json': ({ operatorCode, settings: given }) => {
    const settings = readOperatorSettings(operatorCode, given);
    return createStatementFormat({
      absenceIsProof: settings.statement_absence_is_proof === 1,
      acceptanceWindowMs: acceptanceWindowOf(settings),
    });
  },
};

type StatementOperator = Pick<Operator, 'operatorCode' | 'connector' | 'settings'>;

/**
 * How to read the operator's statements. Undefined: its protocol has none. Throws an `Error` naming
 * the operator and the invalid setting.
 */
export function statementFormatOf(operator: StatementOperator): StatementFormat | undefined {
  return STATEMENTS[operator.connector]?.(operator);
}

function acceptanceWindowOf(settings: { readonly acceptance_window_ms?: number | null }) {
  return settings.acceptance_window_ms === undefined ? 60_000 : settings.acceptance_window_ms;
}

export const PROTOCOL_NAMES: readonly string[] = Object.keys(PROTOCOLS);

/** Throws an `Error` naming the operator and the invalid setting. */
function readOperatorSettings(operatorCode: string, settings: unknown) {
  if (settingsSchema.Check(settings)) return settings;
  const problems = settingsSchema.Errors(settings).map((error) => {
    const unknown =
      error.keyword === 'additionalProperties' ? ` ${JSON.stringify(error.params)}` : '';
    return `${error.instancePath || 'settings'} ${error.message}${unknown}`;
  });
  throw new Error(`operator ${operatorCode}: ${problems.join('; ')}`);
}

/**
 * Creates and closes the operator's connector, to check that it could be used. Throws an `Error`
 * naming the operator and the invalid setting.
 */
export async function checkOperator(operator: Operator): Promise<void> {
  const factory = PROTOCOLS[operator.connector];
  if (factory === undefined) {
    throw new Error(`operator ${operator.operatorCode}: no connector ${operator.connector}`);
  }
  await factory(operator, 'http://127.0.0.1/callbacks').close();
}

/**
 * The connectors of all operators. When an operator's configuration changes, its connector is
 * replaced.
 */
export interface ConnectorRegistry {
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
  /** Brings the connectors in line with the catalogue's operators. */
  update(operators: readonly Operator[]): void;
  close(): Promise<void>;
}

export interface ConnectorRegistryOptions {
  /** Callbacks of an operator go to `<callbackBase>/<operatorCode>`. */
  readonly callbackBase: string;
}

export function createConnectorRegistry(
  options: ConnectorRegistryOptions & { readonly log: Logger },
): ConnectorRegistry {
  let connectors = new Map<string, { connector: Connector; made: string }>();
  const closing = new Set<Promise<void>>();

  const retire = (connector: Connector): void => {
    // Calls in progress finish on the old connector.
    const done = connector
      .close()
      .catch((error: unknown) => options.log.warn({ err: error }, 'a connector did not close'))
      .finally(() => closing.delete(done));
    closing.add(done);
  };
  const make = (operator: Operator): Connector | undefined => {
    try {
      const factory = PROTOCOLS[operator.connector];
      if (factory === undefined) {
        throw new Error(`operator ${operator.operatorCode}: no connector ${operator.connector}`);
      }
      return factory(operator, `${options.callbackBase}/${operator.operatorCode}`);
    } catch (error) {
      // One misconfigured operator must not stop the others; its payments wait.
      if (error instanceof PlainError) {
        options.log.warn({ reason: error.message }, 'an operator cannot be used yet');
      } else {
        options.log.error({ err: error }, 'an operator cannot be used');
      }
      return undefined;
    }
  };

  return {
    connectorOf: (operatorCode) => connectors.get(operatorCode)?.connector,
    update: (operators) => {
      const next: typeof connectors = new Map();
      for (const operator of operators) {
        const made = JSON.stringify(operator);
        const known = connectors.get(operator.operatorCode);
        if (known?.made === made) {
          next.set(operator.operatorCode, known);
          continue;
        }
        const connector = make(operator);
        if (connector !== undefined) next.set(operator.operatorCode, { connector, made });
      }
      for (const [operatorCode, { connector }] of connectors) {
        if (next.get(operatorCode)?.connector !== connector) retire(connector);
      }
      connectors = next;
    },
    close: async () => {
      for (const { connector } of connectors.values()) retire(connector);
      connectors = new Map();
      await Promise.all(closing);
    },
  };
}
