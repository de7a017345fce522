import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { statementTable } from '../payments/reports/statement-table.ts';
import { partsInTurn } from '../platform/base/long-reads.ts';
import { csvForPrograms } from '../platform/export/csv.ts';
import { StreamedAnswer } from '../platform/http/streamed-answer.ts';
import type { AnyResource } from '../platform/http/resource.ts';
import { readStatementPeriod } from './period.ts';
import { readerOf, resource } from './resource.ts';
import type { SelfServiceDeps } from './resource.ts';
import { period } from './schemas.ts';
import { statementOf } from './statement-view.ts';

const AMOUNTS: ReadonlySet<string> = new Set(['amount', 'change', 'balance', 'float']);

const TITLES =
  'time,movement,reference,merchant_reference,collector,collector_reference,operator,operator_reference,bank_reference,case,debit_account,credit_account,amount_cents,change_cents,balance_cents,float_cents\r\n';

export function exportStatement(deps: SelfServiceDeps): AnyResource {
  return resource(deps, {
    name: 'exportStatement',
    method: 'GET',
    path: '/statement.csv',
    summary: 'Statement as CSV',
    description:
      'The whole statement as a file, sent while it is read: its lines between a row for the opening and one for the closing balance. A file without the last row is incomplete. A text that a spreadsheet would run as a formula begins with an apostrophe.',
    query: Type.Object(period),
    response: 'text/csv',
    refusals: {},
    example: {
      answer: `${TITLES}2026-11-20T21:00:00.000Z,opening,,,,,,,,,,,,,10000000,10000000\r\n`,
    },
    handle: async ({ query }, context) => {
      const wanted = readStatementPeriod(query, deps);
      const read = partsInTurn(deps.longReads, readerOf(context));
      const { table } = await statementTable(deps.pool, statementOf(context.signer), wanted, read);
      const titles = table.titles.map((title) => (AMOUNTS.has(title) ? `${title}_cents` : title));
      const name = `statement-${deps.wireTime.format(wanted.from).slice(0, 10)}.csv`;
      const body = Readable.from(csvForPrograms({ ...table, titles }));
      return new StreamedAnswer({ type: 'text/csv; charset=utf-8', fileName: name, body });
    },
  });
}
