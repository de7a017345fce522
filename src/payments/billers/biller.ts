import type { ConfiguredOperator, Secret, Range } from '../../connectors/operator.ts';
import type { FeePrices, OperatorPrice } from '../prices/price.ts';
import type { AccountFormat } from './account-format.ts';
import type { SoldProduct } from './product.ts';

export type Availability = 'ONLINE' | 'OFFLINE';

export interface Biller extends AccountFormat {
  /** Sent as `biller_name` to create. */
  readonly billerCode: string;
  readonly name: string;
  readonly category: string;
  /** It executes payments, and validates accounts, unless other routes come first. */
  readonly operatorCode: string;
  readonly minimumCents: bigint;
  readonly maximumCents: bigint | null;
  /** Products with known amounts that its payments may buy. */
  readonly products: readonly SoldProduct[];
  /** Null: any amount. Otherwise the amounts for which its operators sell something; empty: unknown. */
  readonly soldAmounts: readonly Range[] | null;
  /** The fee that vendors pay in addition to the amount. */
  readonly feePrices: FeePrices;
  /** True when create needs `phone`. */
  readonly secondaryAccount: boolean;
  readonly validatesAccounts: boolean;
  /** OFFLINE if people set it, while no route can be used, and in quarantine. */
  readonly availability: Availability;
  /** By position. Payments go through the first that can take them. */
  readonly routes: readonly Route[];
}

/** An operator that may execute the biller's payments, and on which terms. */
export interface Route {
  readonly operatorCode: string;
  /** Lower positions first; those of the same position share the payments by weight. */
  readonly position: number;
  readonly weight: number;
  /** The amounts that it takes; null: no limit. */
  readonly minimumCents: bigint | null;
  readonly maximumCents: bigint | null;
  /** Largest sum that may be sent through it in a day; null: no limit. */
  readonly dailyLimitCents: bigint | null;
  /** The operator's charges and commissions, in order of their start. */
  readonly prices: readonly OperatorPrice[];
  /** Why nothing is sent through it now. */
  readonly obstacle: RouteObstacle | null;
  /** The obstacle for people; null without one. */
  readonly obstacleReason: string | null;
  /** Null: its circuit breaker is closed. */
  readonly breaker: Breaker | null;
}

/** A circuit breaker that is open or on trial. */
export interface Breaker {
  /** Time for which it was open, or will be, before the operator is probed. */
  readonly cooldownMs: number;
  /**
   * Since when a few payments are let through, until the operator has answered one. Null: it is open,
   * and nothing is sent.
   */
  readonly trialSince: Date | null;
}

/** True while the route’s circuit breaker lets a few payments through. */
export function isOnTrial({ breaker }: Pick<Route, 'breaker'>): boolean {
  return breaker !== null && breaker.trialSince !== null;
}

export type RouteObstacle = 'offline' | 'breaker' | 'float';

/** The category of billers through which money is sent to phones. Vendors neither see nor pay them. */
export const DISBURSEMENTS = 'disbursements';

export function isForDisbursements({ category }: Pick<Biller, 'category'>): boolean {
  return category === DISBURSEMENTS;
}

/** Undefined for one that vendors do not pay. */
export function ifForVendors(biller: Biller | undefined): Biller | undefined {
  return biller === undefined || isForDisbursements(biller) ? undefined : biller;
}

export function billersForVendors(billers: readonly Biller[]): readonly Biller[] {
  return billers.filter((biller) => !isForDisbursements(biller));
}

/** The company that executes payments for billers, and how to reach it. */
export interface Operator extends ConfiguredOperator {
  readonly name: string;
  readonly maxPerSecond: number | null;
}

/** An operator with its history (operator-version.ts). */
export interface VersionedOperator extends Operator {
  /** Raised by every change of where instructions go. */
  readonly version: number;
  /** Versions that are no longer in force, oldest first. */
  readonly former: readonly FormerVersion[];
}

/** A former version of an operator, which is still asked about the instructions that it got. */
export interface FormerVersion {
  readonly version: number;
  readonly connector: string;
  readonly baseUrl: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly replacedAt: Date;
  /** The next version reaches the same merchant account. */
  readonly sameAccount: boolean;
  /** `current`: the operator's own; `kept`: `secrets`; `ended`: they were deleted. */
  readonly keys: 'current' | 'kept' | 'ended';
  /** Until when callbacks under kept keys are accepted; null unless they are kept. */
  readonly callbacksUntil: Date | null;
  /** Kept ones, newest first. */
  readonly secrets: readonly Secret[];
}
