import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  changeBillerStatus,
  setBiller,
  setOperator,
} from '../../src/payments/billers/administer.ts';
import { setOperatorPrice } from '../../src/payments/billers/administer-prices.ts';
import { removeRoute, setRoute } from '../../src/payments/billers/administer-routes.ts';
import { setOperatorKey } from '../../src/payments/billers/administer-operator-key.ts';
import { createBillerCatalogue } from '../../src/payments/billers/catalogue.ts';
import type { BillerCatalogue } from '../../src/payments/billers/catalogue.ts';
import { openConnectors } from '../../src/payments/dispatch/connectors.ts';
import type { Connectors } from '../../src/payments/dispatch/connectors.ts';
import { createStatementFormat } from '../../src/connectors/operators/http-json/statement.ts';
import { createPayments, readPayment } from '../../src/payments/create/store.ts';
import type { NewPayment } from '../../src/payments/create/payment.ts';
import { createCallbackReceiver } from '../../src/payments/dispatch/callbacks.ts';
import { claim, writeProgress } from '../../src/payments/dispatch/store.ts';
import type { Stage, Wanted } from '../../src/payments/dispatch/store.ts';
import { carryOut } from '../../src/payments/dispatch/worker.ts';
import { createSettler } from '../../src/payments/settle/settle.ts';
import type { Settler } from '../../src/payments/settle/settle.ts';
import { encodeReference } from '../../src/parties/reference.ts';
import { systemTimers } from '../../src/platform/base/timers.ts';
import { checkLedger } from '../../src/payments/audit/check.ts';
import { AccountsWorld } from '../support/accounts-world.ts';
import type { Account, Treatment } from '../support/accounts-world.ts';
import {
  OPERATOR,
  instructNew,
  openBooks,
  operatorRecord,
  through,
} from '../support/money-fixture.ts';
import type { Books } from '../support/money-fixture.ts';
import { moved } from '../support/moved.ts';
import { newPayment } from '../support/new-transaction.ts';
import { SEALING } from '../support/production-pair.ts';
import { importLines } from '../support/reconciliation-fixture.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { putOperator } from '../../src/payments/billers/store.ts';
import { inForce } from '../../src/payments/prices/price.ts';
import { PlainError } from '../../src/platform/base/plain-error.ts';
import { createRandom } from '../simulation/random.ts';

// Settings of operators, billers and routes are changed at random moments between claim, answer and verification,
// while two processes may not have heard of it. Each merchant account has its own truth.

const COUNT = Number(process.env['OPERATOR_VERSION_SEEDS'] ?? '0');
const FIRST_SEED = Number(process.env['OPERATOR_VERSION_SEED'] ?? '1');
/** 10 finds another merchant number, and 15 another protocol, that is taken for the same account. */
const SEEDS =
  COUNT === 0 ? [1, 2, 3, 4, 10, 15] : Array.from({ length: COUNT }, (_, at) => FIRST_SEED + at);
const STEPS = 60;
/** Longer than every window and deadline in the scenarios. */
const AGE_MS = 400_000;
const OPERATORS = ['power', 'water'] as const;
const log = pino({ level: 'silent' });

let books: Books;
let settler: Settler;
beforeAll(async () => {
  books = await openBooks();
  settler = createSettler({ pool: books.openPool(), deadlineMs: 20_000 });
});
afterAll(async () => {
  expect((await checkLedger(books.pool)).violations).toEqual([]);
  await books.close();
});

/** A process: what it knows of the settings may be old. */
interface Process {
  readonly catalogue: BillerCatalogue;
  readonly registry: Connectors;
}

class Scenario {
  readonly #random;
  readonly #world = new AccountsWorld();
  readonly #processes: Process[] = [];
  /** The account of an operator, and by which key and address it is reached. */
  readonly #accounts = new Map<string, Account>();
  readonly #prefix: string;
  readonly #billers: readonly string[];
  readonly #payments: NewPayment[] = [];
  #vendorId = 0;
  #names = 0;

  constructor(seed: number) {
    this.#random = createRandom(seed);
    this.#prefix = `s${seed}`;
    this.#billers = [this.#code('tokens'), this.#code('bills')];
  }

  async run(): Promise<void> {
    this.#world.treat = () =>
      this.#pick<Treatment>(['paid unheard', 'declined unheard', 'lost', 'late', 'paid']);
    for (const code of OPERATORS) await this.#addOperator(this.#code(code));
    for (const [index, billerCode] of this.#billers.entries()) {
      const operatorCode = this.#code(OPERATORS[index] ?? '');
      const texts = { name: billerCode, category: 'electricity' };
      await setBiller(books.pool, billerCode, { ...texts, operatorCode, minimumCents: 1n });
    }
    this.#vendorId = await books.addVendor(10_000_000n);
    for (let index = 0; index < 2; index += 1) this.#processes.push(await this.#startProcess());
    for (let step = 0; step < STEPS; step += 1) await this.#step();
    await this.#heal();
    await this.#judge();
    for (const { registry } of this.#processes) await registry.close();
  }

  #code(name: string): string {
    return `${this.#prefix}_${name}`;
  }

  #pick<Value>(values: readonly Value[]): Value {
    return this.#random.pick(values);
  }

  #name(what: string): string {
    this.#names += 1;
    return `${what}-${this.#prefix}-${this.#names}`;
  }

  async #addOperator(operatorCode: string): Promise<void> {
    const account = this.#world.add(this.#name('site'), this.#name('key'));
    this.#accounts.set(operatorCode, account);
    await putOperator(books.pool, operatorRecord({ operatorCode, baseUrl: account.address }));
    await setOperatorKey(books.pool, operatorCode, { ...SEALED, secret: account.keys[0] ?? '' });
  }

  async #startProcess(): Promise<Process> {
    const registry = openConnectors({
      callbackBase: 'http://127.0.0.1',
      create: (operator) => this.#world.connect(operator),
      log,
    });
    const catalogue = createBillerCatalogue({
      pool: books.pool,
      masterKeys: SEALING.masterKeys,
      onReload: () => registry.update(catalogue.operators()),
    });
    await catalogue.reload();
    return { catalogue, registry };
  }

  async #step(): Promise<void> {
    const steps = [
      () => this.#create(),
      () => this.#create(),
      () => this.#create(),
      () => this.#work('send'),
      () => this.#work('send'),
      () => this.#work('verify'),
      () => this.#change(this.#code(this.#pick(OPERATORS))),
      () => this.#change(this.#code(this.#pick(OPERATORS))),
      () => this.#pick(this.#processes).catalogue.reload(),
      () => this.#pass(),
      () => this.#callBack(),
      async () => {
        const account = this.#pick(this.#world.accounts);
        account.answers = !account.answers;
      },
    ];
    await this.#pick(steps)();
  }

  async #create(): Promise<void> {
    const made = newPayment({
      vendorId: this.#vendorId,
      billerCode: this.#pick(this.#billers),
      account: this.#name('0').slice(-10).replaceAll(/\D/g, '0'),
      amountCents: 10_000n + BigInt(this.#payments.length),
    });
    await createPayments(books.pool, [made]);
    this.#payments.push(made);
  }

  /** Claims, calls and records, as the dispatcher does. */
  async #work(stage: Stage, from = this.#pick(this.#processes)): Promise<void> {
    const { catalogue, registry } = from;
    const wanted = this.#billers.flatMap((billerCode): Wanted[] => {
      const shared = { vendorId: this.#vendorId, billerCode, max: 3, leaseMs: 0 };
      if (stage === 'verify') {
        return OPERATORS.map((name) => ({
          ...shared,
          stage,
          operatorCode: this.#code(name),
        }));
      }
      const known = catalogue.biller(billerCode)?.routes ?? [];
      if (known.length === 0) return [];
      const { operatorCode, prices } = this.#pick(known);
      const version = catalogue.operator(operatorCode)?.version;
      if (version === undefined) return [];
      const price = inForce(prices, Date.now())?.version ?? null;
      const route = { ...through(operatorCode, price), operatorVersion: version };
      return [{ ...shared, stage, route }];
    });
    for (const taken of await claim(books.pool, wanted)) {
      const connector = registry.witnessOf(taken.operatorCode ?? '', taken.operatorVersion);
      if (connector === undefined) continue;
      // Between the claim and the call.
      if (this.#random.chance(0.15)) await this.#change(taken.operatorCode ?? '');
      await carryOut(taken, connector, {
        policy: { verifyFirstMs: 0, verifyMaxMs: 0, resendFirstMs: 0, resendMaxMs: 0 },
        settler,
        writeProgress: async (progress) => {
          await writeProgress(books.pool, [{ ...progress, delayMs: 0 }]);
        },
        saveHandle: async () => true,
        openNoAnswerCase: async () => {},
        keepUnexplained: async () => {},
        timers: systemTimers,
        awakeTimers: systemTimers,
        log,
        signal: new AbortController().signal,
        sendBeforeMs: Infinity,
        onCallEnd: () => {},
      });
    }
  }

  /** An account that differs from the operator's current one in this. */
  #other(operatorCode: string, from: Account, difference: Partial<Account>): Account {
    const next = this.#world.add(from.address, from.keys.at(-1) ?? '');
    Object.assign(next, { merchant: from.merchant, connector: from.connector }, difference);
    this.#accounts.set(operatorCode, next);
    return next;
  }

  /** Changes products, routes and terms, but not the addresses that are asked about payments. */
  async #changeTrade(operatorCode: string): Promise<void> {
    const { pool } = books;
    const billerCode = this.#pick(this.#billers);
    const route = { billerCode, operatorCode };
    const terms = {
      cost: { flatCents: this.#pick([0n, 300n]), bps: 0 },
      commission: { flatCents: 0n, bps: this.#pick([0, 250]) },
      commissionNetted: this.#pick([true, false]),
    };
    const changes = [
      async () => void (await setBiller(pool, billerCode, { operatorCode })),
      async () => void (await setBiller(pool, billerCode, { name: this.#name('biller') })),
      async () => await changeBillerStatus(pool, billerCode, this.#pick(['ONLINE', 'OFFLINE'])),
      async () => {
        const status = this.#pick(['ONLINE', 'OFFLINE'] as const);
        await setRoute(pool, route, { position: this.#pick([0, 1]), weight: 2, status });
      },
      async () => {
        await removeRoute(pool, route).catch((error: unknown) => {
          // It has none, or only this one.
          if (!(error instanceof PlainError)) throw error;
        });
      },
      async () => {
        await setOperatorPrice(pool, route, terms, { validFrom: null, setBy: 'Asha' });
      },
    ];
    await this.#pick(changes)();
  }

  /** Staff change something about the operator; what they say about the account is true. */
  async #change(operatorCode: string): Promise<void> {
    const account = this.#accounts.get(operatorCode);
    if (account === undefined) return;
    const { pool } = books;
    const set = async (change: Parameters<typeof setOperator>[2]): Promise<void> => {
      await setOperator(pool, operatorCode, change, async () => {});
    };
    const setKey = async (secret: string, sameAccount: boolean): Promise<void> => {
      const overlapSeconds = this.#pick([0, 3_600]);
      await setOperatorKey(pool, operatorCode, { ...SEALED, secret, overlapSeconds, sameAccount });
    };
    const changes = [
      // Another account at another site, under the same key.
      async () => {
        const next = this.#other(operatorCode, account, { address: this.#name('site') });
        await set({ baseUrl: next.address, settings: {} });
      },
      // Another account at the same site, under another key.
      async () => {
        const next = this.#other(operatorCode, account, { keys: [this.#name('key')] });
        await setKey(next.keys[0] ?? '', false);
      },
      // Another account under another merchant number, or behind another protocol.
      async () => {
        const next = this.#other(operatorCode, account, { merchant: this.#name('merchant') });
        await set({ settings: { merchant: next.merchant } });
      },
      async () => {
        const connector = this.#name('protocol');
        this.#other(operatorCode, account, { connector });
        await set({ connector, settings: {} });
      },
      // The same account gets another merchant number, or speaks another protocol.
      async () => {
        account.merchant = this.#name('merchant');
        const sameAccount = this.#pick([true, false]);
        await set({ settings: { merchant: account.merchant }, sameAccount });
      },
      async () => {
        account.connector = this.#name('protocol');
        const sameAccount = this.#pick([true, false]);
        await set({ connector: account.connector, settings: {}, sameAccount });
      },
      // The key of the same account is rotated; the former one may end at once.
      async () => {
        const key = this.#name('key');
        account.keys = this.#pick([[key], [...account.keys, key]]);
        await setKey(key, this.#pick([true, false]));
      },
      // The same account moves.
      async () => {
        account.address = this.#name('site');
        await set({
          baseUrl: account.address,
          settings: {},
          sameAccount: this.#pick([true, false]),
        });
      },
      async () => {
        const windowMs = this.#pick([60_000, 200_000]);
        await set({
          settings: { acceptance_window_ms: windowMs },
          sameAccount: this.#pick([true, false]),
        });
      },
      async () => await set({ settings: { product: this.#name('product') } }),
      async () =>
        await set({
          settings: { products: { [this.#pick(this.#billers)]: this.#name('product') } },
        }),
      async () => await this.#changeTrade(operatorCode),
      async () => await this.#changeTrade(this.#code(this.#pick(OPERATORS))),
    ];
    await this.#pick(changes)();
  }

  /** Time passes; after the longer one, every window is over. */
  async #pass(ms = this.#pick([30_000, 50_000, AGE_MS])): Promise<void> {
    for (const account of this.#world.accounts) account.pass(ms);
    const earlier = `- ${ms} * interval '1 millisecond'`;
    for (const table of ['dispatch_queue', 'payments', 'unexecuted_attempts']) {
      await books.owner.query(
        `update ${table} set sent_at = sent_at ${earlier} where vendor_id = $1`,
        [this.#vendorId],
      );
    }
    await books.owner.query(
      `update operator_prices set valid_from = valid_from ${earlier}, set_at = set_at ${earlier}
       where biller_code = any ($1)`,
      [this.#billers],
    );
  }

  /** An account reports what it has done. */
  async #callBack(): Promise<void> {
    const known = this.#world.accounts.flatMap((account, index) =>
      [...account.truth.keys()].map((reference) => ({ account, index, reference })),
    );
    if (known.length === 0) return;
    const { account, index, reference } = this.#pick(known);
    const { registry } = this.#pick(this.#processes);
    const receiver = createCallbackReceiver({
      pool: books.pool,
      ...registry,
      settler,
      onDue: () => {},
      nowMs: () => 0,
      log,
    });
    const headers = { key: this.#pick(account.keys), account: String(index) };
    for (const name of OPERATORS) {
      await receiver.receive(this.#code(name), { headers, path: reference, body: Buffer.alloc(0) });
    }
  }

  /** Every account answers, and everybody knows the settings. */
  async #heal(): Promise<void> {
    this.#world.treat = () => 'paid';
    for (const account of this.#world.accounts) account.answers = true;
    for (const each of this.#processes) await each.catalogue.reload();
    for (let round = 0; round < 4; round += 1) {
      await this.#pass(AGE_MS);
      for (const stage of ['send', 'verify'] as const) {
        for (const each of this.#processes) await this.#workQuietly(stage, each);
      }
    }
  }

  async #workQuietly(stage: Stage, from: Process): Promise<void> {
    const accounts = new Map(this.#accounts);
    this.#accounts.clear();
    await this.#work(stage, from);
    for (const [code, account] of accounts) this.#accounts.set(code, account);
  }

  async #judge(): Promise<void> {
    for (const { vendorId, paymentId } of this.#payments) {
      const reference = encodeReference(vendorId, paymentId);
      const times = this.#world.timesPaid(reference);
      const outcome = (await readPayment(books.pool, vendorId, paymentId))?.outcome ?? null;
      const seen = { reference, outcome, times };
      expect(times, `${this.#prefix}: ${JSON.stringify(seen)}`).toBeLessThanOrEqual(1);
      if (outcome === 'success') expect(seen).toMatchObject({ times: 1 });
      if (outcome === 'failed') expect(seen).toMatchObject({ times: 0 });
    }
  }
}

const SEALED = { sealing: SEALING } as const;

test.each(SEEDS)(
  'whatever changes at whatever moment, no payment is made twice and none that was made fails: seed %i',
  async (seed) => {
    await new Scenario(seed).run();
  },
  120_000,
);

test('the absence from a statement that may be of another merchant account proves nothing', async () => {
  const folder = await makeTemporaryFolder();
  const format = createStatementFormat({
    absenceIsProof: true,
    acceptanceWindowMs: 0,
    payDeadlineMs: 0,
  });
  const outcomeOf = async ({ vendorId, paymentId }: NewPayment) =>
    (await readPayment(books.pool, vendorId, paymentId))?.outcome;
  const before = await instructNew(books, 10_000n);
  await setOperator(
    books.pool,
    OPERATOR,
    { baseUrl: 'http://127.0.0.1:10', settings: {} },
    async () => {},
  );
  await importLines(books, folder, [], { format });
  expect(await outcomeOf(before)).toBeNull();
  // Sent to the new account, in a statement that began before it was ours.
  const after = newPayment({ vendorId: await books.addVendor(10_000n), amountCents: 10_000n });
  await createPayments(books.pool, [after]);
  const route = { ...through(OPERATOR), operatorVersion: 2 };
  const { vendorId, billerCode } = after;
  await claim(books.pool, [{ vendorId, billerCode, stage: 'send', max: 1, leaseMs: 0, route }]);
  await importLines(books, folder, [], { format });
  expect(await outcomeOf(after)).toBeNull();
  // An instruction may leave us three seconds after its claim.
  await books.owner.query(
    `update operator_versions set replaced_at = ${moved('replaced_at', '-10 seconds')}`,
  );
  await books.owner.query(
    `update dispatch_queue set sent_at = ${moved('sent_at', '-4 seconds')}
     where bucket = bucket_of($1) and vendor_id = $1`,
    [vendorId],
  );
  const from = await books.pool.query<{ at: Date }>(
    `select date_trunc('milliseconds', max(replaced_at)) + interval '1 millisecond' as at
     from operator_versions where operator_code = $1`,
    [OPERATOR],
  );
  await importLines(books, folder, [], { format, ...(from.rows[0] && { from: from.rows[0].at }) });
  expect([await outcomeOf(before), await outcomeOf(after)]).toEqual([null, 'failed']);
  await removeFolder(folder);
});
