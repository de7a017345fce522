import type { AccountFormat } from './account-format.ts';

export type Availability = 'ONLINE' | 'OFFLINE';

export interface Biller extends AccountFormat {
  /** Sent as `biller_name` to create. */
  readonly billerCode: string;
  readonly name: string;
  readonly category: string;
  readonly operatorCode: string;
  readonly minimumCents: bigint;
  readonly maximumCents: bigint | null;
  /** Flat fee on top of the amount, to the vendor's `fees` account. */
  readonly feeCents: bigint;
  /** True when create needs `phone`. */
  readonly secondaryAccount: boolean;
  readonly validatesAccounts: boolean;
  /** OFFLINE if people set it, while the circuit breaker is open, and in quarantine. */
  readonly availability: Availability;
  readonly breakerOpen: boolean;
}

/** The company that executes payments for billers, and how to reach it. */
export interface Operator {
  readonly operatorCode: string;
  readonly name: string;
  /** Folder of `connectors/` that speaks its protocol. */
  readonly connector: string;
  readonly baseUrl: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly maxConcurrency: number;
  readonly maxPerSecond: number | null;
  /** Secrets shared with it, newest first. */
  readonly secrets: readonly OperatorSecret[];
}

export interface OperatorSecret {
  readonly secret: string;
  /** Null: until it is replaced. */
  readonly validUntil: Date | null;
}
