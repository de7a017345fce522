import type { AccountState, AccountStatus, CreditAccount, CreditFile } from '../facts.ts';
import { isNonPerforming } from '../scorecards/standing.ts';

const SETTLED: ReadonlySet<AccountStatus> = new Set(['A', 'H']);
/** Settled or written off: the retention counts from the first day of this. */
const CONCLUDED: ReadonlySet<AccountStatus> = new Set([...SETTLED, 'C']);
/**
 * States that follow a write-off without being a new beginning: legal action, collection, called up;
 * suspended, deceased, not updated, disputed.
 */
const PURSUED: ReadonlySet<AccountStatus> = new Set([
  ...CONCLUDED,
  ...(['D', 'E', 'J'] as const),
  ...(['K', 'L', 'N', 'P'] as const),
]);
/** In its last two fifths of the retention an account fades: two years of five. */
const FADING_SHARE = 0.4;
const WHOLE_PERMILLE = 1_000;

/**
 * The file without what is past retention. An account is kept until so long after it was settled,
 * written off or sold in default, however often it is submitted after that, or after its newest state
 * if its lender fell silent. Before that it counts less and less in the subject's favour, so that a score does not
 * fall in one day without an event. Earlier states of an account that is kept are kept as long.
 * @param keptFrom the first day that is not past retention.
 */
export function applyRetention(file: CreditFile, keptFrom: Date): CreditFile {
  const keptOf = (account: CreditAccount): CreditAccount[] => {
    const keptMs = endOf(account).getTime() - keptFrom.getTime();
    if (keptMs < 0) return [];
    const fadingMs = (file.asOf.getTime() - keptFrom.getTime()) * FADING_SHARE;
    const history = account.history.filter(({ asOf }) => asOf >= keptFrom);
    if (keptMs >= fadingMs) return [{ ...account, history }];
    const retainedPermille = Math.floor((keptMs / fadingMs) * WHOLE_PERMILLE);
    return [{ ...account, history, retainedPermille }];
  };
  const { accounts, guarantees } = file;
  return {
    ...file,
    accounts: accounts.flatMap(keptOf),
    ...(guarantees === undefined ? {} : { guarantees: guarantees.flatMap(keptOf) }),
  };
}

/** The day from which the retention of an account counts. */
function endOf(account: CreditAccount): Date {
  const { current, history, soldOn } = account;
  let end = current.asOf;
  let later = current;
  for (const state of [current, ...history.toReversed()]) {
    if (isBeginning(account, state, later)) break;
    later = state;
    // A lender may give a later date with every submission; only the first one counts.
    if (CONCLUDED.has(state.status) && state.statusOn < end) end = state.statusOn;
    const sale = soldOn?.find((day) => day > state.asOf);
    if (sale !== undefined && sale < end) end = sale;
  }
  return end;
}

/**
 * True if the account began anew: it performs, or a settled one is used again. A debt that a lender or
 * a buyer submits as an active one is no beginning as long as it is in default.
 * @param later the state after it, or the same one.
 */
function isBeginning(account: CreditAccount, state: AccountState, later: AccountState): boolean {
  if (!PURSUED.has(state.status)) return !isNonPerforming(account, state);
  return SETTLED.has(state.status) && !PURSUED.has(later.status);
}
