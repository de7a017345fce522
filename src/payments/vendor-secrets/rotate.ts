import { rotateOwnKey } from '../../parties/administer.ts';
import type { Sealing } from '../../parties/administer.ts';
import { requireSameMasterKey } from '../../parties/keys.ts';
import { listKeysOf } from '../../parties/read-keys.ts';
import type { VendorRow } from '../../parties/read-vendors.ts';
import { Refusal } from '../../platform/base/errors.ts';
import { isSamePerson } from '../../platform/base/person.ts';
import type { Pool } from '../../platform/db/pool.ts';
import type { Actor } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { rotateOwnSecret } from '../events/administer.ts';
import { replacedMeanwhile, VENDOR_SECRET } from './vendor-secret.ts';
import type { SecretContent, SecretOf } from './vendor-secret.ts';

export interface SecretRequest {
  readonly vendor: Pick<VendorRow, 'vendorId' | 'vid'>;
  readonly of: SecretOf;
  readonly overlapSeconds: number;
  readonly by: Actor;
  /** Why. */
  readonly note: string;
}

/** A new secret in plain text, or the proposal that waits for another person. */
export interface StaffRotation {
  readonly row: ProposalRow;
  /** Undefined: it waits. */
  readonly secret: string | undefined;
  readonly overlapSeconds: number;
}

interface Deps {
  readonly pool: Pool;
  readonly proposals: Proposals;
}

/** The secret can be created for this long after the approval. */
const PERMITTED_MS = 86_400_000;
/** More proposals about one vendor within a day do not count. */
const MAX_READ = 50;

/**
 * Creates a vendor's new secret for a member of staff whose proposal was approved, or who is alone; otherwise
 * proposes it. Throws: `PlainError` with the problem.
 */
export async function rotateAsStaff(
  deps: Deps,
  request: SecretRequest,
  sealing: Sealing,
): Promise<StaffRotation> {
  const { pool, proposals } = deps;
  const { vendor, of, overlapSeconds, by, note } = request;
  // Nobody is asked to approve what cannot be created.
  await requireSameMasterKey(pool, sealing.masterKeys, sealing.certain);
  const [current] = await listKeysOf(pool, { holderKind: of, holder: vendor.vid });
  const replaces = current?.keyId ?? null;
  const permitted = await findPermitted(deps, request, replaces);
  if (permitted !== undefined) {
    // A program gets no secret, so the one that was approved waits for its owner.
    const isProgram = by.program !== undefined;
    if (isProgram) return { row: permitted, secret: undefined, overlapSeconds };
    return await create(deps, permitted, by, sealing);
  }
  const { vendorId, vid } = vendor;
  const content = { vendorId, vid, of, replaces, overlapSeconds };
  const row = await proposals.propose({ kind: VENDOR_SECRET, content, by, note });
  if (row.decision === 'approved') return await create(deps, row, by, sealing);
  return { row, secret: undefined, overlapSeconds };
}

/** The person's approved proposal that nobody has used. */
async function findPermitted(
  { pool, proposals }: Deps,
  { vendor: { vendorId }, of, by }: SecretRequest,
  currentId: string | null,
): Promise<ProposalRow | undefined> {
  const filter = { open: false, kinds: [VENDOR_SECRET], vendorId, limit: MAX_READ };
  const since = Date.now() - PERMITTED_MS;
  const found = (await proposals.list(filter)).find((row) => {
    const content = contentOf(row);
    const isOfNow = content.of === of && content.replaces === currentId;
    const isInTime = row.decision === 'approved' && Number(row.decidedAt) > since;
    return isOfNow && isInTime && row.isAlone === false && isProposer(row, by);
  });
  return found && (await proposals.requireApproved(pool, found.proposalId, VENDOR_SECRET));
}

function isProposer({ proposerId, proposedBy }: ProposalRow, by: Actor): boolean {
  if (proposerId !== null || by.personId !== null) return proposerId === by.personId;
  return isSamePerson(proposedBy, by.name);
}

async function create(
  { pool, proposals }: Deps,
  row: ProposalRow,
  by: Actor,
  sealing: Sealing,
): Promise<StaffRotation> {
  await proposals.requireMayPropose(pool, by, row);
  const { vendorId, vid, of, replaces, overlapSeconds } = contentOf(row);
  // Once for each proposal.
  const idempotencyKey = `proposal ${row.proposalId}`;
  const request = { idempotencyKey, overlapSeconds, signedWith: replaces };
  try {
    const { secret } =
      of === 'vendor'
        ? await rotateOwnKey(pool, vid, request, sealing)
        : await rotateOwnSecret(pool, { vendorId, vid }, request, sealing);
    return { row, secret, overlapSeconds };
  } catch (error) {
    if (error instanceof Refusal && error.code === 'changed_meanwhile')
      throw replacedMeanwhile(vid);
    throw error;
  }
}

const contentOf = (row: ProposalRow): SecretContent => row.content as SecretContent;
