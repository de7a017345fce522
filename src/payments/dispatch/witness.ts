import { askedAs } from '../billers/operator-version.ts';
import type { FormerVersion, Operator, VersionedOperator } from '../billers/biller.ts';
import type { StatusOutcome } from '../../connectors/operator-outcomes.ts';
import type { Connector } from '../../connectors/operator.ts';
import { sendDeadlineMs } from './next-step.ts';

/** After this time, people hear of an instruction at an account that is no longer used. */
const FORMER_CASE_AFTER_MS = 1_800_000;

/** The parts of a connector that say how long an instruction may take and be in transit. */
export type Times = Pick<Connector, 'prepare' | 'payDeadlineMs' | 'acceptanceWindowMs'>;

/** The operator as it was in a former version. */
export function asItWas(operator: Operator, former: FormerVersion): Operator {
  const { connector, baseUrl, settings } = former;
  const secrets = former.keys === 'kept' ? former.secrets : operator.secrets;
  return { ...operator, connector, baseUrl, settings, secrets };
}

/**
 * The versions whose times an attempt keeps: its own, and those up to the one that is asked. Empty if it is
 * not known which that is.
 */
export function versionsAskedAs(
  operator: Pick<VersionedOperator, 'version' | 'former'>,
  version: number | null,
): readonly FormerVersion[] {
  const end = askedAs(operator, version);
  if (end === null || version === null) return [];
  return operator.former.filter((one) => one.version >= version && one.version < end);
}

/** The connector, but "not found" proves nothing before the longest of the times has passed. */
export function withLongestWindow(connector: Connector, others: readonly Times[]): Connector {
  if (others.length === 0) return connector;
  const { acceptanceWindowMs: own } = connector;
  let longest = own;
  for (const other of others) {
    if (longest === null) break;
    const { acceptanceWindowMs: window } = other;
    // From the same moment on: windows begin when the call must have ended.
    longest =
      window === null
        ? null
        : Math.max(longest, window + sendDeadlineMs(other) - sendDeadlineMs(connector));
  }
  return { ...connector, acceptanceWindowMs: longest };
}

/** The connector of an account that gets no more instructions: if it does not answer, people hear of it. */
export function asFormer(connector: Connector): Connector {
  return { ...connector, caseAfterMs: connector.caseAfterMs ?? FORMER_CASE_AFTER_MS };
}

/**
 * The connector, for an attempt that may have gone to another account: only that it paid counts. A
 * truthful "not found" would be another account's.
 */
export function withoutProof(connector: Connector): Connector {
  const { status } = connector;
  return {
    ...asFormer(connector),
    acceptanceWindowMs: null,
    status: status && (async (...about) => onlyPaid(await status(...about))),
  };
}

function onlyPaid(outcome: StatusOutcome): StatusOutcome {
  if (outcome.kind === 'paid' || outcome.kind === 'unknown') return outcome;
  return {
    kind: 'unknown',
    reason: 'the operator’s account was changed, and it is not known which one has the instruction',
    operatorHandle: null,
    answered: true,
  };
}
