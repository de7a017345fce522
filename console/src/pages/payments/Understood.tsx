import { Trans, useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { PaymentsFound } from '../../../../src/staff/payments.ts';
import { readableMoney } from '../../format/money.ts';
import { toPayments, withoutPage } from './filter.ts';
import type { PaymentFilter } from './filter.ts';
import styles from './Payments.module.css';

/** How the search text was understood, and a way to search for it as plain text. */
export function Understood({
  parts,
  filter,
}: {
  readonly parts: PaymentsFound['understood'];
  readonly filter: PaymentFilter;
}) {
  const { t } = useLingui();
  if (parts.length === 0) return null;
  const text = ({ kind, value }: (typeof parts)[number]): string => {
    switch (kind) {
      case 'reference':
        return t`the payment with this reference`;
      case 'phone':
        return t`phone or account ${value}`;
      case 'vendor':
        return t`vendor ${value}`;
      case 'amount':
        return t`amount KES ${readableMoney(value)}`;
      case 'day':
        return t`created on ${value}`;
      case 'text':
        return t`account or reference ${value}`;
    }
  };
  const isGuess = parts.some(({ kind }) => !['reference', 'text', 'phone'].includes(kind));
  const { search = '', as: _, ...others } = withoutPage(filter);
  return (
    <p className={styles['understood']} role="status">
      <span>
        <Trans>Searching for</Trans>
      </span>
      {parts.map((part) => (
        <span key={`${part.kind} ${part.value}`} className={styles['part']}>
          {text(part)}
        </span>
      ))}
      {isGuess && (
        <Link {...toPayments({ ...others, search, as: 'text' })} className={styles['plain']}>
          <Trans>Search for the text itself</Trans>
        </Link>
      )}
      <Link {...toPayments(others)} className={styles['plain']}>
        <Trans>Clear the search</Trans>
      </Link>
    </p>
  );
}
