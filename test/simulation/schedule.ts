import type { Random } from './random.ts';

/**
 * The process that an event belongs to. Events of a crashed process are dropped; those of a paused one
 * wait.
 */
export interface Owner {
  readonly dead: boolean;
  readonly standsStillUntilMs: number;
}

interface Event {
  atMs: number;
  withdrawn: boolean;
  /** Decides between events of the same millisecond. */
  readonly lot: number;
  readonly owner: Owner | undefined;
  readonly run: () => void | Promise<void>;
}

/** More events than any run has; a run that exceeds it would never end. */
const MAX_EVENTS = 60_000;

/**
 * Controls time and the order of events. Each event runs alone. The next one starts when all work that
 * the event caused is waiting.
 */
export interface Schedule {
  readonly nowMs: number;
  /** How many events have run. */
  readonly events: number;
  /** Runs an event after this many milliseconds of simulated time. Returns a function that cancels it. */
  after(delayMs: number, run: () => void | Promise<void>, owner?: Owner): () => void;
  /** Runs events in the order of time until `untilMs`, or until nothing is left. */
  runUntil(untilMs: number): Promise<void>;
}

export function createSchedule(random: Random): Schedule {
  const heap: Event[] = [];
  let nowMs = 0;
  let events = 0;

  const put = (event: Event): void => {
    heap.push(event);
    rise(heap, heap.length - 1);
  };
  return {
    get nowMs() {
      return nowMs;
    },
    get events() {
      return events;
    },
    after: (delayMs, run, owner) => {
      const atMs = nowMs + Math.max(0, Math.ceil(delayMs));
      const event: Event = { atMs, withdrawn: false, lot: random.next(), owner, run };
      put(event);
      return () => {
        event.withdrawn = true;
      };
    },
    runUntil: async (untilMs) => {
      for (;;) {
        const first = heap[0];
        if (first === undefined || first.atMs > untilMs) break;
        takeFirst(heap);
        if (first.withdrawn || first.owner?.dead === true) continue;
        nowMs = Math.max(nowMs, first.atMs);
        const standsStillUntilMs = first.owner?.standsStillUntilMs ?? 0;
        if (standsStillUntilMs > nowMs) {
          first.atMs = standsStillUntilMs;
          put(first);
          continue;
        }
        events += 1;
        if (events > MAX_EVENTS) throw new Error('the run does not end');
        await first.run();
        // All that follows without a further effect is microtasks, which end before this does.
        await new Promise((resolve) => setImmediate(resolve));
      }
      nowMs = Math.max(nowMs, untilMs);
    },
  };
}

function before(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.lot < b.lot);
}

function rise(heap: Event[], from: number): void {
  let index = from;
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!swapIfEarlier(heap, index, parent)) return;
    index = parent;
  }
}

function takeFirst(heap: Event[]): void {
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return;
  heap[0] = last;
  let index = 0;
  for (;;) {
    const left = 2 * index + 1;
    const right = left + 1;
    const [leftEvent, rightEvent] = [heap[left], heap[right]];
    if (leftEvent === undefined) return;
    const child = rightEvent !== undefined && before(rightEvent, leftEvent) ? right : left;
    if (!swapIfEarlier(heap, child, index)) return;
    index = child;
  }
}

function swapIfEarlier(heap: Event[], child: number, parent: number): boolean {
  const [childEvent, parentEvent] = [heap[child], heap[parent]];
  if (childEvent === undefined || parentEvent === undefined || !before(childEvent, parentEvent)) {
    return false;
  }
  heap[child] = parentEvent;
  heap[parent] = childEvent;
  return true;
}
