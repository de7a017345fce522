import type { CaseRow } from '../cases/read-cases.ts';
import type { Instruction } from '../dispatch/recall-store.ts';
import type { Situation } from './resolutions.ts';

/** Everything that the resolution of a case depends on. */
export interface CaseFacts {
  readonly row: CaseRow;
  readonly situation: Situation;
  /** The instruction of the open payment that is in progress. */
  readonly instruction: Instruction | undefined;
  /** It has posted a correction. */
  readonly isCorrected: boolean;
  /** Another case about the same money that was resolved by a change. */
  readonly decidedBefore: Pick<CaseRow, 'caseId' | 'resolution'> | undefined;
}
