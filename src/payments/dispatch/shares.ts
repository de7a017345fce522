import type { Operator } from '../billers/biller.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import type { Availabilities } from './availability.ts';
import type { Capacity } from './capacity.ts';
import type { Connector } from './connector.ts';
import { sendDeadlineMs } from './decide.ts';
import type { Turn } from './rotation.ts';

/** A lease is longer than the connector's deadline by this much. */
const LEASE_MARGIN_MS = 5_000;

/** How much may be claimed from one queue now, and for how long. */
export interface Share extends Turn {
  readonly max: number;
  readonly leaseMs: number;
}

export interface ShareOptions {
  readonly catalogue: BillerCatalogue;
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
  readonly availabilities: Availabilities;
  readonly capacity: Capacity;
}

/** Divides the capacity of each operator among the queues that wait for it, in turns. */
export function shareOut(turns: readonly Turn[], options: ShareOptions): Share[] {
  const shares = [];
  const promised = new Map<string, number>();
  // Also in turn order: payments and status queries of one operator share its slots.
  for (const { operator, stage, turns: waiting } of groupByOperator(turns, options)) {
    const connector = options.connectorOf(operator.operatorCode);
    if (connector === undefined) continue;
    const given = promised.get(operator.operatorCode) ?? 0;
    const free = options.capacity.free(operator, stage, given);
    const inTurn = waiting.slice(0, free);
    promised.set(operator.operatorCode, given + free);
    const leaseMs = sendDeadlineMs(connector) + LEASE_MARGIN_MS;
    for (const [index, turn] of inTurn.entries()) {
      const max = Math.floor(free / inTurn.length) + (index < free % inTurn.length ? 1 : 0);
      shares.push({ ...turn, max, leaseMs });
    }
  }
  return shares;
}

/** The turns that wait for the same kind of call to the same operator. */
interface Group {
  readonly operator: Operator;
  readonly stage: Turn['stage'];
  readonly turns: Turn[];
}

function groupByOperator(
  turns: readonly Turn[],
  { catalogue, availabilities }: ShareOptions,
): Iterable<Group> {
  const groups = new Map<string, Group>();
  for (const turn of turns) {
    const { billerCode, stage } = turn;
    const operator = operatorOf(catalogue, billerCode);
    if (operator === undefined) continue;
    // While a biller is offline nothing is sent; instructions already sent are still verified.
    if (stage === 'send' && !availabilities.maySend(billerCode)) continue;
    const name = `${operator.operatorCode} ${stage}`;
    const group = groups.get(name) ?? { operator, stage, turns: [] };
    group.turns.push(turn);
    groups.set(name, group);
  }
  return groups.values();
}

export function operatorOf(catalogue: BillerCatalogue, billerCode: string): Operator | undefined {
  const biller = catalogue.biller(billerCode);
  return biller && catalogue.operator(biller.operatorCode);
}
