import { Type } from 'typebox';
import type { Static } from 'typebox';
import { MAX_LOGIN_LENGTH } from '../parties/people/login.ts';
import type { AuditRow } from '../parties/people/read-audit.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, orNull, paging, text, textOrNull, time } from './fields.ts';
import { pageByTime } from './pages.ts';
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

const list = Type.Object({ entries: Type.Array(entry), next: fields.next });
export type AuditAnswer = Static<typeof list>;

const filter = (maxLength: number, description: string, placeholder: string) =>
  Type.Optional(Type.String({ ...{ minLength: 1, maxLength }, description, placeholder }));

export const AUDIT: Noun = {
  command: 'audit',
  summary: 'The audit log: who did what, when, why and from where.',
  definitions: [
    view(core, {
      name: 'audit.list',
      summary: 'Every sign-in and every action, newest first.',
      route: 'GET /audit',
      permission: 'audit.read',
      isUsual: true,
      input: inputOf({
        login: filter(MAX_LOGIN_LENGTH, 'what this person did', 'login'),
        action: filter(64, 'such as `case.propose`', 'action'),
        target: filter(200, 'the vendor, case or other object that it was done to', 'target'),
        from: Type.Optional(fields.moment({ description: 'on this day or later' })),
        to: Type.Optional(
          fields.moment({ description: 'on this day (included), or before a time' }),
        ),
        ...paging(50),
      }),
      output: list,
      rows: 'entries',
      empty: 'no entries',
      handle: async ({ core: { listAudit, readStart, readEnd }, input, deps }) => {
        const { pool, wireTime } = deps;
        const { cursor: _cursor, limit: _limit, ...of } = input;
        const period = {
          from: readStart(input.from, 'from', wireTime),
          to: readEnd(input.to, 'to', wireTime),
        };
        const { shown, next } = await pageByTime(
          input,
          async (page) => await listAudit(pool, { ...of, ...period, ...page }),
          ({ at, auditId: id }) => ({ at, id }),
        );
        return { entries: shown.map(entryOf), next };
      },
    }),
  ],
};
