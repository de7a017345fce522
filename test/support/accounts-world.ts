import type { Operator } from '../../src/payments/billers/biller.ts';
import type {
  Declined,
  PaymentOutcome,
  StatusOutcome,
  Unknown,
} from '../../src/connectors/operator-outcomes.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import { NO_CAPABILITIES, paid } from './scripted-connector.ts';

// Operators with several merchant accounts, each with its own truth. An account is known by its key and merchant
// number at its address, speaks one protocol, and knows nothing about the others.

/** How an account treats an instruction. `late`: it arrives after a while, within the acceptance window. */
export type Treatment = 'paid' | 'paid unheard' | 'declined' | 'declined unheard' | 'lost' | 'late';

type Entry = { readonly outcome: 'paid' | 'declined'; readonly amountCents: bigint };

export class Account {
  readonly truth = new Map<string, Entry>();
  /** How often each reference was paid. */
  readonly payments = new Map<string, number>();
  #inTransit: { reference: string; amountCents: bigint; leftMs: number }[] = [];
  keys: string[];
  address: string;
  /** As in the setting of this name; '': without one. */
  merchant = '';
  connector = 'scripted';
  /** Whether it answers. */
  answers = true;

  constructor(address: string, key: string) {
    this.address = address;
    this.keys = [key];
  }

  execute(reference: string, outcome: Entry['outcome'], amountCents: bigint): void {
    // The caller's reference makes it once.
    if (this.truth.has(reference)) return;
    this.truth.set(reference, { outcome, amountCents });
    if (outcome === 'paid') this.payments.set(reference, (this.payments.get(reference) ?? 0) + 1);
  }

  /** Arrives as late as the window allows. */
  delay(reference: string, amountCents: bigint, windowMs: number): void {
    this.#inTransit.push({ reference, amountCents, leftMs: windowMs });
  }

  /** Called before time passes: what must arrive in this time arrives now. */
  pass(ms: number): void {
    for (const each of this.#inTransit) {
      each.leftMs -= ms;
      if (each.leftMs <= 0) this.execute(each.reference, 'paid', each.amountCents);
    }
    this.#inTransit = this.#inTransit.filter(({ leftMs }) => leftMs > 0);
  }
}

const DECLINED: Declined = {
  kind: 'declined',
  code: '1',
  failureCode: 'declined',
  message: 'Declined',
};

function silent(reason: string): Unknown {
  return { kind: 'unknown', reason, operatorHandle: null, answered: false };
}

export class AccountsWorld {
  readonly accounts: Account[] = [];
  /** Chooses what happens to an instruction. */
  treat: (reference: string) => Treatment = () => 'paid';

  add(address: string, key: string): Account {
    const account = new Account(address, key);
    this.accounts.push(account);
    return account;
  }

  timesPaid(reference: string): number {
    return this.accounts.reduce((sum, one) => sum + (one.payments.get(reference) ?? 0), 0);
  }

  #reach({ baseUrl, secrets, settings, connector }: Operator): Account | undefined {
    const key = secrets[0]?.secret ?? '';
    const merchant = settings['merchant'] ?? '';
    return this.accounts.find(
      (one) =>
        one.address === baseUrl &&
        one.keys.includes(key) &&
        one.merchant === merchant &&
        one.connector === connector,
    );
  }

  /** The connector of an operator with these settings. */
  connect(operator: Operator): Connector {
    const { settings, secrets } = operator;
    const given = settings['acceptance_window_ms'];
    const windowMs = typeof given === 'number' ? given : 60_000;
    return {
      ...NO_CAPABILITIES,
      acceptanceWindowMs: windowMs,
      payDeadlineMs: 1_000,
      caseAfterMs: 3_600_000,
      pay: async ({ reference, amountCents }): Promise<PaymentOutcome> => {
        const account = this.#reach(operator);
        if (account === undefined || !account.answers) return silent('no answer');
        const treatment = this.treat(reference);
        if (treatment === 'lost') return silent('lost');
        if (treatment === 'late') account.delay(reference, amountCents, windowMs);
        else {
          const outcome = treatment.startsWith('paid') ? 'paid' : 'declined';
          account.execute(reference, outcome, amountCents);
        }
        if (treatment !== 'paid' && treatment !== 'declined') return silent('no answer');
        return this.#tell(account, reference) ?? silent('no answer');
      },
      status: async ({ reference }): Promise<StatusOutcome> => {
        const account = this.#reach(operator);
        if (account === undefined || !account.answers) return silent('no answer');
        return this.#tell(account, reference) ?? { kind: 'not_found' };
      },
      callbacks: {
        acceptedBody: {},
        keepsHandles: false,
        read: async ({ headers, path: reference }) => {
          const key = headers['key'] ?? '';
          if (!secrets.some(({ secret }) => secret === key)) {
            return { kind: 'refused', reason: 'wrong key' };
          }
          const account = this.accounts[Number(headers['account'])];
          const outcome = account && this.#tell(account, reference);
          return { kind: 'reports', reports: outcome ? [{ reference, outcome }] : [] };
        },
      },
    };
  }

  #tell(account: Account, reference: string) {
    const entry = account.truth.get(reference);
    return entry && (entry.outcome === 'paid' ? paid(entry) : DECLINED);
  }
}
