/** A change of what somebody owes us. */
export interface DebtMovement {
  /** The correction that posted it. */
  readonly correctionId: string;
  readonly at: Date;
  /** Above zero: more is owed. */
  readonly amountCents: bigint;
  /** The correction whose debt it repays; null: not said. */
  readonly repays: string | null;
  /** The payment that it is about; null: none, or not known. */
  readonly paymentId: string | null;
}

/** A debt, and what is left of it. */
export interface OpenDebt<Movement extends DebtMovement> {
  readonly movement: Movement;
  readonly leftCents: bigint;
}

/**
 * Returns the rest of each debt of one debtor. A repayment pays the debt that it names, then those of
 * the same payment, and then the oldest ones. Pure.
 * @param movements oldest first.
 */
export function openDebts<Movement extends DebtMovement>(
  movements: readonly Movement[],
): OpenDebt<Movement>[] {
  const debts: { movement: Movement; leftCents: bigint }[] = [];
  for (const movement of movements) {
    if (movement.amountCents > 0n) {
      debts.push({ movement, leftCents: movement.amountCents });
      continue;
    }
    let paidCents = -movement.amountCents;
    const { repays, paymentId } = movement;
    const named = debts.filter((debt) => debt.movement.correctionId === repays);
    const ofPayment = debts.filter(
      (debt) => paymentId !== null && debt.movement.paymentId === paymentId,
    );
    for (const debt of [...named, ...ofPayment, ...debts]) {
      const takenCents = paidCents < debt.leftCents ? paidCents : debt.leftCents;
      debt.leftCents -= takenCents;
      paidCents -= takenCents;
    }
  }
  return debts.filter(({ leftCents }) => leftCents > 0n);
}
