import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { QuarantineRow } from '../payments/quarantine/read-quarantine.ts';
import { Refusal } from '../platform/base/errors.ts';
import { newId } from '../platform/base/ids.ts';
import { action, view } from './definition.ts';
import type { Asked, Noun } from './definition.ts';
import * as fields from './fields.ts';
import { count, inputOf, NOTHING, orNull, text, time, titled } from './fields.ts';
import { proposing } from './proposing.ts';
import { readMoment } from '../platform/base/times.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../payments/quarantine/enter.ts')),
  ...(await import('../payments/quarantine/release.ts')),
  ...(await import('../payments/quarantine/release-kind.ts')),
  ...(await import('../payments/quarantine/state.ts')),
});
type By = Pick<Asked<Awaited<ReturnType<typeof core>>, unknown>, 'core' | 'deps' | 'viewer'>;

const quarantine = Type.Object({
  quarantine_id: text(),
  entered_at: time({ title: 'Since' }),
  /** Payments from then until then may be missing from the ledger. */
  ...titled({ lost_from: time, lost_until: time, reason: text }),
  /** Nothing is known to be missing, as after the promotion of a standby: it can be confirmed. */
  seems_complete: Type.Boolean({ title: 'Seems complete' }),
  /** The processes that have not confirmed it. */
  unconfirmed: Type.Array(
    Type.Object({
      process: text({ title: 'Process' }),
      seen_at: time({ title: 'Last seen' }),
    }),
    { title: 'Not confirmed by' },
  ),
  operators: Type.Array(
    Type.Object({
      ...titled({ operator: text, open: count }),
      covered: Type.Boolean({ title: 'Has statements' }),
    }),
    { title: 'Operators' },
  ),
  /** To end it without statements. */
  proposal: orNull(
    Type.Object({
      proposal: text({ title: 'Proposal' }),
      by: text({ title: 'Proposed by' }),
      ...titled({ reason: text }),
    }),
    { title: 'Its end without statements' },
  ),
});
export type QuarantineView = Static<typeof quarantine>;

const state = Type.Object({
  quarantine: orNull(quarantine, { title: 'In quarantine', nullText: 'no: payments are sent' }),
  /** Of all quarantines, newest first. */
  events: Type.Array(
    Type.Object({
      at: time({ title: 'At' }),
      action: Type.Enum(['entered', 'extended', 'released', 'reopened'], { title: 'What' }),
      actor: text({ title: 'Who' }),
      detail: Type.Record(Type.String(), Type.Unknown(), { title: 'Detail', wrapped: true }),
    }),
    { title: 'Events' },
  ),
});
export type QuarantineAnswer = Static<typeof state>;

const ENDS = { permission: 'system.act', output: state } as const;
const reason = fields.reasonWith({ option: 'reason' });

export const QUARANTINE: Noun = {
  command: 'quarantine',
  summary: 'While the ledger may lack payments, after a restore or a promotion, nothing is sent.',
  definitions: [
    view(core, {
      name: 'quarantine.status',
      summary: 'Show the quarantine, and what its release waits for.',
      route: 'GET /quarantine',
      permission: 'system.read',
      isUsual: true,
      input: NOTHING,
      output: state,
      handle: stateOf,
    }),
    action(core, {
      ...ENDS,
      name: 'quarantine.enter',
      summary:
        'Stop sending. The service does this automatically when it detects that the database was restored or replaced.',
      onMachine: true,
      actsAlone: 'always',
      input: inputOf({
        since: fields.moment({ description: 'beginning of the missing period' }),
        until: Type.Optional(
          fields.moment({ description: 'end of the missing period (default: now)' }),
        ),
        reason,
      }),
      output: Type.Object({
        /** Queued payments that may have been sent in the period. Their operators are asked. */
        suspected: count({ title: 'Payments that operators are asked about' }),
        ...state.properties,
      }),
      handle: async (asked) => {
        const { core: loaded, input, deps, viewer } = asked;
        const lost = lostPeriod(input, deps);
        const made = { entryId: newId(), by: viewer.actor.name, reason: input.reason };
        const entered = await loaded.enterQuarantine(deps.pool, { ...lost, ...made });
        if (entered === undefined) throw new Error('a new entry was known before');
        const { suspected, quarantine: open } = entered;
        const audit = { target: open.quarantineId, after: { ...periodOf(open), suspected } };
        return { result: { suspected, ...(await stateOf(asked)) }, audit };
      },
    }),
    action(core, {
      ...ENDS,
      name: 'quarantine.release',
      summary:
        'Resume sending. Refused until complete statements of every operator cover the missing period.',
      route: 'POST /quarantine/release',
      actsAlone: 'always',
      input: inputOf({ reason: fields.reasonOr('all statements are there', { option: 'reason' }) }),
      handle: async (asked) => await release(asked),
    }),
    proposing(core, {
      name: 'quarantine.propose',
      summary:
        'Propose to resume sending without the statements that are missing. Another person approves it.',
      route: 'POST /quarantine/propose',
      permission: 'system.act',
      proposes: 'quarantine_release',
      input: inputOf({ reason }),
      make: async ({ core: { proposeRelease }, input, deps, viewer }) => {
        const of = { pool: deps.pool, proposals: await deps.proposals() };
        return await proposeRelease(of, { by: viewer.actor, note: input.reason });
      },
    }),
    action(core, {
      ...ENDS,
      name: 'quarantine.confirm',
      summary:
        'Resume sending, because the ledger lacks nothing: a synchronous standby was promoted. Refused if anything contradicts it.',
      onMachine: true,
      input: inputOf({ reason }),
      handle: async (asked) => await release(asked, asked.input.reason),
    }),
  ],
};

/** @param nothingLost why the ledger lacks nothing. */
async function release(asked: By, nothingLost?: string) {
  const { core: loaded, deps, viewer } = asked;
  const { pool } = deps;
  const open = await loaded.releaseQuarantine(
    { pool, ledgerMac: await deps.ledgerMac() },
    { by: viewer.actor.name, ...(nothingLost !== undefined && { nothingLost }) },
  );
  const audit = { target: open.quarantineId, before: periodOf(open), after: { is_open: false } };
  return { result: await stateOf(asked), audit };
}

const periodOf = ({ lostFrom, lostUntil }: QuarantineRow) => wireOf({ lostFrom, lostUntil });

/** Throws: `invalid_field`. */
function lostPeriod(
  given: { readonly since: string; readonly until?: string },
  { clock, wireTime }: By['deps'],
) {
  const { since, until } = given;
  const lostFrom = readMoment(since, 'since', wireTime);
  const lostUntil = until === undefined ? null : readMoment(until, 'until', wireTime);
  const now = clock.now();
  if (lostFrom <= now && lostFrom <= (lostUntil ?? now)) return { lostFrom, lostUntil };
  const says = 'since must be before until, and not in the future';
  throw new Refusal('invalid_field', { field: 'since', text: says });
}

/** After a restore it can be read before the master key is at hand. */
async function stateOf({ core: loaded, deps }: By): Promise<QuarantineAnswer> {
  const of = await loaded.readQuarantine(deps.pool, await deps.findLedgerMac());
  const { open, stakes, absent, waiting, events } = of;
  return {
    quarantine:
      open === undefined
        ? null
        : {
            ...wireOf(open),
            unconfirmed: absent.map(({ name, seenAt }) => wireOf({ process: name, seenAt })),
            operators: stakes.map(({ operatorCode: operator, ...stake }) => ({
              operator,
              ...stake,
            })),
            proposal:
              waiting === undefined
                ? null
                : { proposal: waiting.proposalId, by: waiting.proposedBy, reason: waiting.note },
          },
    events: events.map((event) => ({ ...event, at: event.at.toISOString() })),
  };
}
