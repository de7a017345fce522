import { Type } from 'typebox';
import { readStatementPart } from '../payments/reports/statement-pages.ts';
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
      const where =
        asked.cursor === undefined
          ? readStatementPeriod(asked, deps)
          : { cursor: String(deps.cursors.read(list, asked.cursor)) };
      return await deps.longReads(readerOf(context), async () => {
        const part = await readStatementPart(deps.pool, of, { ...where, limit: limitOf(asked) });
        const { head, lines, next } = part;
        return {
          head: head && headView(head),
          items: lines.map(lineView),
          next_cursor: next && deps.cursors.write(list, next),
        };
      });
    },
  });
}
