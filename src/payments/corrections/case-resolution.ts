import { orNull, strict } from '../../platform/base/json-fields.ts';
import { hash } from 'node:crypto';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { jsonText } from '../../platform/base/proposal.ts';
import type { Pool, Queryable } from '../../platform/db/pool.ts';
import { kind } from '../../proposals/kind.ts';
import type { Actor, AnyKind, Line } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { CASE_RESOLUTION } from '../cases/case-proposals.ts';
import { HOUSE } from '../cases/cases-store.ts';
import { referenceOf } from '../cases/read-cases.ts';
import { CASE_KINDS } from '../cases/kinds.ts';
import type { ProposedResolution } from '../cases/cases-store.ts';
import type { CaseRow } from '../cases/read-cases.ts';
import { readPostings } from '../settle/store.ts';
import type { Posting } from '../settle/store.ts';
import { carryOut, reportOf } from './carry-out.ts';
import { effectOf, planLines, postedLine } from './plan-lines.ts';
import { givenCents } from './facts.ts';
import { RESOLUTIONS } from './resolution-names.ts';
import { planResolution } from './resolutions.ts';
import type { Plan } from './resolutions.ts';
import { requireSameInstruction } from './same-instruction.ts';
import { requireNotPosted } from './same-reference.ts';
import { readCase } from './situation.ts';
import type { CaseFacts } from './case-facts.ts';

const text = Type.String({ maxLength: 500 });

const content = strict({
  caseId: text,
  kind: Type.Enum([...CASE_KINDS]),
  vendorId: Type.Integer(),
  /** Names the vendor of the case, for people who read the proposal. */
  vid: orNull(text),
  operator: orNull(text),
  reference: orNull(text),
  resolution: Type.Enum(Object.keys(RESOLUTIONS)),
  amount_cents: orNull(Type.String({ pattern: '^[0-9]{1,18}$' })),
  operator_reference: orNull(text),
  message: orNull(text),
  details: orNull(Type.Record(Type.String({ maxLength: 40 }), text)),
  /** SHA-256 of the case with its facts. */
  caseHash: text,
  /** The transfers that an approval would post. What a vendor pays is one line, not split by its accounts. */
  effect: Type.Array(Type.String()),
  /** When the instruction in progress was sent; null if none is. */
  sentAt: orNull(text),
});
type Content = Static<typeof content>;

interface Facts extends CaseFacts {
  /** The postings of the payment if it is settled as proposed. */
  readonly postings: readonly Posting[];
}

interface Resolved {
  readonly facts: Facts;
  readonly of: Content;
  readonly plan: Plan;
}

/**
 * How to resolve a case. It holds no money: what the vendor's money, our own accounts, statements, other cases or the
 * payment have become by the decision is read again under the locks, and another effect than the proposed one is
 * refused.
 */
export const caseResolutionKind = ({ ledgerMac }: { readonly ledgerMac: Mac }): AnyKind =>
  kind<Content, Facts | undefined, Resolved>({
    name: CASE_RESOLUTION,
    title: 'Resolution of a case',
    content: compiled(content),
    proposedBy: 'cases.act',
    decidedBy: 'cases.act',
    replaces: true,
    about: ({ caseId }) => caseId,
    vendorId: ({ vendorId }) => (vendorId === HOUSE ? null : vendorId),
    describe,
    read: async (db, of, { lock }) => {
      const facts = await readCase(db, of.caseId, { lock });
      return facts && { ...facts, postings: await readSettling(db, facts, of) };
    },
    check: (facts, of) => {
      planOf(facts, of);
    },
    plan: (facts, { content: of }) => planOf(facts, of),
    show: ({ facts, plan }) => [
      ...planLines(plan),
      ...facts.postings.map((posting) => postedLine(posting)),
    ],
    isOver: (facts) => facts !== undefined && facts.row.resolvedAt !== null,
    apply: async (db, { facts, of, plan }, { proposal: { proposedBy }, by }) => {
      const { row, situation } = facts;
      const decided = { row, payment: situation.payment, proposal: of, plan };
      await carryOut(db, ledgerMac, { ...decided, proposedBy, approvedBy: by });
    },
  });

/**
 * Nothing for an instruction that the ledger has lost: it is recorded at the decision, and posts the amount and the
 * fee alone.
 */
async function readSettling(
  db: Queryable,
  { row, situation: { payment }, instruction }: CaseFacts,
  proposal: Content,
): Promise<Posting[]> {
  const { resolution } = proposal;
  if (payment === null || payment.outcome !== null) return [];
  const isPaid = resolution === 'paid';
  if (isPaid ? instruction === undefined : resolution !== 'failed') return [];
  const outcome = isPaid ? 'success' : 'failed';
  const paidCents = isPaid ? (givenCents(proposal) ?? payment.amountCents) : null;
  const report = reportOf({ row, payment, proposal }, { kind: 'settle', outcome, paidCents });
  return await readPostings(db, report);
}

function describe(of: Content): Line[] {
  const { amount_cents: cents, operator_reference: reference, message, details } = of;
  const lines: readonly Line[] = [
    { label: 'Resolution', text: of.resolution, ...(cents !== null && { cents }) },
    { label: 'Kind of case', text: of.kind },
    { label: 'Vendor', text: of.vid ?? 'our own accounts' },
    { label: 'Operator', text: of.operator ?? '' },
    { label: 'Payment', text: of.reference ?? '' },
    { label: 'Reference of the operator', text: reference ?? '' },
    { label: 'Message to the vendor', text: message ?? '' },
    ...Object.entries(details ?? {}).map(([label, value]) => ({ label, text: value })),
    { label: 'Case', text: of.caseId },
  ];
  return lines.filter((line) => line.text !== '');
}

export interface ResolutionRequest {
  readonly caseId: string;
  readonly by: Actor;
  /** `note`: the evidence. */
  readonly proposal: ProposedResolution & { readonly note: string };
}

/**
 * Proposes how to resolve a case, replacing an earlier proposal. It is planned at once, so that one that cannot be
 * carried out is refused here. Throws: `PlainError` with the problem.
 */
export async function proposeResolution(
  { pool, proposals }: { readonly pool: Pool; readonly proposals: Proposals },
  { caseId, by, proposal: { note, ...proposal } }: ResolutionRequest,
): Promise<ProposalRow> {
  const facts = requireOpen(await readCase(pool, caseId, { lock: false }));
  const { row, situation, instruction } = facts;
  const of = {
    ...{ caseId, kind: row.kind, vendorId: row.vendorId, vid: row.vid, operator: row.operatorCode },
    ...{ reference: referenceOf(row), ...proposal, caseHash: hashOf(row) },
    effect: effectOf(planResolution(situation, proposal)),
    sentAt: instruction?.sentAt ?? null,
  };
  return await proposals.propose({ kind: CASE_RESOLUTION, content: of, by, note });
}

function requireOpen<Found extends CaseFacts>(facts: Found | undefined): Found {
  if (facts === undefined) throw new PlainError('This case does not exist.');
  const { resolvedAt, resolution, resolvedBy } = facts.row;
  if (resolvedAt === null) return facts;
  throw new PlainError(`The case is resolved (${resolution}, by ${resolvedBy}).`);
}

/** SHA-256 of what a case is about and of its facts, hexadecimal. */
function hashOf({ vendorId, caseId, paymentId, kind: of, evidenceId, facts }: CaseRow): string {
  return hash('sha256', jsonText([vendorId, caseId, paymentId, of, evidenceId, facts]));
}

/** Throws: `PlainError` if it would not do, or not only, what it would have done when it was proposed. */
function planOf(found: Facts | undefined, of: Content): Resolved {
  const facts = requireOpen(found);
  if (hashOf(facts.row) !== of.caseHash) {
    throw new PlainError(
      'The case has other facts than when this was proposed. Look at it again, and propose it again.',
      { field: 'proposal' },
    );
  }
  const plan = planResolution(facts.situation, of);
  requireSameEffect(of.effect, effectOf(plan));
  if (plan.kind === 'settle') requireSameInstruction(facts, of.sentAt);
  if (plan.kind !== 'nothing') requireNotPosted(facts);
  return { facts, of, plan };
}

function requireSameEffect(proposed: readonly string[], now: readonly string[]): void {
  if (now.join('\n') === proposed.join('\n')) return;
  throw new PlainError(
    `The books have changed since the proposal, which was: ${proposed.join('; ')}. Now it would be: ${now.join('; ')}. Propose it again.`,
    { field: 'proposal' },
  );
}
