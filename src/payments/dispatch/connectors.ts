import type { Logger } from 'pino';
import { createConnector, exampleSecrets } from '../../connectors/registry.ts';
import type { Connector } from '../../connectors/operator.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Operator, VersionedOperator } from '../billers/biller.ts';
import { askedAs } from '../billers/operator-version.ts';
import type { CallbackListener } from './callbacks.ts';
import { createOperatorConnectors } from './operator-connectors.ts';
import type { OperatorConnectors } from './operator-connectors.ts';
import type { Times } from './witness.ts';

/**
 * The connectors of all operators. When an operator's configuration changes, its connector is
 * replaced.
 */
export interface Connectors {
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

export interface ConnectorsOptions {
  /** Callbacks of an operator go to `<callbackBase>/<operatorCode>`. */
  readonly callbackBase: string;
  /** Default: by the operator's protocol. */
  readonly create?: (operator: Operator, callbackUrl: string) => Connector;
}

/** Connectors that never change, of operators with one merchant account each. */
export function fixedConnectors(connectorOf: Connectors['connectorOf']): Connectors {
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

export function openConnectors(options: ConnectorsOptions & { readonly log: Logger }): Connectors {
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
}: Parameters<typeof openConnectors>[0]) {
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
