import { afterAll, beforeAll, describe, expect, test as vitestTest, vi } from 'vitest';
import type { CallbackRequest } from '../../src/connectors/operator-callbacks.ts';
import type { Connector } from '../../src/connectors/operator.ts';
import { findFreePort } from '../support/service-process.ts';
import { drive, Journey } from './drive.ts';
import { listMovements } from './movements.ts';
import { startFaultProxy } from './proxy.ts';
import type { FaultProxy, TransportFault } from './proxy.ts';
import { startReceiver } from './receiver.ts';
import type { Receiver } from './receiver.ts';
import type { Provider, Scenario, Subject } from './subject.ts';

/** Several connectors at the same time, because they mostly wait; one case after the other of each. */
const test = vitestTest.sequential;

const AMOUNT_CENTS = 120_00n;
const HOUR_MS = 3_600_000;

interface Bench {
  readonly provider: Provider;
  readonly proxy: FaultProxy;
  readonly receiver: Receiver;
  readonly connector: Connector;
}

/** Every case for one connector. */
export function describeConformance(subject: Subject): void {
  describe.concurrent(subject.name, () => {
    let bench: Bench;
    beforeAll(async () => {
      bench = await startBench(subject);
    });
    afterAll(async () => {
      await bench.connector.close();
      await bench.proxy.close();
      await bench.provider.close();
      await bench.receiver.close();
    });
    const of = (): Bench => bench;
    describeDeclaration(of);
    describeOutcomes(subject, of);
    describePartRefund(subject, of);
    describeLateDetails(subject, of);
    describeStatement(subject, of);
    describeTransport(subject, of);
    describeCallbacks(subject, of);
    describeGateway(subject, of);
  });
}

async function startBench(subject: Subject): Promise<Bench> {
  const provider = await subject.start();
  const proxy = await startFaultProxy(provider.port, (method, path, body) =>
    provider.isInstruction(method, path, body),
  );
  const receiver = await startReceiver();
  const connector = provider.connect(proxy.origin, {
    callbackUrl: receiver.url,
    payTimeoutMs: 1_000,
  });
  return { provider, proxy, receiver, connector };
}

/** A payment in the scenario, not yet sent; undefined when the provider has no such behaviour. */
function begin(
  subject: Subject,
  { provider, connector }: Bench,
  scenario: Scenario,
): { readonly journey: Journey; readonly account: string } | undefined {
  const account = provider.accountFor(scenario);
  if (account === null) return undefined;
  const { billerCode } = subject;
  return {
    account,
    journey: new Journey(connector, { billerCode, account, amountCents: AMOUNT_CENTS }),
  };
}

/** Runs it to its end, and compares the result with the emulator's record. */
async function finish(
  bench: Bench,
  begun: NonNullable<ReturnType<typeof begin>>,
): Promise<Journey> {
  const { provider, receiver } = bench;
  const { journey, account } = begun;
  await drive(journey, { take: receiver.take, quiet: provider.quiet });
  const executed = await provider.executed(account);
  expect(executed.length, 'executed at most once').toBeLessThanOrEqual(1);
  if (journey.outcome === 'success') expect(executed, 'executed').toHaveLength(1);
  if (journey.outcome === 'failed') expect(executed, 'not executed').toHaveLength(0);
  expect(new Set(journey.final.map((report) => report.outcome)).size).toBeLessThanOrEqual(1);
  return journey;
}

function describeDeclaration(of: () => Bench): void {
  test('declares what proves that nothing was executed, and what it can do', () => {
    const { connector } = of();
    const { declaration } = connector;
    for (const evidence of declaration.proofOfNonExecution) expect(evidence).not.toBe('');
    expect(declaration.statusBy === 'cannot_be_asked').toBe(connector.status === null);
    expect(declaration.callbackTrust === 'no_callbacks').toBe(connector.callbacks === null);
    expect(declaration.movements === 'pulled').toBe(connector.pullStatement !== null);
    if (declaration.result !== 'answer') expect(connector.callbacks).not.toBeNull();
    if (declaration.callbackTrust.endsWith('confirmed_by_query')) {
      expect(connector.status).not.toBeNull();
    }
    // If an answer may never come, a case must be opened.
    if (declaration.statusBy !== 'our_reference') expect(connector.caseAfterMs).not.toBeNull();
  });
}

function describeOutcomes(subject: Subject, of: () => Bench): void {
  test.each<[Scenario, 'success' | 'failed' | 'open']>([
    ['paid', 'success'],
    ['declined', 'failed'],
    ['paid_later', 'success'],
    ['declined_later', 'failed'],
    ['callback_repeated', 'success'],
    ['callback_missing', 'success'],
    ['never_told', 'open'],
    ['other_amount', 'success'],
  ])('%s: %s', async (scenario, expected) => {
    const begun = begin(subject, of(), scenario);
    if (begun === undefined) return;
    const journey = await finish(of(), begun);
    expect(journey.outcome).toBe(expected);
    expect(journey.instructions).toBe(1);
    if (expected === 'success') {
      const [executed] = await of().provider.executed(begun.account);
      expect(journey.final[0]?.paidCents).toBe(executed?.amountCents);
      expect(journey.final[0]?.billerReference).toMatch(/\S/);
    }
  });

  test('reversed: an open payment fails; one that succeeded is contradicted', async () => {
    const begun = begin(subject, of(), 'reversed');
    if (begun === undefined) return;
    await drive(begun.journey, { take: of().receiver.take, quiet: of().provider.quiet });
    await settleDown(of());
    for (const request of of().receiver.take()) await begun.journey.callback(request);
    // A callback that anybody can send contradicts nothing. Then only a statement shows the reversal.
    const canBeForged = of().connector.declaration.callbackTrust === 'confirmed_by_query';
    expect(begun.journey.final.at(-1)?.outcome).toBe(canBeForged ? 'success' : 'failed');
    expect(await of().provider.executed(begun.account)).toHaveLength(0);
  });
}

/** A partial refund is a separate event: neither a reversal nor another amount of the payment. */
function describePartRefund(subject: Subject, of: () => Bench): void {
  test('a part given back later changes no result: people look at it, once or a hundred times', async () => {
    const { connector, provider, receiver } = of();
    if (provider.accountForPartRefund === null) return;
    const account = provider.accountForPartRefund();
    const { billerCode } = subject;
    const journey = new Journey(connector, { billerCode, account, amountCents: AMOUNT_CENTS });
    const seen: CallbackRequest[] = [];
    const take = (): CallbackRequest[] => {
      const taken = receiver.take();
      seen.push(...taken);
      return taken;
    };
    await drive(journey, { take, quiet: provider.quiet });
    await settleDown(of());
    for (const request of take()) await journey.callback(request);
    expect(journey.outcome).toBe('success');
    const rejected = journey.rejected.length;
    expect(rejected, 'shown to people').toBeGreaterThan(0);
    for (let count = 0; count < 100; count += 1) {
      for (const request of seen) await journey.callback(request);
    }
    expect(new Set(journey.final.map((report) => report.outcome))).toEqual(new Set(['success']));
    expect(new Set(journey.final.map((report) => report.paidCents))).toEqual(
      new Set([AMOUNT_CENTS]),
    );
    expect(await provider.executed(account)).toHaveLength(1);
  });
}

/** Of providers that say that a payment is made before they have its details. */
function describeLateDetails(subject: Subject, of: () => Bench): void {
  test('details that follow: paid at once, and they come by callback and by query', async () => {
    const { connector, provider, receiver } = of();
    if (provider.accountForLateDetails === null) return;
    const account = provider.accountForLateDetails();
    const about = { billerCode: subject.billerCode, account, amountCents: AMOUNT_CENTS };
    const journey = new Journey(connector, about);
    receiver.take();
    await journey.step();
    expect(journey.final).toMatchObject([{ outcome: 'success', details: null }]);
    expect(journey.final[0]?.detailsFollow).toBeDefined();
    const genuine = await nextCallback(provider, receiver);
    if (genuine !== undefined) await journey.callback(genuine);
    const query = { ...about, attemptNumber: 1, operatorHandle: journey.handle };
    const { signal } = new AbortController();
    const asked = await connector.status?.({ ...query, reference: journey.reference }, signal);
    expect(asked).toMatchObject({ kind: 'paid', details: { token: expect.stringMatching(/./) } });
    expect(asked).not.toHaveProperty('detailsFollow');
    for (const { outcome, paidCents } of journey.final) {
      expect({ outcome, paidCents }).toEqual({ outcome: 'success', paidCents: AMOUNT_CENTS });
    }
    expect(journey.instructions).toBe(1);
    expect(await provider.executed(account)).toHaveLength(1);
  });
}

/** Of providers that list what they executed. */
function describeStatement(subject: Subject, of: () => Bench): void {
  test('the statement lists each payment once, as it was executed, and nothing that was not', async () => {
    const { connector } = of();
    const [paid, declined] = [begin(subject, of(), 'paid'), begin(subject, of(), 'declined')];
    if (connector.pullStatement === null || !paid || !declined) return;
    const journey = await finish(of(), paid);
    await finish(of(), declined);
    const listed = await listMovements(connector);
    expect(listed.filter(({ account }) => account === declined.account)).toEqual([]);
    expect(listed.filter(({ account }) => account === paid.account)).toMatchObject([
      {
        ...{ kind: 'payment', amountCents: AMOUNT_CENTS, reference: journey.reference },
        billerCode: subject.billerCode,
      },
    ]);
  });
}

async function settleDown({ provider }: Bench): Promise<void> {
  await provider.quiet?.();
}

/** Where no query is possible without an id from the lost answer, or "not found" is never proof. */
function mayStayOpen({ declaration, acceptanceWindowMs }: Connector): boolean {
  return declaration.statusBy !== 'our_reference' || acceptanceWindowMs === null;
}

function describeTransport(subject: Subject, of: () => Bench): void {
  const faults: readonly TransportFault[] = [
    'lost',
    'html_instead',
    'answer_cut',
    'answer_never',
    'answer_html',
    'answer_torn',
    'answer_empty',
  ];
  test.each(
    faults.flatMap((fault) =>
      (['paid', 'declined', 'callback_missing'] as const).map(
        (scenario) => [fault, scenario] as const,
      ),
    ),
  )('%s, %s: never executed twice, never a wrong result', async (fault, scenario) => {
    const begun = begin(subject, of(), scenario);
    if (begun === undefined) return;
    of().proxy.next(fault);
    const journey = await finish(of(), begun);
    of().proxy.next('none');
    if (journey.outcome === 'open') {
      // Only where no query is possible without an id from the lost answer, or where "not found" is not
      // proof.
      const { declaration, acceptanceWindowMs } = of().connector;
      expect(declaration.statusBy === 'our_reference' && acceptanceWindowMs !== null).toBe(false);
      expect(journey.opensCase).toBe(true);
      expect(journey.instructions).toBe(1);
    }
  });

  test('no connection: proof that nothing was executed', async () => {
    const account = of().provider.accountFor('paid') ?? '';
    const { billerCode } = subject;
    const closed = `http://127.0.0.1:${await findFreePort()}`;
    const connector = of().provider.connect(closed, {
      callbackUrl: of().receiver.url,
      payTimeoutMs: 400,
    });
    const journey = new Journey(connector, { billerCode, account, amountCents: AMOUNT_CENTS });
    await journey.step();
    await journey.step();
    expect(journey.instructions).toBe(2);
    expect(journey.outcome).toBe('open');
    expect(await of().provider.executed(account)).toHaveLength(0);
    await connector.close();
  });
}

function describeCallbacks(subject: Subject, of: () => Bench): void {
  test('a forged, altered or misdirected callback settles nothing', async () => {
    const { connector, provider, receiver } = of();
    const begun = begin(subject, of(), 'paid_later');
    const other = begin(subject, of(), 'never_told') ?? begin(subject, of(), 'paid_later');
    if (connector.callbacks === null || begun === undefined || other === undefined) return;
    receiver.take();
    await begun.journey.step();
    await other.journey.step();
    const genuine = await nextCallback(provider, receiver);
    if (genuine === undefined) return;
    const altered = alterations(genuine).filter(
      ({ body }) => subject.isProofInBody !== true || !body.equals(genuine.body),
    );
    for (const request of altered) {
      for (const { journey } of [begun, other]) {
        await journey.callback(request);
        expect(journey.outcome, `${request.path} ${request.body.toString()}`).toBe('open');
      }
    }
    // The genuine one says nothing about the other payment.
    await other.journey.callback(genuine);
    expect(other.journey.outcome).toBe('open');
    expect(await connector.callbacks.read(junk(''), begun.journey.finder)).toMatchObject({
      kind: 'refused',
    });
    await begun.journey.callback(genuine);
    const journey = await finish(of(), begun);
    expect(journey.outcome).toBe('success');
  });

  test('a callback that comes late, and a hundred times, changes nothing', async () => {
    const { connector, provider, receiver } = of();
    const begun = begin(subject, of(), 'paid_later');
    if (connector.callbacks === null || begun === undefined) return;
    receiver.take();
    await begun.journey.step();
    const genuine = await nextCallback(provider, receiver);
    const journey = await finish(of(), begun);
    if (journey.outcome === 'open' && genuine !== undefined) {
      // Without a status query, only the callback reports the result. Until then there is a case.
      expect(
        subject.needsCallback === true ||
          connector.status === null ||
          connector.declaration.callbackTrust === 'secret_url',
      ).toBe(true);
      expect(journey.opensCase).toBe(true);
      await journey.callback(genuine);
      await finish(of(), begun);
    }
    expect(journey.outcome).toBe('success');
    if (genuine === undefined) return;
    for (let count = 0; count < 100; count += 1) await journey.callback(genuine);
    expect(new Set(journey.final.map((report) => report.outcome))).toEqual(new Set(['success']));
  });
}

async function nextCallback(
  provider: Provider,
  receiver: Receiver,
): Promise<CallbackRequest | undefined> {
  if (provider.quiet !== null) {
    await provider.quiet();
    return receiver.take()[0];
  }
  return await vi.waitFor(
    () => {
      const [first] = receiver.take();
      if (first === undefined) throw new Error('no callback yet');
      return first;
    },
    { timeout: 10_000, interval: 5 },
  );
}

function junk(path: string): CallbackRequest {
  return { headers: {}, path, body: Buffer.from('<html>') };
}

/** Forged callbacks: changed copies of a real one, and guesses. */
function alterations(genuine: CallbackRequest): CallbackRequest[] {
  const text = genuine.body.toString();
  const last = genuine.path.at(-1) ?? '';
  const body = Buffer.from(
    text.replaceAll(/\d(?=[^\d]*$)/g, (digit) => String((Number(digit) + 1) % 10)),
  );
  return [
    { ...genuine, headers: {}, path: '' },
    { ...genuine, headers: {}, path: genuine.path.slice(0, -1) + (last === '0' ? '1' : '0') },
    { ...genuine, headers: {}, body },
    { ...genuine, body },
    { ...genuine, headers: {}, body: Buffer.from(text.slice(0, -1)) },
  ];
}

function describeGateway(subject: Subject, of: () => Bench): void {
  test('a token that expires between two payments is replaced', async () => {
    const { provider } = of();
    if (provider.expireTokens === null) return;
    const first = begin(subject, of(), 'paid');
    const second = begin(subject, of(), 'paid');
    if (first === undefined || second === undefined) return;
    expect((await finish(of(), first)).outcome).toBe('success');
    provider.expireTokens();
    expect((await finish(of(), second)).outcome).toBe('success');
    expect(await provider.executed(second.account)).toHaveLength(1);
  });

  test.each(
    (['request', 'answer'] as const).flatMap((when) =>
      (['none', 'answer_never'] as const).map((fault) => [when, fault] as const),
    ),
  )('tokens that expire while the %s is in transit, %s', async (when, fault) => {
    const { provider, proxy } = of();
    const begun = begin(subject, of(), 'paid');
    if (provider.expireTokens === null || begun === undefined) return;
    proxy.during(when, provider.expireTokens);
    proxy.next(fault);
    const journey = await finish(of(), begun);
    if (fault === 'none') {
      // A refused token is replaced at once, and the instruction executed once.
      expect(journey.outcome).toBe('success');
      expect(await provider.executed(begun.account)).toHaveLength(1);
    } else if (journey.outcome === 'open') {
      expect(mayStayOpen(of().connector)).toBe(true);
      expect(journey.opensCase).toBe(true);
    }
  });

  test('a refusal for too many requests executes nothing, and the payment continues', async () => {
    const begun = begin(subject, of(), 'paid');
    if (of().provider.limitRate === null || begun === undefined) return;
    of().provider.limitRate?.(2);
    expect((await finish(of(), begun)).outcome).toBe('success');
    of().provider.limitRate?.(0);
  });

  test.each([-HOUR_MS, HOUR_MS])('a provider whose clock is off by %i ms', async (byMs) => {
    const begun = begin(subject, of(), 'paid_later');
    if (of().provider.skewClock === null || begun === undefined) return;
    of().provider.skewClock?.(byMs);
    expect((await finish(of(), begun)).outcome).toBe('success');
    of().provider.skewClock?.(0);
  });
}
