import { createWireTime } from '../../src/platform/base/clock.ts';
import { createProposals } from '../../src/proposal-kinds.ts';
import type { ProposalOptions } from '../../src/proposal-kinds.ts';
import { SEALING } from './production-pair.ts';
import type { Proposals } from '../../src/proposals/proposals.ts';

export type BooksOfPeople = Pick<ProposalOptions, 'pool' | 'ledgerMac'>;

const wireTime = createWireTime('Africa/Nairobi');

/** Proposals of every kind, without a log. */
export function quietProposals({
  pool,
  ledgerMac,
  masterKeys = SEALING.masterKeys,
}: BooksOfPeople & Pick<ProposalOptions, 'masterKeys'>): Proposals {
  return createProposals({ pool, ledgerMac, wireTime, masterKeys });
}
