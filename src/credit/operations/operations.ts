import type { KnownNames } from '../../platform/http/wire/parameters.ts';
import type { AnyOperation } from '../../platform/http/operation.ts';
import type { BatchDeps } from './batch-progress.ts';
import { batchScoreResult } from './batch-result.ts';
import { batchScore } from './batch-score.ts';
import { batchScoreStatus } from './batch-status.ts';
import { unwatchCustomer, watchCustomer } from './watch.ts';
import type { WatchDeps } from './watch.ts';
import type { ScoringDeps } from './enquiry.ts';
import { genericScore } from './generic-score.ts';
import { idDecision } from './id-decision.ts';
import { mobileLoanScore } from './mobile-loan-score.ts';

/** The operations of the credit wing. */
export function scoringOperations(
  deps: ScoringDeps & BatchDeps & WatchDeps & { readonly knownNames: KnownNames },
): AnyOperation[] {
  return [
    idDecision(deps),
    genericScore(deps),
    mobileLoanScore(deps),
    batchScore(deps),
    batchScoreStatus(deps),
    batchScoreResult(deps),
    watchCustomer(deps),
    unwatchCustomer(deps),
  ];
}
