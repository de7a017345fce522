import { useLingui } from '@lingui/react/macro';
import { useRouter } from '@tanstack/react-router';
import { Search } from 'lucide-react';
import type { SubmitEvent } from 'react';
import { toPayments } from '../pages/payments/filter.ts';
import { SEARCH_BOX_ID } from './shortcuts.ts';
import styles from './SearchBox.module.css';

/** Finds payments by any of their details. */
export function SearchBox() {
  const { t } = useLingui();
  const router = useRouter();
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const search = new FormData(event.currentTarget).get('search');
    const isGiven = typeof search === 'string' && search !== '';
    void router.navigate(toPayments(isGiven ? { search } : {}));
  };
  return (
    <form role="search" className={styles['search']} onSubmit={submit}>
      <Search size={16} aria-hidden="true" />
      <input
        id={SEARCH_BOX_ID}
        name="search"
        type="search"
        aria-label={t`Search payments`}
        aria-keyshortcuts="/"
        placeholder={t`Reference, phone, account, vendor, amount or day`}
      />
      <kbd>/</kbd>
    </form>
  );
}
