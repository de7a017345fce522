import { Socket } from 'node:net';
import { Client } from 'pg';
import type { ClientConfig, QueryConfig, QueryResult } from 'pg';
import { lookupHost } from '../outbound/host-names.ts';

type OnResult = (error: Error | null, result?: QueryResult) => void;

/** A query whose parts the caller sends and reads itself. */
interface Submittable {
  submit: unknown;
}

type Given = [
  config: string | QueryConfig | Submittable,
  values?: unknown[] | OnResult,
  onResult?: OnResult,
];

/** Its hosts are looked up without the threads that all look-ups of Node share. */
class LookingUpSocket extends Socket {
  // As `pg` calls it: with the path of a Unix socket, or a port and a host.
  override connect(...given: never[]): this {
    const [where, host] = given as unknown as [port: number | string, host?: string];
    if (host === undefined) return super.connect(String(where));
    return super.connect({ port: Number(where), host, lookup: lookupHost });
  }
}

/** Where `pg` keeps the time-out of queries, whether it is from the options or the URL. */
interface WithParameters {
  readonly connectionParameters: { query_timeout?: unknown };
}

/**
 * `pg`'s client, with promises and time-outs of queries made here. `pg` makes a function for each and assigns it to
 * a property of the query. V8 puts such a function among the old objects at once, and all that it refers to, the
 * query's parameters and rows, stays in memory until the next major collection (decision 42).
 *
 * After a time-out the connection is closed, so that no query that waits on it is sent later. Submittable objects
 * have no time-out.
 */
export class LeanClient extends Client {
  readonly #timeoutMs: number;

  constructor(config: ClientConfig = {}) {
    super({ ...config, stream: () => new LookingUpSocket() });
    const { connectionParameters } = this as unknown as WithParameters;
    this.#timeoutMs = Number(connectionParameters.query_timeout) || 0;
    connectionParameters.query_timeout = 0;
  }

  // Its overloads are those of `Client`.
  override query(...given: never[]): never {
    return this.#query(...(given as unknown as Given)) as never;
  }

  #query(...[config, values, onResult]: Given): unknown {
    if (typeof values === 'function') return this.#query(config, undefined, values);
    if (typeof config === 'object' && 'submit' in config) {
      return super.query(config as never, values as never, onResult as never);
    }
    if (onResult !== undefined) return this.#send(config, values, onResult);
    const answered = new Promise<QueryResult | undefined>((resolve, reject) => {
      this.#send(config, values, (error, result) => {
        if (error) reject(error);
        else resolve(result);
      });
    });
    return answered.catch(failWithCallersStack);
  }

  #send(config: string | QueryConfig, values: unknown[] | undefined, onResult: OnResult): void {
    let isLate = false;
    const end: OnResult = (error, result) => {
      clearTimeout(timer);
      if (!isLate) onResult(error, result);
    };
    // It never calls back before it returns.
    super.query(config as string, values as unknown[], end as never);
    const giveUp = (): void => {
      isLate = true;
      onResult(new Error('Query read timeout'));
      this.end(() => undefined);
    };
    const timer = this.#isTimed(config) ? setTimeout(giveUp, this.#timeoutMs) : undefined;
  }

  /** `pg` applies a query's own time-out. */
  #isTimed(config: string | QueryConfig): boolean {
    return this.#timeoutMs > 0 && !(typeof config === 'object' && 'query_timeout' in config);
  }
}

/** With a stack that leads to the caller, instead of one that leads to the socket. */
function failWithCallersStack(error: Error): never {
  Error.captureStackTrace(error, failWithCallersStack);
  throw error;
}
