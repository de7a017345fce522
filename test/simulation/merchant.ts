import { Refusal } from '../../src/platform/base/errors.ts';
import type { CreateDecision } from '../../src/payments/create/payment.ts';
import type { SimulatedProcess } from './process.ts';
import type { Wish } from './scenario.ts';
import type { World } from './world.ts';

/** A create without an answer is repeated after this long, as clients do. */
const PATIENCE_MS = 10_000;

/** The vendors: each wish is asked for until it has an answer, always with the same reference. */
export function startMerchants(
  world: World,
  anyProcess: () => SimulatedProcess | undefined,
): { readonly unanswered: number } {
  const { schedule, random, scenario, truth } = world;
  let unanswered = scenario.wishes.length;

  const ask = (wish: Wish, again: (delayMs: number) => void): void => {
    const process = anyProcess();
    if (process === undefined) {
      again(random.whole(200, 1_000));
      return;
    }
    let waiting = true;
    const onEnd = (delayMs: number | undefined): void => {
      if (!waiting) return;
      waiting = false;
      if (delayMs === undefined) unanswered -= 1;
      else again(delayMs);
    };
    schedule.after(PATIENCE_MS, () => onEnd(random.whole(0, 500)));
    const { billerCode, amountCents, merchantReference } = wish;
    const request = { billerCode, amountCents, merchantReference, account: '5551234', phone: null };
    process.create(request, wish.vendorId).then(
      (decision) => {
        hear(wish, decision, waiting);
        onEnd(random.chance(0.15) && !world.calm ? random.whole(100, 5_000) : undefined);
      },
      (error: unknown) => {
        if (!(error instanceof Refusal)) world.violated(`a create failed: ${String(error)}`);
        else if (error.code === 'biller_offline') world.note('create_offline');
        onEnd(random.whole(500, 3_000));
      },
    );
  };

  const hear = (wish: Wish, decision: CreateDecision, stillWaiting: boolean): void => {
    const name = `${wish.vendorId} ${wish.merchantReference}`;
    const before = truth.answered.get(name);
    if (decision.kind === 'accepted' || decision.kind === 'replayed') {
      if (decision.kind === 'replayed') world.note('create_replayed');
      if (before !== undefined && before !== decision.paymentId) {
        world.violated(`${name} was answered with two transactions`);
      }
      truth.answered.set(name, decision.paymentId);
      world.tell(`vendor ${name} ${decision.kind} ${decision.paymentId}`);
      return;
    }
    if (decision.kind === 'insufficient_float') world.note('create_unaffordable');
    else world.violated(`${name} was refused as ${decision.kind}`);
    // A refusal that comes after the vendor gave up may be older than what was accepted since.
    if (before !== undefined && stillWaiting) {
      world.violated(`${name} was accepted and then refused`);
    }
  };

  for (const wish of scenario.wishes) {
    const again = (delayMs: number): void => {
      schedule.after(delayMs, () => ask(wish, again));
    };
    again(wish.atMs);
  }
  return {
    get unanswered() {
      return unanswered;
    },
  };
}
