import { createHash } from 'node:crypto';
import type { Logger } from 'pino';
import { startOfDay } from '../../platform/base/clock.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { isReference } from '../../parties/reference.ts';
import type { FloatMovement } from '../../connectors/operator-statements.ts';
import type { Connector } from '../../connectors/operator.ts';
import { importRead } from './import.ts';
import type { Imported } from './import.ts';
import { nextWindow } from './pull-window.ts';
import { readDatabaseTime } from './store.ts';
import type { PullWindow } from './pull-window.ts';
import {
  endTurn,
  insertMissingPulls,
  setPulledUntil,
  setPullError,
  takePull,
} from './pull-store.ts';

/** An operator that lists more pages of one period has no end. */
const MAX_PAGES = 50_000;
/** Tolerated difference between operators' clocks and ours. */
const TOLERANCE_MS = 300_000;

type Pulling = Pick<Connector, 'acceptanceWindowMs' | 'payDeadlineMs'> & {
  readonly pullStatement: NonNullable<Connector['pullStatement']>;
};

/** The connector, if it can list movements. */
export function pullingOf(connector: Connector | undefined): Pulling | undefined {
  if (connector === undefined || connector.pullStatement === null) return undefined;
  const { acceptanceWindowMs, payDeadlineMs, pullStatement } = connector;
  return { acceptanceWindowMs, payDeadlineMs, pullStatement: pullStatement.bind(connector) };
}

/**
 * Asks the operator for its movements of a period, page by page, in no database transaction.
 * Throws: `PlainError` if a page does not come, or the pages contradict each other.
 */
async function pullMovements(
  { pullStatement }: Pulling,
  window: PullWindow,
  signal: AbortSignal,
): Promise<FloatMovement[]> {
  const movements = new Map<string, FloatMovement>();
  const cursors = new Set<string>();
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await pullStatement({ ...window, cursor }, signal);
    if (answer.kind === 'unknown') throw new PlainError(answer.reason);
    const before = movements.size;
    for (const movement of answer.movements) {
      const name = `${movement.kind} ${movement.operatorReference}`;
      const known = movements.get(name);
      // A page may begin with the end of the one before, when movements were added in between.
      if (known !== undefined && known.amountCents !== movement.amountCents) {
        throw new PlainError(`${name} is listed with two amounts`);
      }
      if (known !== undefined && known.reference !== movement.reference) {
        throw new PlainError(`${name} is listed for two payments`);
      }
      movements.set(name, movement);
    }
    if (answer.next === null) return [...movements.values()].map(withOurReference);
    // An operator that ignores which page is asked for has no last page.
    if (answer.movements.length > 1 && movements.size === before) {
      throw new PlainError('a page lists nothing new');
    }
    if (cursors.has(answer.next)) throw new PlainError('the pages go round in a circle');
    cursors.add(answer.next);
    cursor = answer.next;
  }
  throw new PlainError('the statement has no end');
}

/** Others may use the same float: a movement without a reference of ours has none. */
function withOurReference(movement: FloatMovement): FloatMovement {
  const { reference } = movement;
  return {
    ...movement,
    reference: reference !== null && isReference(reference) ? reference : null,
  };
}

/**
 * Pulls an operator's movements of a period that is over, and imports them like a statement: all of
 * them in one commit. Pulling the same period again adds only what is new. A payment that is not
 * listed is a case; it is never taken for proof.
 * Throws: `PlainError` if the operator does not answer.
 */
export async function pullPeriod(
  deps: { readonly pool: Pool; readonly ledgerMac: Mac },
  { operator, connector }: { readonly operator: string; readonly connector: Pulling },
  asked: PullWindow & { readonly signal: AbortSignal },
): Promise<Imported> {
  const { signal, ...window } = asked;
  const movements = await pullMovements(connector, window, signal);
  return await importRead(
    {
      ...deps,
      ...window,
      operator,
      format: { ...connector, absenceIsProof: false },
      complete: true,
      toleranceMs: TOLERANCE_MS,
    },
    {
      movements: movements.map((movement, index) => ({ ...movement, line: index + 1 })),
      openingCents: null,
      closingCents: null,
      sha256: hashOf(window, movements),
      pulled: true,
    },
  );
}

/** The period belongs to the content: an empty statement of another day is another statement. */
function hashOf({ from, to }: PullWindow, movements: readonly FloatMovement[]): Buffer {
  const content = movements
    .map(({ kind, at, operatorReference, reference, amountCents, account }) =>
      JSON.stringify([kind, at, operatorReference, reference, String(amountCents), account]),
    )
    .toSorted();
  return createHash('sha256')
    .update(JSON.stringify([from, to, ...content]))
    .digest();
}

export interface PullDeps {
  readonly pool: Pool;
  readonly ledgerMac: Mac;
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
  readonly operatorCodes: () => readonly string[];
  readonly wireTime: WireTime;
  readonly log: Logger;
}

/** No process pulls from an operator for this long after a failure, or while one is pulling. */
const LEASE_MS = 15 * 60_000;

/** Pulls every statement that is due. One operator that does not answer does not hold up others. */
export async function pullDueStatements(deps: PullDeps, signal: AbortSignal): Promise<void> {
  const { pool, connectorOf, log } = deps;
  const operators = deps
    .operatorCodes()
    .filter((operator) => pullingOf(connectorOf(operator)) !== undefined);
  if (operators.length === 0) return;
  await insertMissingPulls(pool, operators, startOfDay(new Date(), deps.wireTime));
  for (const operator of operators) {
    if (signal.aborted) return;
    try {
      await pullOperator(deps, operator, signal);
    } catch (error) {
      log.warn({ err: error, operator }, 'a statement could not be pulled');
      await setPullError(pool, operator, (error as Error).message.slice(0, 500));
    }
  }
}

async function pullOperator(deps: PullDeps, operator: string, signal: AbortSignal): Promise<void> {
  const { pool, log } = deps;
  while (!signal.aborted) {
    const connector = pullingOf(deps.connectorOf(operator));
    const plan = connector && (await takePull(pool, operator, LEASE_MS));
    if (connector === undefined || plan === undefined) return;
    const times = {
      pulledUntil: plan.pulledUntil,
      everyMs: plan.everyMinutes * 60_000,
      delayMs: plan.delayMinutes * 60_000,
    };
    const window = nextWindow(times, await readDatabaseTime(pool));
    if (window === undefined) return await endTurn(pool, operator);
    const { verdicts, casesOpened } = await pullPeriod(
      deps,
      { operator, connector },
      { ...window, signal },
    );
    await setPulledUntil(pool, operator, window.to);
    await endTurn(pool, operator);
    log.info({ operator, ...window, verdicts, casesOpened }, 'a statement was pulled');
  }
}
