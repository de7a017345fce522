import { Refusal } from '../../src/platform/base/errors.ts';
import { decodeReference } from '../../src/parties/reference.ts';
import { isConnectionError } from '../../src/platform/db/pool.ts';
import type { Created } from '../../src/payments/create/create-rules.ts';
import type { SimulatedProcess } from './process.ts';
import type { Wish } from './scenario.ts';
import type { World } from './world.ts';

/** A create without an answer is repeated after this long, as clients do. */
const PATIENCE_MS = 10_000;

/** The vendors: each create is repeated until it has an answer, always with the same reference. */
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
      (created) => {
        hear(wish, created);
        onEnd(random.chance(0.15) && !world.calm ? random.whole(100, 5_000) : undefined);
      },
      (error: unknown) => {
        const decided = handleRefusal(wish, error, waiting);
        const repeats = !decided || (random.chance(0.15) && !world.calm);
        onEnd(repeats ? random.whole(500, 3_000) : undefined);
      },
    );
  };

  const hear = (wish: Wish, created: Created): void => {
    const name = `${wish.vendorId} ${wish.merchantReference}`;
    const paymentId = decodeReference(created.reference)?.paymentId ?? created.reference;
    const before = truth.answered.get(name);
    if (created.replayed) world.note('create_replayed');
    if (before !== undefined && before !== paymentId) {
      world.violated(`${name} was answered with two transactions`);
    }
    truth.answered.set(name, paymentId);
    world.log(`vendor ${name} ${created.replayed ? 'replayed' : 'accepted'} ${paymentId}`);
  };

  /** Returns true when the refusal is final. */
  const handleRefusal = (wish: Wish, error: unknown, stillWaiting: boolean): boolean => {
    const name = `${wish.vendorId} ${wish.merchantReference}`;
    if (!(error instanceof Refusal)) {
      // Only the look-up of an earlier answer fails in this way; the API then answers `unavailable`.
      if (!isConnectionError(error)) world.violated(`a create failed: ${String(error)}`);
      return false;
    }
    switch (error.code) {
      case 'biller_offline':
        world.note('create_offline');
        return false;
      case 'insufficient_float':
        world.note('create_unaffordable');
        break;
      case 'reference_reused':
      case 'likely_duplicate':
        world.violated(`${name} was refused as ${error.code}`);
        break;
      default:
        return false;
    }
    // A refusal that arrives after the vendor's time-out may be older than a later acceptance.
    if (truth.answered.has(name) && stillWaiting) {
      world.violated(`${name} was accepted and then refused`);
    }
    return true;
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
