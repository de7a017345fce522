import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, VendorClient } from '../../support/vendor-client.ts';

/** A create that was acknowledged. */
export interface Accepted {
  readonly merchantReference: string;
  readonly reference: string;
}

/** A vendor that pays bills all day, and repeats each create until it is answered. */
export interface Load {
  readonly accepted: readonly Accepted[];
  /** Numbers of refused attempts by error code. */
  readonly refusals: Readonly<Record<string, number>>;
  pause(): Promise<void>;
  resume(): void;
  /** Creates one payment, outside the stream. */
  payOne(account: string): Promise<Accepted>;
}

const EVERY_MS = 200;
const RETRY_MS = 500;

export function startLoad(vendor: VendorClient): Load {
  const accepted: Accepted[] = [];
  const refusals: Record<string, number> = {};
  const underWay = new Set<Promise<unknown>>();
  let count = 0;
  let isPaused = false;

  /** Returns undefined if the biller is offline: then no vendor insists. */
  const pay = async (account: string): Promise<Accepted | undefined> => {
    count += 1;
    const merchantReference = `bill-${count}`;
    const params = { account, biller_name: 'tokens', merchant_reference: merchantReference };
    for (;;) {
      const answer = await vendor.create(params).catch(() => undefined);
      if (answer?.status === 200) {
        const created = { merchantReference, reference: String(answer.body.msg['ipay_reference']) };
        accepted.push(created);
        return created;
      }
      const code = codeOf(answer);
      refusals[code] = (refusals[code] ?? 0) + 1;
      if (code === 'biller_offline') return undefined;
      await delay(RETRY_MS);
    }
  };
  const begin = (account: string): void => {
    const work = pay(account).finally(() => underWay.delete(work));
    underWay.add(work);
  };
  const timer = setInterval(() => {
    if (!isPaused) begin(`88${String(count).padStart(8, '0')}9901`);
  }, EVERY_MS);
  timer.unref();
  return {
    accepted,
    refusals,
    pause: async () => {
      isPaused = true;
      await Promise.all(underWay);
    },
    resume: () => {
      isPaused = false;
    },
    payOne: async (account) => {
      const created = await pay(account);
      if (created === undefined) throw new Error('the biller is offline');
      return created;
    },
  };
}

/** Why a create has to be repeated. Throws if the answer is final. */
function codeOf(answer: Answer | undefined): string {
  if (answer === undefined) return 'no_answer';
  if (answer.status === 502) return 'bad_gateway';
  if (answer.status !== 503) throw new Error(`a create was refused: ${answer.text}`);
  return answer.body.error?.[0]?.code ?? 'no_code';
}
