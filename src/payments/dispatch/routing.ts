import type { Biller, Operator, Route } from '../billers/biller.ts';
import type { BillerCatalogue } from '../billers/catalogue.ts';
import type { Availabilities } from './availability.ts';
import type { Capacity } from './capacity.ts';
import type { DailySpending } from './daily-spending.ts';
import type { FloatGuard } from './float-guard.ts';
import { bandsOf, failOver, LIMIT_REACHED } from './route.ts';
import type { Band, Candidate, Failover, Obstacle } from './route.ts';
import { NO_MAXIMUM } from './store.ts';
import type { Claim } from './store.ts';

/** The routes as they are now, for the decisions in route.ts. */
export interface Routing {
  /** @param promised slots that are already assigned, by operator. */
  candidates(biller: Biller, promised: ReadonlyMap<string, number>): Candidate[];
  bands(biller: Biller): readonly Band[];
  /** Number of payments that may be claimed for a route on trial; Infinity for other routes. */
  freeOnTrial(billerCode: string, operatorCode: string): number;
  /** Counts payments that were claimed for an operator. */
  note(claims: readonly Claim[]): void;
  failover(claim: Claim): Failover;
}

export interface RoutingOptions {
  readonly catalogue: BillerCatalogue;
  readonly connectorOf: (operatorCode: string) => unknown;
  readonly availabilities: Pick<Availabilities, 'obstacleOf' | 'free'>;
  readonly capacity: Capacity;
  readonly spending: Pick<DailySpending, 'isSpent' | 'note'>;
  readonly floatGuard: Pick<FloatGuard, 'isDrained' | 'note'>;
}

/** A route's count is halved when it reaches this, so that weights are about recent payments. */
const MAX_COUNT = 1_000;

const NO_CONNECTOR: Obstacle = { cause: 'no_connector', text: 'the operator has no connector' };
const DRAINED: Obstacle = { cause: 'float', text: 'our float with it is nearly used up' };

export function createRouting(options: RoutingOptions): Routing {
  const { catalogue, availabilities, capacity, spending, floatGuard } = options;
  const counts = new Map<string, number>();
  const bands = new WeakMap<Biller, readonly Band[]>();
  const obstacleOf = (biller: Biller, route: Route): Obstacle | null => {
    if (options.connectorOf(route.operatorCode) === undefined) return NO_CONNECTOR;
    return (
      availabilities.obstacleOf(biller.billerCode, route) ??
      (spending.isSpent(biller.billerCode, route) ? LIMIT_REACHED : null) ??
      (floatGuard.isDrained(route.operatorCode) ? DRAINED : null)
    );
  };
  const candidates: Routing['candidates'] = (biller, promised) =>
    biller.routes.flatMap((route) => {
      const operator: Operator | undefined = catalogue.operator(route.operatorCode);
      if (operator === undefined) return [];
      const given = promised.get(route.operatorCode) ?? 0;
      return {
        route,
        obstacle: obstacleOf(biller, route),
        free: capacity.free(operator, 'send', given),
        sentLately: counts.get(`${biller.billerCode} ${route.operatorCode}`) ?? 0,
      };
    });
  return {
    candidates,
    bands: (biller) => {
      const known = bands.get(biller) ?? bandsOf(biller.routes, NO_MAXIMUM);
      bands.set(biller, known);
      return known;
    },
    freeOnTrial: (billerCode, operatorCode) => {
      const routes = catalogue.biller(billerCode)?.routes ?? [];
      const route = routes.find((one) => one.operatorCode === operatorCode);
      return route === undefined ? 0 : availabilities.free(billerCode, route);
    },
    note: (claims) => {
      for (const claim of claims) {
        const { stage, billerCode, operatorCode } = claim;
        const biller = catalogue.biller(billerCode);
        if (stage !== 'send' || operatorCode === null || biller === undefined) continue;
        spending.note(claim);
        floatGuard.note(claim);
        if (biller.routes.length < 2) continue;
        const count = (counts.get(`${billerCode} ${operatorCode}`) ?? 0) + 1;
        counts.set(`${billerCode} ${operatorCode}`, count);
        if (count >= MAX_COUNT) halve(counts, biller);
      }
    },
    failover: ({ billerCode, operatorCode, amountCents, attemptNumber }) => {
      const biller = catalogue.biller(billerCode);
      const found = biller === undefined ? [] : candidates(biller, new Map());
      return failOver(found, { operatorCode, amountCents, attemptNumber });
    },
  };
}

function halve(counts: Map<string, number>, biller: Biller): void {
  for (const { operatorCode } of biller.routes) {
    const name = `${biller.billerCode} ${operatorCode}`;
    counts.set(name, (counts.get(name) ?? 0) / 2);
  }
}
