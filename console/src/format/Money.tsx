import { readableMoney } from './money.ts';

/** An amount in KES. */
export function Money({ amount, currency = false }: { amount: string; currency?: boolean }) {
  return (
    <span>
      {currency && 'KES '}
      {readableMoney(amount)}
    </span>
  );
}
