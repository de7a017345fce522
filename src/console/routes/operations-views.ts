import { isOnTrial } from '../../payments/billers/biller.ts';
import type { Route } from '../../payments/billers/biller.ts';
import type { FloatForecast } from '../../payments/billers/float-forecasts.ts';
import type { BillerHealth } from '../../payments/billers/health.ts';
import type { ActivityInterval } from '../../payments/overview/activity.ts';
import { formatMoney } from '../../platform/base/money.ts';
import type {
  BillerView,
  FloatView,
  PaymentInterval,
  PaymentSums,
  RouteView,
} from '../operations-answers.ts';

/** Billers, operators and their figures as the API answers with them. */

export function intervalView({ begin, ...sums }: ActivityInterval): PaymentInterval {
  return { begin: begin.toISOString(), ...sums };
}

export function floatView(float: FloatForecast): FloatView {
  return {
    operator: float.operatorCode,
    balance: money(float.balanceCents),
    polledAt: float.polledAt?.toISOString() ?? null,
    state: float.state,
    low: money(float.lowCents),
    stop: money(float.stopCents),
    resume: money(float.resumeCents),
    hoursLeft: float.hoursLeft,
  };
}

export function billerView(health: BillerHealth, lastHour: PaymentSums): BillerView {
  const { biller, routes, availability } = health;
  return {
    code: biller.billerCode,
    name: biller.name,
    category: biller.category,
    operators: routes.map(({ operatorCode }) => operatorCode),
    status: availability,
    obstacle: health.offlineReason,
    lastHour,
  };
}

export function routeView(terms: Route): RouteView {
  return {
    operator: terms.operatorCode,
    position: terms.position,
    weight: terms.weight,
    minimum: money(terms.minimumCents),
    maximum: money(terms.maximumCents),
    dailyLimit: money(terms.dailyLimitCents),
    obstacle: terms.obstacleReason,
    isBreakerOpen: terms.breaker?.trialSince === null,
    isOnTrial: isOnTrial(terms),
  };
}

function money(cents: bigint | null): string | null {
  return cents === null ? null : formatMoney(cents);
}
