import { createHmac, randomUUID } from 'node:crypto';
import { Deliveries, shillings } from '../emulator.ts';
import type { TruthEntry } from '../emulator.ts';
import { Later, post, signedPost } from '../later.ts';
import type { Post } from '../later.ts';
import { Memory } from '../memory.ts';
import type { Table } from '../memory.ts';
import { shown } from './resource.ts';
import type { Destination, Disbursement, Resource } from './resource.ts';

export interface KopokopoOptions {
  /** Signs callbacks. */
  readonly apiKey: string;
  /** Time from the answer to the end; 9905 and 9906 take four times as long. */
  readonly endsAfterMs: number;
  /** Duration of a slow answer. */
  readonly slowMs?: number;
  /** Callbacks have spaces and line breaks, which their signature covers. */
  readonly spacesCallbacks: boolean;
}

/** A later event: a callback, or the end of a request. */
type Task =
  | { readonly kind: 'post'; readonly post: Post }
  | {
      readonly kind: 'end';
      readonly id: string;
      readonly how: End;
      /** When each callback is sent, from the end on. */
      readonly tellAfterMs: readonly number[];
    };

type End = 'transferred' | 'failed' | 'half' | 'two_batches';

/** Requests to send money. Callers cannot name them: each request that arrives sends once more. */
export class KopokopoEmulator {
  readonly later: Later<Task>;
  readonly deliveries: Deliveries;
  readonly #options: KopokopoOptions;
  readonly #resources: Table<Resource>;

  constructor(options: KopokopoOptions, memory = new Memory()) {
    this.#options = options;
    this.#resources = memory.table('resources');
    this.deliveries = new Deliveries(memory, options.slowMs);
    this.later = new Later(memory, async (task) => {
      if (task.kind === 'post') await post(task.post);
      else this.#end(task);
    });
  }

  /** Lists what was transferred, each receiver for itself. */
  truth(): TruthEntry[] {
    return this.#resources.rows().flatMap(({ id, destinations, batches }) =>
      destinations.flatMap(({ type, account }, place) => {
        const parts = batches
          .flat()
          .filter(({ destination, status }) => destination === place && status === 'Transferred');
        const amount = parts.reduce((sum, part) => sum + part.amount, 0);
        const paidAt = new Date(parts[0]?.atMs ?? 0).toISOString();
        return amount === 0
          ? []
          : [{ reference: id, biller: type, account, amount: shillings(amount), paid_at: paidAt }];
      }),
    );
  }

  find(id: string): object | undefined {
    const resource = this.#resources.get(id);
    return resource === undefined ? undefined : shown(resource);
  }

  /** The last four digits of the first receiver decide. */
  send(request: Omit<Resource, 'id' | 'self' | 'createdAtMs' | 'status' | 'batches'>, at: string) {
    const id = randomUUID();
    const resource: Resource = {
      ...request,
      id,
      self: `${at}/${id}`,
      createdAtMs: Date.now(),
      status: 'Scheduled',
      batches: [],
    };
    this.#resources.put(id, resource);
    this.#act(resource, request.destinations[0]?.account.slice(-4) ?? '');
    return resource;
  }

  #act(resource: Resource, suffix: string): void {
    const { endsAfterMs } = this.#options;
    const end = (how: End, tellAfterMs = [1], afterMs = endsAfterMs): void =>
      this.later.run(afterMs, { kind: 'end', id: resource.id, how, tellAfterMs });
    switch (suffix) {
      case '9904':
      case '9924':
        return end('failed');
      case '9905':
        return end('transferred', [1], 4 * endsAfterMs);
      case '9906':
        return end('transferred', [1, 1, 10 * endsAfterMs], 4 * endsAfterMs);
      case '9909':
        return;
      case '9911':
        return end('transferred', []);
      case '9914':
        return end('half');
      case '9916':
        return end('two_batches');
      case '9920':
        this.#tell({ ...resource, id: randomUUID(), metadata: { payment: 'other' } }, 1);
        return end('transferred');
      default:
        return end('transferred');
    }
  }

  #end({ id, how, tellAfterMs }: Extract<Task, { kind: 'end' }>): void {
    const resource = this.#resources.get(id);
    if (resource === undefined) return;
    // It says nothing of the money.
    resource.status = 'Processed';
    resource.batches = batchesFor(how, resource.destinations);
    this.#resources.put(id, resource);
    for (const afterMs of tellAfterMs) this.#tell(resource, afterMs);
  }

  #tell(resource: Resource, afterMs: number): void {
    const { apiKey, spacesCallbacks } = this.#options;
    const body = JSON.stringify(shown(resource), null, spacesCallbacks ? 2 : undefined);
    const signature = createHmac('sha256', apiKey).update(body).digest('hex');
    const headers = { 'x-kopokopo-signature': signature };
    const sent = signedPost(resource.callbackUrl, body, headers);
    this.later.run(afterMs, { kind: 'post', post: sent });
  }
}

function batchesFor(how: End, destinations: readonly Destination[]): Disbursement[][] {
  const atMs = Date.now();
  const parts = (share: number, status: Disbursement['status']): Disbursement[] =>
    destinations.map(({ amount }, destination) => ({
      destination,
      amount: amount * share,
      status,
      atMs,
    }));
  switch (how) {
    case 'transferred':
      return [parts(1, 'Transferred')];
    case 'failed':
      return [parts(1, 'Failed')];
    case 'half':
      return [[...parts(0.5, 'Transferred'), ...parts(0.5, 'Failed')]];
    case 'two_batches':
      return [parts(0.5, 'Transferred'), parts(0.5, 'Transferred')];
  }
}
