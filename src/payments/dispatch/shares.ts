import type { Operator } from '../billers/biller.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import type { Capacity } from './capacity.ts';
import type { Connector } from '../../connectors/operator.ts';
import { leaseMsOf } from './next-step.ts';
import type { AskedBands, Rotation, Turn } from './rotation.ts';
import { chooseRoute } from './route.ts';
import type { RouteCause } from './route.ts';
import { inForce } from '../prices/price.ts';
import type { Routing } from './routing.ts';
import type { ChosenRoute } from './store.ts';

/** Limits of a claim from one queue for one operator: the number of payments, and the time. */
export interface Share extends Turn {
  readonly turn: Turn;
  readonly max: number;
  readonly leaseMs: number;
  readonly route?: ChosenRoute;
  /** Why that route, for the metrics. */
  readonly cause?: RouteCause;
  /** Number of bands of amounts in the queue. */
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
  const withinTrial = createTrialLimit(options.routing);
  for (const { free, leaseMs, requests } of groupByOperator(turns, options)) {
    for (const [index, request] of requests.entries()) {
      const share = Math.floor(free / requests.length) + (index < free % requests.length ? 1 : 0);
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

/** The requests for the same kind of call to the same operator that have a slot. */
interface Group {
  /** Free slots for this kind of call; 0 without a connector. */
  readonly free: number;
  readonly leaseMs: number;
  readonly requests: Request[];
  /** Smallest number of slots that the requests may use. */
  askedFor: number;
}

/** There may be as many turns as vendors, and far fewer slots, so a turn costs little if its group is full. */
function groupByOperator(turns: readonly Turn[], options: ShareOptions): readonly Group[] {
  const groups = createGroups(options);
  const choicesFor = createChoices(options);
  const overdue = listOverdue(turns, choicesFor);
  for (const turn of turns) {
    if (turn.stage === 'verify') {
      // Only the operator that has an instruction is asked about it.
      const operator = options.catalogue.operator(turn.operatorCode ?? '');
      if (operator !== undefined) ask(groups.of(operator, 'verify'), { turn, bandCount: 1 });
      continue;
    }
    for (const { operator, wanted } of openChoices(turn, choicesFor)) {
      const group = groups.of(operator, 'send');
      if (group.askedFor >= group.free) continue;
      askOverdue(group, overdue.get(operator) ?? [], turn.place);
      const isOverdue = turn.isSplit && placeOf(turn, wanted.route) < turn.place;
      if (!isOverdue) ask(group, { turn, ...wanted });
    }
  }
  return groups.all;
}

function ask(group: Group, request: Request): void {
  if (group.askedFor >= group.free) return;
  group.askedFor += request.turn.burst;
  group.requests.push(request);
}

/** Asks those whose place is before that of a turn, and removes them. @param overdue the last one first. */
function askOverdue(group: Group, overdue: Overdue[], place: number): void {
  while ((overdue.at(-1)?.place ?? place) < place) {
    const next = overdue.pop();
    if (next !== undefined) ask(group, next.request);
  }
}

/** Where the turn’s bands go, without those that have nothing more at present. */
function openChoices(turn: Turn, choicesFor: ChoicesFor): readonly Choice[] {
  const choices = choicesFor(turn.billerCode, turn.operatorCode ?? null);
  if (turn.finished.size + turn.waited.size === 0) return choices;
  return choices.filter(
    ({ wanted: { route } }) =>
      !turn.finished.has(route.minimumCents) && !turn.waited.has(routeName(route)),
  );
}

/** In the order of turns, the place of one of its bands: another band may have been asked since. */
function placeOf(turn: Turn, { minimumCents }: Pick<ChosenRoute, 'minimumCents'>): number {
  return turn.askedAt.get(minimumCents) ?? turn.addedAt;
}

/** The request of a band that was not asked when the turn’s other bands were. */
interface Overdue {
  readonly place: number;
  readonly request: Request;
}

/**
 * By operator, the last one first. A queue goes to the end of the order when one of its bands was asked, and
 * the others must not wait for as long again: their operator may be slower.
 */
function listOverdue(turns: readonly Turn[], choicesFor: ChoicesFor): Map<Operator, Overdue[]> {
  const overdue = new Map<Operator, Overdue[]>();
  for (const turn of turns) {
    if (!turn.isSplit) continue;
    for (const { operator, wanted } of openChoices(turn, choicesFor)) {
      const place = placeOf(turn, wanted.route);
      if (place === turn.place) continue;
      const known = overdue.get(operator) ?? [];
      overdue.set(operator, known);
      known.push({ place, request: { turn, ...wanted } });
    }
  }
  for (const list of overdue.values()) list.sort((one, other) => other.place - one.place);
  return overdue;
}

/** A band of amounts at an operator. */
function routeName({ operatorCode, minimumCents }: ChosenRoute): string {
  return `${operatorCode} ${minimumCents}`;
}

/** Groups in the order in which they are asked for: payments and status queries of an operator share its slots. */
function createGroups({ connectorOf, capacity }: ShareOptions): {
  readonly of: (operator: Operator, stage: Turn['stage']) => Group;
  readonly all: readonly Group[];
} {
  const all: Group[] = [];
  const known = { send: new Map<Operator, Group>(), verify: new Map<Operator, Group>() };
  const promised = new Map<Operator, number>();
  const open = (operator: Operator, stage: Turn['stage']): Group => {
    const connector = connectorOf(operator.operatorCode);
    if (connector === undefined) return { free: 0, leaseMs: 0, requests: [], askedFor: 0 };
    const given = promised.get(operator) ?? 0;
    const free = capacity.free(operator, stage, given);
    promised.set(operator, given + free);
    return { free, leaseMs: leaseMsOf(connector), requests: [], askedFor: 0 };
  };
  return {
    all,
    of: (operator, stage) => {
      const found = known[stage].get(operator);
      if (found !== undefined) return found;
      const group = open(operator, stage);
      known[stage].set(operator, group);
      all.push(group);
      return group;
    },
  };
}

/** Where a biller's payments of a band of amounts go now. */
interface Choice {
  readonly operator: Operator;
  readonly wanted: Pick<Share, 'cause' | 'bandCount'> & { readonly route: ChosenRoute };
}

/** @param preferred the operator that a failover chose. */
type ChoicesFor = (billerCode: string, preferred: string | null) => readonly Choice[];

/** Chooses once for each biller: it may have as many queues as there are vendors. */
function createChoices(options: ShareOptions): ChoicesFor {
  const known = new Map<string, Map<string | null, readonly Choice[]>>();
  return (billerCode, preferred) => {
    const ofBiller = known.get(billerCode) ?? new Map<string | null, readonly Choice[]>();
    known.set(billerCode, ofBiller);
    const found = ofBiller.get(preferred) ?? chooseFor(billerCode, preferred, options);
    ofBiller.set(preferred, found);
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
    const route = { ...band, ...chosen, operatorPrice, operatorVersion: operator.version };
    return [{ operator, wanted: { route, cause, bandCount: bands.length } }];
  });
}

/**
 * Returns the turns of shares that were claimed. A queue that may have more goes to the end of the
 * order, also when nothing was claimed of it: one of its bands must not keep an operator's slots from
 * its other bands and from other queues. The result says whether some band has nothing more at present, so
 * that its slots are free for others.
 * @param claimed the ids of the payments that were claimed of each share, in order.
 */
export function endTurns(
  rotation: Pick<Rotation, 'empty' | 'asked'>,
  shares: readonly Share[],
  claimed: readonly (readonly string[])[],
): boolean {
  const turns = new Map<Turn, AskedTurn>();
  let someFinished = false;
  for (const [index, { turn, route, max, bandCount }] of shares.entries()) {
    const known = turns.get(turn) ?? { bandCount, served: [], bands: [] };
    turns.set(turn, known);
    known.bands.push(route?.minimumCents ?? 0n);
    const ids = claimed[index] ?? [];
    const waits = (route?.waitMs ?? 0) > 0;
    // Payments that have not waited long enough for a busy route remain before the last one.
    if (ids.length === max) known.served.push(waits ? null : (ids.at(-1) ?? null));
    else {
      // What waits for a busy route is asked for again, at the next listing or when that route is free.
      if (waits && route !== undefined) turn.waited.add(routeName(route));
      else turn.finished.add(route?.minimumCents ?? 0n);
      someFinished = true;
    }
  }
  for (const [turn, { bandCount, served, bands }] of turns) {
    const isWhole = served.length + turn.finished.size >= bandCount;
    if (isWhole && served.length === 0) rotation.empty(turn);
    else rotation.asked(turn, isWhole ? firstOf(served) : null, { bands, bandCount });
  }
  return someFinished;
}

/** The result of a turn. */
interface AskedTurn extends AskedBands {
  /** The last payment that was claimed of each band that may have more. */
  readonly served: (string | null)[];
  readonly bands: bigint[];
}

/** Null if one of them is not known. */
function firstOf(ids: readonly (string | null)[]): string | null {
  let first: string | null = null;
  for (const id of ids) {
    if (id === null) return null;
    if (first === null || id < first) first = id;
  }
  return first;
}
