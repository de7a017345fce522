import { Type } from 'typebox';
import {
  firstCursor,
  readStatementHead,
  readStatementPage,
} from '../payments/reports/statement.ts';
import type { StatementCursor, StatementHead } from '../payments/reports/statement.ts';
import type { StatementOf } from '../payments/reports/statement-accounts.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { nullable } from '../platform/http/schemas.ts';
import { readStatementPeriod } from './period.ts';
import { readerOf, resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { limitOf, pageOf, paging, period } from './schemas.ts';
import {
  EXAMPLE_HEAD,
  EXAMPLE_LINE,
  headView,
  lineView,
  statementHead,
  statementLine,
  statementOf,
} from './statement-view.ts';

const query = Type.Object({ ...period, ...paging });
const response = Type.Object({
  head: nullable(statementHead),
  ...pageOf(statementLine),
});

const NAME = 'getStatement';

/** The content of a cursor: JSON has no `bigint`. */
type Position = Omit<StatementCursor, 'balanceCents' | 'floatCents'> & {
  readonly balanceCents: string;
  readonly floatCents: string;
  readonly to: string;
};

export function getStatement(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: NAME,
    method: 'GET',
    path: '/statement',
    summary: 'Statement',
    description:
      'Every movement of your money in a period, oldest first, with the balance after each. The first page has the `head`: balances before and after, and sums. Default period: this month. At most one year.',
    query,
    response,
    refusals: {},
    example: {
      query: { limit: '20' },
      answer: { head: EXAMPLE_HEAD, items: [EXAMPLE_LINE], next_cursor: null },
    },
    handle: async ({ query: asked }, context) => {
      const { signer } = context;
      const of = statementOf(signer);
      const list = { list: NAME, owner: signer.vid, query: asked };
      const position =
        asked.cursor === undefined
          ? undefined
          : (deps.cursors.read(list, asked.cursor) as Position);
      const wanted = position === undefined ? readStatementPeriod(asked, deps) : undefined;
      return await deps.longReads(readerOf(context), async () => {
        const head = wanted && (await readStatementHead(deps.pool, of, wanted));
        const page = await readLines(deps, of, { head, position, limit: limitOf(asked) });
        const { next, to } = page;
        return {
          head: head === undefined ? null : headView(head),
          items: page.lines.map(lineView),
          next_cursor: next === null ? null : deps.cursors.write(list, positionOf(next, to)),
        };
      });
    },
  });
}

async function readLines(
  { pool }: Pick<SelfServiceDeps, 'pool'>,
  of: StatementOf,
  page: {
    readonly head: StatementHead | undefined;
    readonly position: Position | undefined;
    readonly limit: number;
  },
) {
  const { after, to } = beginOf(page);
  return { ...(await readStatementPage(pool, of, { after, to, limit: page.limit })), to };
}

function beginOf({ head, position }: Pick<Parameters<typeof readLines>[2], 'head' | 'position'>): {
  readonly after: StatementCursor;
  readonly to: Date;
} {
  if (head !== undefined) return { after: firstCursor(head), to: head.to };
  if (position === undefined) throw new Error('a page begins with its head or with a position');
  const { to, ...after } = position;
  const sums = {
    balanceCents: BigInt(after.balanceCents),
    floatCents: BigInt(after.floatCents),
  };
  return { after: { ...after, ...sums }, to: new Date(to) };
}

function positionOf(cursor: StatementCursor, to: Date): Position {
  return {
    ...cursor,
    balanceCents: String(cursor.balanceCents),
    floatCents: String(cursor.floatCents),
    to: to.toISOString(),
  };
}
