import type { Operator } from '../billers/biller.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import type { Capacity } from './capacity.ts';
import type { Connector } from './connector.ts';
import { sendDeadlineMs } from './decide.ts';
import type { Rotation, Turn } from './rotation.ts';
import { chooseRoute } from './route.ts';
import type { RouteCause } from './route.ts';
import { inForce } from '../prices/price.ts';
import type { Routing } from './routing.ts';
import type { ChosenRoute } from './store.ts';

/** A lease is longer than the connector's deadline by this much. */
const LEASE_MARGIN_MS = 5_000;

/** How much may be claimed from one queue for one operator now, and for how long. */
export interface Share extends Turn {
  readonly turn: Turn;
  readonly max: number;
  readonly leaseMs: number;
  readonly route?: ChosenRoute;
  /** Why that route, for the metrics. */
  readonly cause?: RouteCause;
  /** How many bands of amounts the queue has. */
  readonly bandCount: number;
}

export interface ShareOptions {
  readonly catalogue: BillerCatalogue;
  readonly connectorOf: (operatorCode: string) => Connector | undefined;
  readonly routing: Pick<Routing, 'candidates' | 'bands' | 'freeOnTrial'>;
  readonly capacity: Capacity;
}

/** Divides the capacity of each operator among the queues that wait for it, in turns. */
export function shareOut(turns: readonly Turn[], options: ShareOptions): Share[] {
  const shares = [];
  const promised = new Map<string, number>();
  const withinTrial = createTrialLimit(options.routing);
  // Also in turn order: payments and status queries of one operator share its slots.
  for (const { operator, stage, requests } of groupByOperator(turns, options)) {
    const connector = options.connectorOf(operator.operatorCode);
    if (connector === undefined) continue;
    const given = promised.get(operator.operatorCode) ?? 0;
    const free = options.capacity.free(operator, stage, given);
    const inTurn = requests.slice(0, free);
    promised.set(operator.operatorCode, given + free);
    const leaseMs = sendDeadlineMs(connector) + LEASE_MARGIN_MS;
    for (const [index, request] of inTurn.entries()) {
      const share = Math.floor(free / inTurn.length) + (index < free % inTurn.length ? 1 : 0);
      const max = withinTrial(request, share);
      if (max > 0) shares.push({ ...request.turn, ...request, max, leaseMs });
    }
  }
  return shares;
}

/** Limits what all queues together get of a route on trial. */
function createTrialLimit(
  routing: Pick<Routing, 'freeOnTrial'>,
): (request: Request, share: number) => number {
  const left = new Map<string, number>();
  return ({ turn: { billerCode }, route }, share) => {
    if (route === undefined) return share;
    const name = `${billerCode} ${route.operatorCode}`;
    const free = left.get(name) ?? routing.freeOnTrial(billerCode, route.operatorCode);
    const given = Math.min(share, free);
    left.set(name, free - given);
    return given;
  };
}

/** One queue that waits for one operator. */
type Request = Pick<Share, 'turn' | 'route' | 'cause' | 'bandCount'>;

/** The requests for the same kind of call to the same operator. */
interface Group {
  readonly operator: Operator;
  readonly stage: Turn['stage'];
  readonly requests: Request[];
}

function groupByOperator(turns: readonly Turn[], options: ShareOptions): Iterable<Group> {
  const groups = new Map<string, Group>();
  const choicesFor = createChoices(options);
  for (const turn of turns) {
    const { stage } = turn;
    const requests =
      stage === 'send' ? requestsToSend(turn, choicesFor) : requestsToVerify(turn, options);
    for (const { operator, ...request } of requests) {
      const name = `${operator.operatorCode} ${stage}`;
      const group = groups.get(name) ?? { operator, stage, requests: [] };
      group.requests.push(request);
      groups.set(name, group);
    }
  }
  return groups.values();
}

/** Only the operator that has an instruction is asked about it. */
function requestsToVerify(
  turn: Turn,
  { catalogue }: ShareOptions,
): (Request & { readonly operator: Operator })[] {
  const operator = catalogue.operator(turn.operatorCode ?? '');
  return operator === undefined ? [] : [{ turn, operator, bandCount: 1 }];
}

function requestsToSend(
  turn: Turn,
  choicesFor: ChoicesFor,
): (Request & { readonly operator: Operator })[] {
  return choicesFor(turn.billerCode, turn.operatorCode ?? null)
    .filter(({ route }) => !turn.finished.has(route.minimumCents))
    .map((choice) => ({ turn, ...choice }));
}

/** Where a biller's payments of a band of amounts go now. */
interface Choice extends Pick<Share, 'cause' | 'bandCount'> {
  readonly operator: Operator;
  readonly route: ChosenRoute;
}

/** @param preferred the operator that a failover chose. */
type ChoicesFor = (billerCode: string, preferred: string | null) => readonly Choice[];

/** Chooses once for each biller: it may have as many queues as there are vendors. */
function createChoices(options: ShareOptions): ChoicesFor {
  const known = new Map<string, readonly Choice[]>();
  return (billerCode, preferred) => {
    const name = `${billerCode} ${preferred ?? ''}`;
    const found = known.get(name) ?? chooseFor(billerCode, preferred, options);
    known.set(name, found);
    return found;
  };
}

function chooseFor(
  billerCode: string,
  preferred: string | null,
  { catalogue, routing }: ShareOptions,
): readonly Choice[] {
  const biller = catalogue.biller(billerCode);
  // While a biller is offline nothing is sent; instructions already sent are still verified.
  if (biller?.availability !== 'ONLINE') return [];
  const candidates = routing.candidates(biller, new Map());
  const bands = routing.bands(biller);
  return bands.flatMap((band) => {
    const choice = chooseRoute(candidates, band.minimumCents, preferred);
    const operator = choice && catalogue.operator(choice.operatorCode);
    if (choice === undefined || operator === undefined) return [];
    const prices = biller.routes.find(
      (route) => route.operatorCode === choice.operatorCode,
    )?.prices;
    const operatorPrice = inForce(prices, Date.now())?.version ?? null;
    const { cause, ...chosen } = choice;
    const route = { ...band, ...chosen, operatorPrice };
    return [{ operator, route, cause, bandCount: bands.length }];
  });
}

/**
 * Returns the turns of shares that were claimed. A queue that may have more goes to the end of the
 * order, also when nothing was claimed of it: one of its bands must not keep an operator's slots from
 * its other bands and from other queues. The result says whether some band has nothing more, so that
 * its slots are free for others.
 * @param counts how many payments were claimed of each share.
 */
export function endTurns(
  rotation: Pick<Rotation, 'empty' | 'asked'>,
  shares: readonly Share[],
  counts: readonly number[],
): boolean {
  const turns = new Map<Turn, { readonly share: Share; isServed: boolean }>();
  let someFinished = false;
  for (const [index, share] of shares.entries()) {
    const { turn, route, max } = share;
    const known = turns.get(turn) ?? { share, isServed: false };
    turns.set(turn, known);
    if (counts[index] === max) known.isServed = true;
    // What waits for a busy route is asked for again.
    else if ((route?.waitMs ?? 0) === 0) {
      turn.finished.add(route?.minimumCents ?? 0n);
      someFinished = true;
    }
  }
  for (const [turn, { share, isServed }] of turns) {
    if (!isServed && turn.finished.size >= share.bandCount) rotation.empty(turn);
    else rotation.asked(turn);
  }
  return someFinished;
}
