import { Type } from 'typebox';
import type { Static } from 'typebox';
import { listAudit } from '../../parties/people/audit-store.ts';
import type { AuditFilter, AuditRow } from '../../parties/people/audit-store.ts';
import { MAX_LOGIN_LENGTH, loginFrom } from '../../parties/people/login.ts';
import type { WireTime } from '../../platform/base/clock.ts';
import { csvExportValue, csvLine } from '../../platform/base/csv.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { AuditAnswer, AuditView } from '../operations-answers.ts';
import { csvFile, route } from '../route.ts';
import type { AnyRoute } from '../route.ts';
import { pageOf, readTimeCursor, timeCursor } from '../../staff/pages.ts';
import { readEnd, readStart, time } from './period.ts';

export interface AuditRoutesOptions {
  readonly pool: Pool;
  readonly wireTime: WireTime;
}

const PAGE = 50;
const EXPORT_PAGE = 1_000;
const MAX_EXPORTED = 100_000;

const filters = {
  login: Type.Optional(Type.String({ maxLength: MAX_LOGIN_LENGTH })),
  action: Type.Optional(Type.String({ maxLength: 64 })),
  target: Type.Optional(Type.String({ maxLength: 200 })),
  from: Type.Optional(time),
  to: Type.Optional(time),
};
const exportQuery = Type.Object(filters, { additionalProperties: false });
const listQuery = Type.Object(
  { ...filters, cursor: Type.Optional(Type.String({ maxLength: 100 })) },
  { additionalProperties: false },
);

/** Who did what: the list, and the same as CSV. */
export function auditRoutes({ pool, wireTime }: AuditRoutesOptions): AnyRoute[] {
  return [
    route({
      method: 'GET',
      path: '/audit',
      permission: 'audit.read',
      query: listQuery,
      handle: async ({ query }): Promise<AuditAnswer> => {
        const before = query.cursor === undefined ? undefined : readCursor(query.cursor);
        const filter = { ...filterOf(query, wireTime), before, limit: PAGE + 1 };
        const rows = await listAudit(pool, filter);
        const { shown, next } = pageOf(rows, PAGE, ({ at, auditId }) => timeCursor(at, auditId));
        return { entries: shown.map(auditView), next };
      },
    }),
    route({
      method: 'GET',
      path: '/audit/export',
      permission: 'audit.read',
      query: exportQuery,
      handle: async ({ query }) =>
        csvFile('audit-log.csv', linesOf(pool, filterOf(query, wireTime))),
    }),
  ];
}

function filterOf(
  query: Static<typeof exportQuery>,
  wireTime: WireTime,
): Omit<AuditFilter, 'limit' | 'before'> {
  return {
    login: query.login && loginFrom(query.login),
    action: query.action,
    target: query.target,
    from: readStart(query.from, 'from', wireTime),
    to: readEnd(query.to, 'to', wireTime),
  };
}

/** Throws: `invalid_field`. */
function readCursor(cursor: string): AuditFilter['before'] {
  const { at, id: auditId } = readTimeCursor(cursor);
  return { at, auditId };
}

const COLUMNS = [
  'at',
  'login',
  'role',
  'action',
  'target',
  'reason',
  'result',
  'before',
  'after',
  'filter',
  'address',
  'requestId',
  'channel',
  'token',
] as const;

/** Page by page, so that a long log is never in memory. */
async function* linesOf(
  pool: Pool,
  filter: Omit<AuditFilter, 'limit' | 'before'>,
): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`;
  let before: AuditFilter['before'];
  for (let count = 0; count < MAX_EXPORTED; count += EXPORT_PAGE) {
    const rows = await listAudit(pool, { ...filter, before, limit: EXPORT_PAGE });
    for (const row of rows) {
      const view = auditView(row);
      yield `${COLUMNS.map((column) => csvExportValue(textOf(view[column]))).join(',')}\r\n`;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < EXPORT_PAGE) return;
    before = last;
  }
  const [more] = await listAudit(pool, { ...filter, before, limit: 1 });
  if (more === undefined) return;
  yield csvLine([
    `Not complete: an export has at most ${MAX_EXPORTED} entries. Choose a shorter period.`,
  ]);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function auditView(row: AuditRow): AuditView {
  const { auditId, login, role, action, target, reason, address, requestId, result } = row;
  const about = { auditId, login, role, action, target, reason, address, requestId, result };
  const { before, after, filter, channel, token } = row;
  return { ...about, at: row.at.toISOString(), channel, token, before, after, filter };
}
