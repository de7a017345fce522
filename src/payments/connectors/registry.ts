import type { Logger } from 'pino';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Operator } from '../billers/biller.ts';
import type { Connector, Declaration } from '../dispatch/connector.ts';
import type { StatementFormat } from '../reconciliation/statement.ts';
import { africastalking } from './africastalking/protocol.ts';
import { darajaB2b } from './daraja-b2b/protocol.ts';
import { dtOne } from './dt-one/protocol.ts';
import { http } from './http/protocol.ts';
import { httpJson } from './http-json/protocol.ts';
import { jambopay } from './jambopay/protocol.ts';
import type { Protocol, StatementOperator } from './protocol.ts';
import { reloadly } from './reloadly/protocol.ts';
import { tingg } from './tingg/protocol.ts';

/**
 * The protocols, by the name in `operators.connector`. To add one, add a folder and a line here.
 */
const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  'http-json': httpJson,
  'daraja-b2b': darajaB2b,
  'dt-one': dtOne,
  jambopay,
  reloadly,
  africastalking,
  tingg,
  http,
};

export const PROTOCOL_NAMES: readonly string[] = Object.keys(PROTOCOLS);

/** Each protocol's declaration about itself, by its name. */
export const DECLARATIONS: Readonly<Record<string, Declaration>> = Object.fromEntries(
  Object.entries(PROTOCOLS).map(([name, { declaration }]) => [name, declaration]),
);

/**
 * How to read the operator's statements. Undefined: its protocol has none. Throws an `Error` naming
 * the operator and the invalid setting.
 */
export function statementFormatOf(operator: StatementOperator): StatementFormat | undefined {
  return PROTOCOLS[operator.connector]?.statementFormat?.(operator);
}

/** The format of the protocol's secrets. */
export function secretFormOf(
  connector: string,
): Pick<Protocol, 'exampleSecret' | 'inventsSecret'> | undefined {
  return PROTOCOLS[connector];
}

/** Throws: `PlainError` while the operator has no key, an `Error` if its settings are invalid. */
export function createConnector(operator: Operator, callbackUrl: string): Connector {
  const { operatorCode, connector } = operator;
  const protocol = PROTOCOLS[connector];
  if (protocol === undefined) {
    throw new Error(`operator ${operatorCode}: no connector ${connector}`);
  }
  const [newest] = operator.secrets;
  if (newest === undefined) {
    // Reports invalid settings before a missing key.
    void protocol.create({ ...operator, secret: protocol.exampleSecret }, callbackUrl).close();
    throw new PlainError(
      `operator ${operatorCode} has no key yet: malipo operator set-key ${operatorCode}`,
    );
  }
  return protocol.create({ ...operator, secret: newest.secret }, callbackUrl);
}

/**
 * Creates and closes the operator's connector, to check that it could be used. Throws an `Error`
 * naming the operator and the invalid setting.
 */
export async function checkOperator(operator: Operator): Promise<void> {
  await createConnector(operator, `https://localhost/callbacks/${operator.operatorCode}`).close();
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
      return createConnector(operator, `${options.callbackBase}/${operator.operatorCode}`);
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
