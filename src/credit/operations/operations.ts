import type { AnyOperation } from '../../platform/http/operation.ts';
import type { ScoringDeps } from './enquiry.ts';
import { genericScore } from './generic-score.ts';
import { idDecision } from './id-decision.ts';
import { mobileLoanScore } from './mobile-loan-score.ts';

/** The operations of the credit wing. */
export function scoringOperations(deps: ScoringDeps): AnyOperation[] {
  return [idDecision(deps), genericScore(deps), mobileLoanScore(deps)];
}
