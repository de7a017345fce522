import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** The bearer tokens of a gateway. */
export class Tokens {
  readonly #valid = new Set<string>();

  issue(): string {
    const token = randomUUID();
    this.#valid.add(token);
    return token;
  }

  accepts({ headers }: IncomingMessage): boolean {
    const { authorization = '' } = headers;
    return authorization.startsWith('Bearer ') && this.#valid.has(authorization.slice(7));
  }

  /** Ends every token. */
  expire(): void {
    this.#valid.clear();
  }
}
