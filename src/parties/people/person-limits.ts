import { createLimit } from '../../platform/http/rate-limits.ts';
import type { Limit } from '../../platform/http/rate-limits.ts';

/** Who sends a request. */
interface Sender {
  readonly personId: string;
  /** Undefined: a member of staff. */
  readonly vendor: { readonly vid: string } | undefined;
}

/**
 * How many requests one person may send, whatever they ask for, in all sessions together, and how many the
 * people of a vendor. Each throws `too_many_requests` with the seconds to wait. Streams of events do not
 * count: they ask for nothing.
 */
export interface PersonLimits {
  forReading(sender: Sender): void;
  /** Actions, exports and noted looks, also those that are refused. */
  forChange(sender: Sender): void;
}

/** A page that is opened reads several answers; open pages repeat that every few seconds. */
const READS_BURST_SECONDS = 10;
/** A table is worked through quickly, and then nothing happens for a while. */
const CHANGES_BURST_SECONDS = 30;

/** A vendor adds its people itself. Together they may send as much as this many at their limit. */
const PEOPLE_AT_THEIR_LIMIT = 10;

/**
 * The limits of one process, in memory.
 * @param options 0: no limit.
 */
export function createPersonLimits(options: {
  readonly readsPerSecond: number;
  readonly changesPerSecond: number;
  /** Default: the system's. In milliseconds. */
  readonly nowMs?: () => number;
}): PersonLimits {
  const { readsPerSecond, changesPerSecond, nowMs } = options;
  return {
    forReading: createSenderLimit({
      ...{ perSecond: readsPerSecond, burstSeconds: READS_BURST_SECONDS, nowMs },
      what: 'requests',
    }),
    forChange: createSenderLimit({
      ...{ perSecond: changesPerSecond, burstSeconds: CHANGES_BURST_SECONDS, nowMs },
      what: 'changes and exports',
    }),
  };
}

function createSenderLimit(options: {
  readonly perSecond: number;
  readonly burstSeconds: number;
  readonly nowMs: (() => number) | undefined;
  readonly what: string;
}): (sender: Sender) => void {
  const { perSecond, burstSeconds, nowMs, what } = options;
  const limit = (people: number, who: string): Limit =>
    createLimit({
      perSecond: people * perSecond,
      burst: people * perSecond * burstSeconds,
      nowMs,
      textFor: textFor(who, what),
    });
  const ofPerson = limit(1, 'You have');
  const ofVendor = limit(PEOPLE_AT_THEIR_LIMIT, 'The people of your company have');
  return ({ personId, vendor }) => {
    ofPerson.count(personId);
    if (vendor !== undefined) ofVendor.count(vendor.vid);
  };
}

const textFor =
  (who: string, what: string) =>
  (waitSeconds: number): string =>
    `${who} sent too many ${what} in a short time. Wait ${waitSeconds === 1 ? 'a second' : `${waitSeconds} seconds`}.`;
