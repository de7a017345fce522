import { Type } from 'typebox';
import type { Static } from 'typebox';
import { MAX_LOGIN_LENGTH } from '../parties/people/login.ts';
import type { AuditRow } from '../parties/people/read-audit.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { orNull, text, textOrNull, time } from './fields.ts';
import { BY_TIME, list } from './lists.ts';
import type { PageOf } from './lists.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../parties/people/read-audit.ts')),
  ...(await import('../platform/base/period.ts')),
});

const json = (title: string) => Type.Unknown({ title, wide: true });

const entry = Type.Object({
  audit_id: text(),
  at: time({ title: 'At' }),
  login: text({ title: 'Who' }),
  role: textOrNull({ title: 'Role', wide: true }),
  action: text({ title: 'Action' }),
  target: textOrNull({ title: 'Object' }),
  reason: textOrNull({ title: 'Reason' }),
  result: orNull(Type.Enum(['done', 'refused', 'failed']), {
    title: 'Result',
    nullText: 'interrupted',
    description: 'null: it was interrupted, or is still running',
  }),
  before: json('Before'),
  after: json('After'),
  /** Of an export. */
  filter: json('Filter'),
  address: text({ title: 'From', wide: true }),
  request_id: text({ title: 'Request', wide: true }),
  channel: Type.Enum(['console', 'api', 'command', 'vendor'], { title: 'Channel', wide: true }),
  /** Of a program; null: a person acted. */
  token: textOrNull({ title: 'Token', wide: true }),
});
export type AuditView = Static<typeof entry>;

/** What was kept is shown as it was kept: its names are those of whoever wrote it. */
function entryOf({ before, after, filter, ...row }: AuditRow): AuditView {
  const { personId: _person, vendorId: _vendor, endedAt: _ended, ...about } = row;
  return { ...wireOf(about), before, after, filter };
}

export type AuditAnswer = PageOf<'entries', typeof entry>;

const filter = (maxLength: number, description: string, placeholder: string) =>
  Type.Optional(Type.String({ ...{ minLength: 1, maxLength }, description, placeholder }));

export const AUDIT: Noun = {
  command: 'audit',
  summary: 'The audit log: who did what, when, why and from where.',
  definitions: [
    list(core, BY_TIME, {
      name: 'audit.list',
      summary: 'Every sign-in and every action, newest first.',
      route: 'GET /audit',
      permission: 'audit.read',
      isUsual: true,
      input: {
        login: filter(MAX_LOGIN_LENGTH, 'what this person did', 'login'),
        action: filter(64, 'such as `case.propose`', 'action'),
        target: filter(200, 'the vendor, case or other object that it was done to', 'target'),
        from: Type.Optional(fields.moment({ description: 'on this day or later' })),
        to: Type.Optional(
          fields.moment({ description: 'on this day (included), or before a time' }),
        ),
      },
      page: 50,
      rows: 'entries',
      row: entry,
      empty: 'no entries',
      read: async ({ core: { listAudit, readStart, readEnd }, input, deps }, page) => {
        const { pool, wireTime } = deps;
        const { login, action, target } = input;
        const from = readStart(input.from, 'from', wireTime);
        const to = readEnd(input.to, 'to', wireTime);
        return await listAudit(pool, { ...{ login, action, target, from, to }, ...page });
      },
      placeOf: ({ at, auditId: id }) => ({ at, id }),
      show: (shown) => shown.map(entryOf),
    }),
  ],
};
