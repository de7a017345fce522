import type { StatementMovement } from '../../connectors/operator-statements.ts';

/** The effect of a movement on our float with the operator, in cents. */
export function effectCents(movement: Pick<StatementMovement, 'kind' | 'amountCents'>): bigint {
  return movement.kind === 'payment' || movement.kind === 'charge'
    ? -movement.amountCents
    : movement.amountCents;
}
