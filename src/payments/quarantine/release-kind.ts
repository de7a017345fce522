import { strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { WireTime } from '../../platform/base/clock.ts';
import { compiled } from '../../platform/base/compiled.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import type { Queryable } from '../../platform/db/pool.ts';
import { lockTopic, markChanged } from '../../platform/db/settings-watch.ts';
import { kind } from '../../proposals/kind.ts';
import type { Actor, AnyKind, Line } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { endQuarantine, NOT_OPEN } from './release.ts';
import { listMissing } from './stakes.ts';
import { lockOpenQuarantine } from './store.ts';
import { findOpenQuarantine } from './read-quarantine.ts';
import type { QuarantineRow } from './read-quarantine.ts';

export const QUARANTINE_RELEASE = 'quarantine_release';

const time = Type.String({ format: 'date-time', maxLength: 40 });
const content = strict({
  quarantineId: Type.String({ format: 'uuid' }),
  lostFrom: time,
  lostUntil: time,
  /** The operators whose statements are missing. */
  missing: Type.Array(Type.String({ minLength: 1, maxLength: 64 }), { minItems: 1 }),
});
type Content = Static<typeof content>;

interface Facts {
  readonly quarantine: QuarantineRow | undefined;
  readonly missing: readonly string[];
}

interface Plan {
  readonly of: Content;
  /** Processes that are missing at this moment. */
  readonly missing: readonly string[];
  readonly period: string;
}

interface Deps {
  readonly ledgerMac: Mac;
  readonly wireTime: WireTime;
}

/**
 * The end of a quarantine without the statements of operators, who may have executed payments that the ledger lacks.
 * At the decision, changes of billers wait, and so does an entry that would extend the quarantine.
 */
export const quarantineReleaseKind = ({ ledgerMac, wireTime }: Deps): AnyKind =>
  kind<Content, Facts, Plan>({
    name: QUARANTINE_RELEASE,
    title: 'End of the quarantine without statements',
    content: compiled(content),
    proposedBy: 'system.act',
    decidedBy: 'system.act',
    replaces: true,
    about: ({ quarantineId }) => quarantineId,
    describe: (of) => linesOf(of.missing, periodOf(of, wireTime)),
    read: async (db, _of, { lock }) => await readFacts(db, lock),
    check: requireReleasable,
    plan: ({ missing }, { content: of }) => ({ of, missing, period: periodOf(of, wireTime) }),
    show: ({ missing, period }) => linesOf(missing, period),
    apply: async (db, { of: { quarantineId }, missing }, { proposal, by }) => {
      await markChanged(db, 'billers');
      const { proposalId, proposedBy, note: reason } = proposal;
      const detail = { missing, reason, proposed_by: proposedBy, proposal: proposalId };
      await endQuarantine(db, ledgerMac, { quarantineId, by, forced: missing.length > 0, detail });
    },
  });

const periodOf = ({ lostFrom, lostUntil }: Content, wireTime: WireTime): string =>
  `${wireTime.format(new Date(lostFrom))} to ${wireTime.format(new Date(lostUntil))}`;

const linesOf = (missing: readonly string[], period: string): Line[] => [
  { label: 'Sends payments again without the statements of', text: missing.join(', ') || 'none' },
  { label: 'May be missing from the ledger', text: period },
];

async function readFacts(db: Queryable, lock: boolean): Promise<Facts> {
  if (lock) await lockTopic(db, 'billers');
  const quarantine = await (lock ? lockOpenQuarantine(db) : findOpenQuarantine(db));
  return { quarantine, missing: quarantine === undefined ? [] : await listMissing(db, quarantine) };
}

/** Throws: `PlainError` if it is another quarantine than the one that was proposed about, or a larger one. */
function requireReleasable({ quarantine, missing }: Facts, of: Content): void {
  if (quarantine?.quarantineId !== of.quarantineId) throw new PlainError(NOT_OPEN);
  const { lostFrom, lostUntil } = quarantine;
  const isSame = lostFrom.toISOString() === of.lostFrom && lostUntil.toISOString() === of.lostUntil;
  if (!isSame) {
    throw new PlainError('The period that may be missing has changed. Propose it again.');
  }
  const more = missing.filter((code) => !of.missing.includes(code));
  if (more.length === 0) return;
  const text = `Since the proposal, the statements of ${more.join(', ')} are missing as well. Propose it again.`;
  throw new PlainError(text);
}

/**
 * Proposes to end the open quarantine without the statements that are missing.
 * Throws: `PlainError` if there is none, or no statement is missing.
 */
export async function proposeRelease(
  { pool, proposals }: { readonly pool: Queryable; readonly proposals: Proposals },
  { by, note }: { readonly by: Actor; readonly note: string },
): Promise<ProposalRow> {
  const { quarantine, missing } = await readFacts(pool, false);
  if (quarantine === undefined) throw new PlainError(NOT_OPEN);
  if (missing.length === 0) {
    throw new PlainError('No statement is missing: it can be released without another person.');
  }
  const { quarantineId, lostFrom, lostUntil } = quarantine;
  const period = { lostFrom: lostFrom.toISOString(), lostUntil: lostUntil.toISOString() };
  const of: Content = { quarantineId, ...period, missing: [...missing] };
  return await proposals.propose({ kind: QUARANTINE_RELEASE, content: of, by, note });
}
