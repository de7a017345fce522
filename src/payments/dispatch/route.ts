import type { Route, RouteObstacle } from '../billers/biller.ts';

/** A payment waits this long for a busy route before it takes one of a later position. */
export const BUSY_AFTER_MS = 2_000;

/** Why a route cannot take payments now. */
export interface Obstacle {
  readonly cause: RouteObstacle | 'daily_limit' | 'no_connector' | 'range';
  /** A text for people. */
  readonly text: string;
}

/** Why a route was chosen; several routes that were passed over count as the first of them. */
export type RouteCause = Obstacle['cause'] | 'only' | 'first' | 'weight' | 'failover' | 'busy';

/** A route of a biller, as it is now. */
export interface Candidate {
  readonly route: Route;
  /** Why it cannot take payments of any amount now; null: it can. */
  readonly obstacle: Obstacle | null;
  /** Free slots with the operator. */
  readonly free: number;
  /** Payments that went through it lately, for the weights. */
  readonly sentLately: number;
}

/** Amounts that the same routes take; both ends included. */
export interface Band {
  readonly minimumCents: bigint;
  readonly maximumCents: bigint;
}

export interface RouteChoice {
  readonly operatorCode: string;
  /** A text for people; null: the biller has no other route. */
  readonly reason: string | null;
  /** The reason in a form for programs. */
  readonly cause: RouteCause;
  /** Payments take this route only once they have been due for this long. */
  readonly waitMs: number;
}

/** The next step after an operator has proven that it did not execute a payment. */
export interface Failover {
  /** Null: chosen when the payment is sent again. */
  readonly operatorCode: string | null;
  /** Number of times that every route has been tried; null: another route is tried at once. */
  readonly round: number | null;
}

/** Divides the amounts 0 to `maximumCents` into the bands in which all amounts have the same routes. */
export function bandsOf(routes: readonly Route[], maximumCents: bigint): Band[] {
  const starts = new Set([0n]);
  for (const route of routes) {
    if (route.minimumCents !== null) starts.add(route.minimumCents);
    if (route.maximumCents !== null) starts.add(route.maximumCents + 1n);
  }
  const sorted = [...starts].filter((start) => start <= maximumCents).toSorted(byValue);
  return sorted.map((start, index) => ({
    minimumCents: start,
    maximumCents: (sorted[index + 1] ?? maximumCents + 1n) - 1n,
  }));
}

export const LIMIT_REACHED: Obstacle = { cause: 'daily_limit', text: 'the daily limit is reached' };
const OUT_OF_RANGE: Obstacle = { cause: 'range', text: 'the amount is outside its range' };

/** True if the route takes this amount. */
export function takes(route: Route, amountCents: bigint): boolean {
  return (
    amountCents >= (route.minimumCents ?? 0n) && amountCents <= (route.maximumCents ?? amountCents)
  );
}

/** The obstacle that the database has for the route; null: none. */
export function obstacleOf({ obstacle: cause, obstacleReason }: Route): Obstacle | null {
  return cause === null ? null : { cause, text: obstacleReason ?? cause };
}

/** Why the route cannot take a payment of this amount now; null: it can. */
export function obstacleTo(candidate: Candidate, amountCents: bigint): Obstacle | null {
  return takes(candidate.route, amountCents) ? candidate.obstacle : OUT_OF_RANGE;
}

/** The usable routes for this amount, in the order in which they are chosen. */
export function rankRoutes(
  candidates: readonly Candidate[],
  amountCents: bigint,
  preferred: string | null = null,
): Candidate[] {
  const share = ({ route, sentLately }: Candidate): number => sentLately / route.weight;
  const late = ({ route }: Candidate): number => (route.operatorCode === preferred ? 0 : 1);
  return candidates
    .filter((candidate) => obstacleTo(candidate, amountCents) === null)
    .toSorted(
      (one, other) =>
        late(one) - late(other) ||
        one.route.position - other.route.position ||
        share(one) - share(other) ||
        (one.route.operatorCode < other.route.operatorCode ? -1 : 1),
    );
}

/**
 * The route for payments of this amount. Undefined: none is usable, or all are busy.
 * @param preferred the operator that a failover chose; it comes first if it is usable.
 */
export function chooseRoute(
  candidates: readonly Candidate[],
  amountCents: bigint,
  preferred: string | null = null,
): RouteChoice | undefined {
  const ranked = rankRoutes(candidates, amountCents, preferred);
  const chosen = ranked.find(({ free }) => free > 0);
  if (chosen === undefined) return undefined;
  const { operatorCode, position } = chosen.route;
  const busy = ranked
    .slice(0, ranked.indexOf(chosen))
    .filter(({ route }) => route.position < position || route.operatorCode === preferred);
  const waitMs = busy.length === 0 ? 0 : BUSY_AFTER_MS;
  return {
    operatorCode,
    waitMs,
    ...reasonFor(chosen, { candidates, ranked, busy, amountCents, preferred }),
  };
}

function reasonFor(
  { route: { operatorCode, position, weight } }: Candidate,
  among: {
    readonly candidates: readonly Candidate[];
    readonly ranked: readonly Candidate[];
    readonly busy: readonly Candidate[];
    readonly amountCents: bigint;
    readonly preferred: string | null;
  },
): Pick<RouteChoice, 'reason' | 'cause'> {
  if (among.candidates.length === 1) return { reason: null, cause: 'only' };
  if (operatorCode === among.preferred) return { reason: 'failover', cause: 'failover' };
  const obstructed = among.candidates
    .filter(({ route }) => route.position < position)
    .map((candidate) => ({ ...candidate, obstacle: obstacleTo(candidate, among.amountCents) }));
  const busy = among.busy.map((candidate) => ({ ...candidate, obstacle: BUSY }));
  const passed = [...obstructed, ...busy].flatMap(({ route, obstacle }) =>
    obstacle === null ? [] : [{ ...obstacle, text: `${route.operatorCode}: ${obstacle.text}` }],
  );
  const [first] = passed;
  if (first !== undefined) {
    return { reason: passed.map(({ text }) => text).join('; '), cause: first.cause };
  }
  const equals = among.ranked.filter(({ route }) => route.position === position);
  if (equals.length === 1) return { reason: 'first', cause: 'first' };
  const total = equals.reduce((sum, { route }) => sum + route.weight, 0);
  return { reason: `weight ${weight} of ${total}`, cause: 'weight' };
}

const BUSY = { cause: 'busy', text: 'busy' } as const;

/**
 * Who gets a payment next, after the operator of its last attempt proved that it did not execute it:
 * the next usable route in a circle, so that each is tried once before one is tried again.
 */
export function failOver(
  candidates: readonly Candidate[],
  last: {
    readonly operatorCode: string | null;
    readonly amountCents: bigint;
    readonly attemptNumber: number;
  },
): Failover {
  const circle = candidates.toSorted(
    ({ route: one }, { route: other }) =>
      one.position - other.position || (one.operatorCode < other.operatorCode ? -1 : 1),
  );
  const at = circle.findIndex(({ route }) => route.operatorCode === last.operatorCode);
  const following = [...circle.slice(at + 1), ...circle.slice(0, at + 1)].filter(
    (candidate) => obstacleTo(candidate, last.amountCents) === null,
  );
  const next = following.find(({ route }) => route.operatorCode !== last.operatorCode);
  if (next === undefined) return { operatorCode: null, round: last.attemptNumber - 1 };
  const { operatorCode } = next.route;
  const others = following.filter(({ route }) => route.operatorCode !== last.operatorCode);
  const count = others.length + 1;
  const isRoundOver = last.attemptNumber % count === 0;
  return { operatorCode, round: isRoundOver ? last.attemptNumber / count - 1 : null };
}

function byValue(one: bigint, other: bigint): number {
  return one < other ? -1 : Number(one > other);
}
