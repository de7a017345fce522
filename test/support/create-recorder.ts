import { types } from 'pg';
import type { PoolClient } from 'pg';
import { arrayElements, uuidOf } from './array-elements.ts';
import type { Pool } from '../../src/platform/db/pool.ts';

/** One committed call of a lane, as the database ran it, without the rows that it postponed. */
export interface RecordedCall {
  /** When the vendors' floats were locked, in microseconds since 1970: the order of such calls. */
  readonly atMicros: bigint;
  readonly paymentIds: readonly string[];
  /** Decisions for rows that were not accepted now, by row number from 1. */
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
        into.push(recorded(arrayElements(statement.values?.[2]).map(uuidOf), answer as Answer));
      }
      return answer;
    };
    Object.assign(client, { query });
  });
}

function recorded(paymentIds: readonly string[], { rows }: Answer): RecordedCall {
  const [first, ...rest] = rows;
  const decided = new Map(rest.map((row) => [row.rowNumber, row.decision]));
  const numbers = paymentIds
    .map((_, index) => index + 1)
    .filter((number) => decided.get(number) !== 'postponed');
  return {
    atMicros: first?.knownAt.micros ?? 0n,
    paymentIds: numbers.map((number) => paymentIds[number - 1] ?? ''),
    decisions: new Map(
      numbers.flatMap((number, index) => {
        const decision = decided.get(number);
        return decision === undefined ? [] : [[index + 1, decision] as const];
      }),
    ),
  };
}

/** A Date has milliseconds, but the order of two calls may differ only in microseconds. */
function parsePrecisely(text: string): PreciseDate {
  const date = new Date(text);
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  const micros =
    BigInt(Math.floor(date.getTime() / 1000)) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
  return Object.assign(date, { micros });
}
