import type { Connector } from '../../src/connectors/operator.ts';

/** What an account makes the emulator do. */
export const SCENARIOS = [
  'paid',
  'declined',
  /** Accepted; the result comes later, by a callback if the protocol has them. */
  'paid_later',
  'declined_later',
  /** Paid; the callback comes several times. */
  'callback_repeated',
  /** Paid; the callback is never sent. */
  'callback_missing',
  /** Accepted; never executed, and the operator never reports that. */
  'never_told',
  /** Paid, but not the amount that was instructed. */
  'other_amount',
  /** Paid, and taken back later. */
  'reversed',
] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** One line of the table: a connector and the emulator of its provider. */
export interface Subject {
  readonly name: string;
  readonly billerCode: string;
  /** Callbacks carry their proof in the body; path and headers are not used. */
  readonly isProofInBody?: true;
  /** A status query says that a payment exists, not that it was made: only a callback says so, and causes the query. */
  readonly needsCallback?: true;
  start(): Promise<Provider>;
}

/** A running emulator. */
export interface Provider {
  readonly port: number;
  /** @param baseUrl of the fault proxy in front of the emulator. */
  connect(baseUrl: string, options: ConnectOptions): Connector;
  /** Whether this request of the connector can move money. */
  isInstruction(method: string, path: string, body: string): boolean;
  /** A fresh account of the scenario; null: the provider has no such behaviour. */
  accountFor(scenario: Scenario): string | null;
  /**
   * A fresh account with which the payment is made and reported, and later a part of it is given
   * back. Null: the provider reports no such thing.
   */
  readonly accountForPartRefund: (() => string) | null;
  /**
   * A fresh account whose payment is answered as paid while its details follow. Null: the provider always has them.
   */
  readonly accountForLateDetails: (() => string) | null;
  /** What was really executed and not reversed. */
  executed(account: string): Promise<readonly { readonly amountCents: bigint }[]>;
  /** Resolves when the emulator has nothing more to execute or send. Null: it cannot say. */
  readonly quiet: (() => Promise<void>) | null;
  /** Makes every token that was issued invalid. Null: the protocol has no tokens. */
  readonly expireTokens: (() => void) | null;
  /** Refuses this many of the next requests with a rate limit. Null: the emulator cannot. */
  readonly limitRate: ((requests: number) => void) | null;
  /** Moves the provider's clock against ours. Null: the emulator cannot. */
  readonly skewClock: ((byMs: number) => void) | null;
  close(): Promise<void>;
}

export interface ConnectOptions {
  readonly callbackUrl: string;
  readonly payTimeoutMs: number;
}
