import type {
  Declined,
  NotSent,
  Paid,
  PaymentInstruction,
  PaymentOutcome,
  StatusOutcome,
  StatusQuery,
  Unknown,
} from '../../src/connectors/operator-outcomes.ts';
import type { BalanceAnswer, Connector } from '../../src/connectors/operator.ts';
import { HTTP_JSON } from '../../src/connectors/operators/http-json/declaration.ts';

/** The properties of a test connector that has only `pay`. */
export const NO_CAPABILITIES = {
  declaration: HTTP_JSON,
  caseAfterMs: null,
  prepare: null,
  status: null,
  validate: null,
  balance: null,
  pullStatement: null,
  quote: null,
  products: null,
  callbacks: null,
  close: async () => {},
} as const satisfies Partial<Connector>;

/** The operator's behaviour; absent functions are not offered. */
export interface Script {
  pay: (
    instruction: PaymentInstruction,
    signal: AbortSignal,
  ) => PaymentOutcome | Promise<PaymentOutcome>;
  status?: (query: StatusQuery, signal: AbortSignal) => StatusOutcome | Promise<StatusOutcome>;
  balance?: (signal: AbortSignal) => bigint | null | Promise<bigint | null>;
  /** Default 0: "not found" is proof at once. */
  acceptanceWindowMs?: number | null;
  /** Default null: never. */
  caseAfterMs?: number | null;
  prepare?: Connector['prepare'];
  /** Default 5 s. */
  payDeadlineMs?: number;
}

/** An operator that follows a script, and the calls that it received, in order. */
export interface ScriptedConnector extends Connector {
  readonly instructions: readonly PaymentInstruction[];
  readonly queries: readonly StatusQuery[];
  /** The largest number of simultaneous calls. */
  readonly maxAtOnce: number;
}

export function createScriptedConnector(script: Script): ScriptedConnector {
  const instructions: PaymentInstruction[] = [];
  const queries: StatusQuery[] = [];
  let atOnce = 0;
  let maxAtOnce = 0;
  const counted = async <Outcome>(call: () => Outcome | Promise<Outcome>): Promise<Outcome> => {
    atOnce += 1;
    maxAtOnce = Math.max(maxAtOnce, atOnce);
    try {
      return await call();
    } finally {
      atOnce -= 1;
    }
  };
  const { status, balance } = script;
  return {
    ...NO_CAPABILITIES,
    instructions,
    queries,
    get maxAtOnce() {
      return maxAtOnce;
    },
    caseAfterMs: script.caseAfterMs ?? null,
    prepare: script.prepare ?? null,
    acceptanceWindowMs: script.acceptanceWindowMs === undefined ? 0 : script.acceptanceWindowMs,
    payDeadlineMs: script.payDeadlineMs ?? 5_000,
    pay: (instruction, signal) => {
      instructions.push(instruction);
      return counted(() => script.pay(instruction, signal));
    },
    ...(status && {
      status: (query: StatusQuery, signal: AbortSignal) => {
        queries.push(query);
        return counted(() => status(query, signal));
      },
    }),
    ...(balance && {
      balance: async (signal: AbortSignal): Promise<BalanceAnswer> => {
        const balanceCents = await balance(signal);
        return balanceCents === null
          ? { kind: 'unknown', reason: 'no answer' }
          : { kind: 'balance', balanceCents };
      },
    }),
  };
}

export function paid(asked: { readonly amountCents: bigint }): Paid {
  return {
    kind: 'paid',
    operatorReference: 'OP1',
    amountCents: asked.amountCents,
    message: 'Paid',
    details: {},
  };
}

export const DECLINED: Declined = {
  kind: 'declined',
  code: '17',
  failureCode: 'invalid_account',
  message: 'No such account',
};

/** The operator answered that it did not accept the instruction. */
export const NOT_SENT: NotSent = {
  kind: 'not_sent',
  reason: 'refused before it was read',
  operatorPaused: false,
  answered: true,
};

/** The connection failed. */
export const NO_CONNECTION: NotSent = {
  kind: 'not_sent',
  reason: 'connection refused',
  operatorPaused: false,
  answered: false,
};

export const PAUSED: NotSent = {
  kind: 'not_sent',
  reason: 'our float with the operator is empty',
  operatorPaused: true,
  answered: true,
};

/** The answer was lost. */
export const SILENCE: Unknown = {
  kind: 'unknown',
  reason: 'no answer',
  operatorHandle: null,
  answered: false,
};

/** Accepted; the result follows later. */
export const ACCEPTED: Unknown = {
  kind: 'unknown',
  reason: 'accepted',
  operatorHandle: 'handle-1',
  answered: true,
};
