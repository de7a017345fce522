import type { FormerVersion, Operator, VersionedOperator } from '../billers/biller.ts';
import { askedAs } from '../billers/operator-version.ts';
import type { CallbackListener } from './callbacks.ts';
import type { Connector } from '../../connectors/operator.ts';
import { asFormer, asItWas, versionsAskedAs, withLongestWindow, withoutProof } from './witness.ts';
import type { Times } from './witness.ts';

/** The connectors of one operator: of its version in force, and of former ones, made when they are first needed. */
export interface OperatorConnectors {
  readonly operator: VersionedOperator;
  readonly connector: Connector;
  /** Whatever of the operator changes, this changes. */
  readonly made: string;
  witnessOf(version: number | null): Connector;
  listeners(): readonly CallbackListener[];
  /** All that were made. */
  all(): readonly Connector[];
}

export function createOperatorConnectors(
  { operator, connector, made }: Pick<OperatorConnectors, 'operator' | 'connector' | 'made'>,
  by: {
    /** Undefined: the operator cannot be used with these settings. */
    readonly make: (operator: Operator) => Connector | undefined;
    /** The times of a version, which do not depend on its key. */
    readonly timesOf: (operator: Operator) => Times | undefined;
  },
): OperatorConnectors {
  const formerOnes = new Map<number, Connector | undefined>();
  const witnesses = new Map<number | null, Connector>();
  const formerConnector = (one: FormerVersion): Connector | undefined => {
    if (!formerOnes.has(one.version)) {
      const usable = one.keys !== 'ended';
      formerOnes.set(one.version, usable ? by.make(asItWas(operator, one)) : undefined);
    }
    return formerOnes.get(one.version);
  };
  const findWitness = (version: number | null): Connector => {
    const end = askedAs(operator, version);
    const former = operator.former.find((one) => one.version === end);
    const asked = former === undefined ? connector : formerConnector(former);
    const times = versionsAskedAs(operator, version).map((one) =>
      by.timesOf(asItWas(operator, one)),
    );
    const known = times.filter((one) => one !== undefined);
    if (end === null || asked === undefined || known.length < times.length) {
      return withoutProof(connector);
    }
    const witness = withLongestWindow(asked, known);
    return former === undefined ? witness : asFormer(witness);
  };
  return {
    operator,
    connector,
    made,
    witnessOf: (version) => {
      const witness = witnesses.get(version) ?? findWitness(version);
      witnesses.set(version, witness);
      return witness;
    },
    listeners: () => {
      const former = operator.former.toReversed().flatMap((one) => {
        if (one.sameAccount || isOver(one)) return [];
        const heard = formerConnector(one);
        return heard === undefined ? [] : { account: one.version, connector: heard };
      });
      return [{ account: operator.version, connector }, ...former];
    },
    all: () => [connector, ...[...formerOnes.values()].filter((one) => one !== undefined)],
  };
}

/** Callbacks under the keys of the version are no longer accepted. */
function isOver({ callbacksUntil }: FormerVersion): boolean {
  return callbacksUntil !== null && callbacksUntil.getTime() <= Date.now();
}
