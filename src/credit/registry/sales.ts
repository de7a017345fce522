import type { AccountState, CreditAccount } from '../facts.ts';

/** A debt that was sold, by the numbers of both lenders' accounts. */
export interface Sale {
  readonly from: bigint;
  readonly into: bigint;
  readonly soldOn: Date;
}

/**
 * The accounts of a file, each sold debt once: under its present holder, with its terms and history
 * from the beginning. A sale whose two accounts are not both in the file changes nothing: the debt
 * must not disappear because its buyer has not submitted it yet.
 */
export function joinSales(
  accounts: ReadonlyMap<bigint, CreditAccount>,
  sales: readonly Sale[],
): CreditAccount[] {
  const joined = new Map(accounts);
  // A debt may be sold again: each sale of a debt is later than the one before.
  for (const sale of sales.toSorted((a, b) => a.soldOn.getTime() - b.soldOn.getTime())) {
    const [seller, buyer] = [joined.get(sale.from), joined.get(sale.into)];
    if (seller === undefined || buyer === undefined) continue;
    const whole = joinTwo(seller, buyer, sale.soldOn);
    if (whole === undefined) continue;
    joined.delete(sale.from);
    joined.set(sale.into, whole);
  }
  return [...joined.values()];
}

/** Undefined if the buyer has submitted nothing since the sale. */
function joinTwo(
  seller: CreditAccount,
  buyer: CreditAccount,
  soldOn: Date,
): CreditAccount | undefined {
  const sinceSale = statesOf(buyer).filter(({ asOf }) => asOf >= soldOn);
  const [first] = sinceSale;
  const current = sinceSale.at(-1);
  if (first === undefined || current === undefined) return undefined;
  // What the seller submits after the sale counts until the buyer's first submission, so that a sale
  // with an early date hides nothing. That the seller closes its account is no repayment.
  const before = statesOf(seller).filter(
    ({ asOf, status }) =>
      asOf < first.asOf && !(asOf >= soldOn && (status === 'A' || status === 'H')),
  );
  const { product, openedOn, originalCents, repaymentMonths } = seller;
  return {
    ...buyer,
    ...{ product, openedOn, repaymentMonths },
    originalCents: originalCents > 0n ? originalCents : buyer.originalCents,
    current,
    history: [...before, ...sinceSale.slice(0, -1)],
    disputed: seller.disputed || buyer.disputed,
    soldOn: [...(seller.soldOn ?? []), soldOn],
    boughtFrom: [...(seller.boughtFrom ?? []), seller.key],
  };
}

function statesOf({ history, current }: CreditAccount): AccountState[] {
  return [...history, current];
}
