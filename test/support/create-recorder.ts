import { types } from 'pg';
import type { PoolClient } from 'pg';
import { arrayElements, uuidOf } from './array-elements.ts';
import type { Pool } from '../../src/platform/db/pool.ts';

/** One committed call of `create_payments`, as the database ran it. */
export interface RecordedCall {
  /** When the vendors' floats were locked, in microseconds since 1970: the order of such calls. */
  readonly atMicros: bigint;
  readonly paymentIds: readonly string[];
  /** Decisions of `create_payments` for rows that were not accepted now, by row number from 1. */
  readonly decisions: ReadonlyMap<number, string>;
}

interface PreciseDate extends Date {
  micros: bigint;
}

interface Answer {
  readonly rows: readonly {
    readonly rowNumber: number;
    readonly decision: string;
    readonly knownAt: PreciseDate;
  }[];
}

/** Records every create on connections that the pool opens from now on. */
export function recordCreates(pool: Pool, into: RecordedCall[]): void {
  pool.on('connect', (client: PoolClient) => {
    client.setTypeParser(types.builtins.TIMESTAMPTZ, parsePrecisely);
    const send = client.query.bind(client) as unknown as (statement: unknown) => Promise<unknown>;
    const query = async (statement: {
      readonly name?: string;
      readonly values?: readonly unknown[];
    }): Promise<unknown> => {
      const answer = await send(statement);
      if (statement.name === 'create_payments') {
        const [first, ...rest] = (answer as Answer).rows;
        into.push({
          atMicros: first?.knownAt.micros ?? 0n,
          paymentIds: arrayElements(statement.values?.[2]).map(uuidOf),
          decisions: new Map(rest.map((row) => [row.rowNumber, row.decision])),
        });
      }
      return answer;
    };
    Object.assign(client, { query });
  });
}

/** A Date has milliseconds, but the order of two calls may differ only in microseconds. */
function parsePrecisely(text: string): PreciseDate {
  const date = new Date(text);
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  const micros =
    BigInt(Math.floor(date.getTime() / 1000)) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  return Object.assign(date, { micros });
}
