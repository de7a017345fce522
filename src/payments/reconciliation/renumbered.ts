import type { KnownMovement } from './store.ts';
import type { StatementMovement } from '../../connectors/operator-statements.ts';

/** A top-up or a charge that an earlier statement listed. */
export interface FormerMovement extends KnownMovement {
  readonly at: Date;
}

/**
 * Top-ups and charges that earlier statements listed under other references: those that this one lists at the same
 * moment with the same amount, while it does not list the former reference. The operator, or whoever makes the file,
 * takes the reference from another field than before. Payments need no such rule: another one of the same payment opens
 * a case. Each former movement is used once, because charges of one amount recur. If the statement lists the former
 * reference as well, the new one is another movement. Pure.
 * @param fresh of this statement, with references that no earlier one had.
 * @param listed the references of this statement, by `keyOf`.
 */
export function findRenumbered(
  fresh: readonly StatementMovement[],
  former: readonly FormerMovement[],
  { listed, keyOf }: { readonly listed: ReadonlySet<string>; readonly keyOf: KeyOf },
): Map<StatementMovement, KnownMovement> {
  const free = Map.groupBy(
    former.filter((movement) => !listed.has(keyOf(movement))),
    contentOf,
  );
  const renumbered = new Map<StatementMovement, KnownMovement>();
  for (const movement of fresh) {
    const before = free.get(contentOf(movement))?.shift();
    if (before !== undefined) renumbered.set(movement, before);
  }
  return renumbered;
}

type KeyOf = (movement: Pick<KnownMovement, 'kind' | 'operatorReference'>) => string;

function contentOf({
  kind,
  amountCents,
  at,
}: Pick<FormerMovement, 'kind' | 'amountCents' | 'at'>): string {
  return `${kind} ${amountCents} ${Number(at)}`;
}
