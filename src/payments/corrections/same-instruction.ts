import { PlainError } from '../../platform/base/plain-error.ts';
import type { CaseFacts } from './case-facts.ts';

/**
 * Requires that a payment was not sent again: the later instruction may be executed, whatever people
 * found out about the earlier one. Pure.
 * @param sentAt of the instruction that was in progress when the resolution was proposed.
 * Throws: `PlainError` if another operator has the payment than the case is about, or it was sent again since
 * the proposal.
 */
export function requireSameInstruction(
  { row, instruction }: Pick<CaseFacts, 'row' | 'instruction'>,
  sentAt: string | null,
): void {
  if (instruction === undefined) return;
  const { operatorCode } = instruction;
  if (operatorCode !== null && operatorCode !== row.operatorCode) {
    throw new PlainError(
      `The payment has been sent to ${operatorCode}, and this case is about ${row.operatorCode}. Wait for its result, or choose keep_books and open another case about the payment.`,
      { field: 'resolution' },
    );
  }
  if (instruction.sentAt === sentAt) return;
  throw new PlainError(
    `The payment has been sent again since the proposal, to ${operatorCode ?? 'an operator'}. Look at it again, and propose it again.`,
    { field: 'proposal' },
  );
}
