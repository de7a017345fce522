import type { Logger } from 'pino';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Operator, OperatorSecret, VersionedOperator } from '../billers/biller.ts';
import { askedAs } from '../billers/operator-version.ts';
import type { CallbackListener } from '../dispatch/callbacks.ts';
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
import { createOperatorConnectors } from './operator-connectors.ts';
import type { OperatorConnectors } from './operator-connectors.ts';
import type { Times } from './witness.ts';

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
 * Returns the reader of the operator's statements. Undefined: its protocol has none. Throws an `Error`
 * naming the operator and the invalid setting.
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
  readonly witnessOf: WitnessOf;
  /** The version that stands for the merchant account of a version; null: not known. */
  readonly accountOf: AccountOf;
  /** The accounts of an operator whose callbacks are accepted, the current one first. */
  readonly listenersOf: (operatorCode: string) => readonly CallbackListener[];
  /** Brings the connectors in line with the catalogue's operators. */
  update(operators: readonly VersionedOperator[]): void;
  close(): Promise<void>;
}

/**
 * The connector that is asked about an instruction: it speaks to the merchant account that got it.
 * @param version of the operator that it was sent to; null: not known.
 */
export type WitnessOf = (operatorCode: string, version: number | null) => Connector | undefined;

export type AccountOf = (operatorCode: string, version: number | null) => number | null;

export interface ConnectorRegistryOptions {
  /** Callbacks of an operator go to `<callbackBase>/<operatorCode>`. */
  readonly callbackBase: string;
  /** Default: by the operator's protocol. */
  readonly create?: typeof createConnector;
}

/** Connectors that never change, of operators with one merchant account each. */
export function fixedConnectors(connectorOf: ConnectorRegistry['connectorOf']): ConnectorRegistry {
  return {
    connectorOf,
    witnessOf: connectorOf,
    accountOf: () => 1,
    listenersOf: (operatorCode) => {
      const connector = connectorOf(operatorCode);
      return connector === undefined ? [] : [{ account: 1, connector }];
    },
    update: () => {},
    close: async () => {},
  };
}

export function createConnectorRegistry(
  options: ConnectorRegistryOptions & { readonly log: Logger },
): ConnectorRegistry {
  let entries = new Map<string, OperatorConnectors>();
  const { make, retire, untilClosed } = createMaker(options);
  const timesOf = (operator: Operator): Times | undefined => {
    const made = make({ ...operator, secrets: exampleSecrets(operator.connector) });
    if (made !== undefined) retire(made);
    return made;
  };
  const renew = (operator: VersionedOperator): OperatorConnectors | undefined => {
    const made = JSON.stringify(operator);
    const known = entries.get(operator.operatorCode);
    if (known?.made === made) return known;
    const connector = make(operator);
    return connector && createOperatorConnectors({ operator, connector, made }, { make, timesOf });
  };
  const replace = (next: typeof entries): void => {
    for (const [operatorCode, entry] of entries) {
      if (next.get(operatorCode) !== entry) for (const each of entry.all()) retire(each);
    }
    entries = next;
  };
  return {
    connectorOf: (operatorCode) => entries.get(operatorCode)?.connector,
    witnessOf: (operatorCode, version) => entries.get(operatorCode)?.witnessOf(version),
    accountOf: (operatorCode, version) => {
      const entry = entries.get(operatorCode);
      return entry === undefined ? null : askedAs(entry.operator, version);
    },
    listenersOf: (operatorCode) => entries.get(operatorCode)?.listeners() ?? [],
    update: (operators) => {
      const renewed = operators.flatMap((operator) => renew(operator) ?? []);
      replace(new Map(renewed.map((entry) => [entry.operator.operatorCode, entry])));
    },
    close: async () => {
      replace(new Map());
      await untilClosed();
    },
  };
}

/** Makes connectors, and closes those that are no longer used. */
function createMaker({
  callbackBase,
  create = createConnector,
  log,
}: Parameters<typeof createConnectorRegistry>[0]) {
  const closing = new Set<Promise<void>>();
  const retire = (connector: Connector): void => {
    // Calls in progress finish on the old connector.
    const done = connector
      .close()
      .catch((error: unknown) => log.warn({ err: error }, 'a connector did not close'))
      .finally(() => closing.delete(done));
    closing.add(done);
  };
  const make = (operator: Operator): Connector | undefined => {
    try {
      return create(operator, `${callbackBase}/${operator.operatorCode}`);
    } catch (error) {
      // One misconfigured operator must not stop the others; its payments wait.
      if (error instanceof PlainError) {
        log.warn({ reason: error.message }, 'an operator cannot be used yet');
      } else {
        log.error({ err: error }, 'an operator cannot be used');
      }
      return undefined;
    }
  };
  return { make, retire, untilClosed: async () => void (await Promise.all(closing)) };
}

function exampleSecrets(connector: string): readonly OperatorSecret[] {
  const secret = PROTOCOLS[connector]?.exampleSecret;
  return secret === undefined ? [] : [{ secret, validUntil: null }];
}
