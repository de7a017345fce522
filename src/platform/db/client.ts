import { Client } from 'pg';
import type { ClientConfig, QueryConfig, QueryResult } from 'pg';

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

/**
 * `pg`'s client, with promises and time-outs of queries made here. `pg` makes a function for each and assigns it to
 * a property of the query. V8 puts such a function among the old objects at once, and all that it refers to, the
 * query's parameters and rows, stays in memory until the next major collection (decision 42).
 */
export class LeanClient extends Client {
  readonly #timeoutMs: number;

  constructor(config: ClientConfig = {}) {
    const { query_timeout: timeoutMs = 0, ...others } = config;
    super(others);
    this.#timeoutMs = timeoutMs;
  }

  // Its overloads are those of `Client`.
  override query(...given: never[]): never {
    return this.#query(...(given as unknown as Given)) as never;
  }

  #query(...[config, values, onResult]: Given): unknown {
    if (typeof values === 'function') return this.#query(config, undefined, values);
    if (typeof config !== 'string' && 'submit' in config) {
      return super.query(config as never, values as never, onResult as never);
    }
    if (onResult !== undefined) return this.#send(config, values, onResult);
    const answered = new Promise<QueryResult | undefined>((resolve, reject) => {
      this.#send(config, values, (error, result) => {
        if (error) reject(error);
        else resolve(result);
      });
    });
    return answered.catch(failWithOwnStack);
  }

  #send(config: string | QueryConfig, values: unknown[] | undefined, onResult: OnResult): void {
    let isLate = false;
    const giveUp = (): void => {
      isLate = true;
      onResult(new Error('Query read timeout'));
    };
    const timer = this.#timeoutMs > 0 ? setTimeout(giveUp, this.#timeoutMs) : undefined;
    const end: OnResult = (error, result) => {
      clearTimeout(timer);
      if (!isLate) onResult(error, result);
    };
    super.query(config as string, values as unknown[], end as never);
  }
}

/** With a stack that leads to the caller, instead of one that leads to the socket. */
function failWithOwnStack(error: Error): never {
  Error.captureStackTrace(error);
  throw error;
}
