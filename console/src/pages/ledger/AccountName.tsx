import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AccountView } from '../../../../src/staff/house.ts';
import type { BookFilter } from '../../app/finance-routes.ts';

type Account = Pick<AccountView, 'books' | 'account'>;

/** A line of a report with the accounts that it is the sum of, each linked; one that is an account is linked itself. */
export function AccountName<Part extends Account>({
  line: { account, parts },
  filter,
  children,
  figure,
}: {
  readonly line: { readonly account: string; readonly parts: readonly Part[] };
  readonly filter: BookFilter;
  /** What is known of the line. */
  readonly children: ReactNode;
  /** What stands beside a part. */
  readonly figure?: (part: Part) => ReactNode;
}) {
  const [first] = parts;
  if (parts.length === 1 && first?.account === account) {
    return (
      <>
        <AccountLink account={first} filter={filter} />
        <small>{children}</small>
      </>
    );
  }
  return (
    <>
      {account}
      <small>{children}</small>
      {parts.map((part) => (
        <small key={`${part.books} ${part.account}`}>
          <AccountLink account={part} filter={filter} /> {figure?.(part)}
        </small>
      ))}
    </>
  );
}

function AccountLink({
  account: { books, account },
  filter,
}: {
  readonly account: Account;
  readonly filter: BookFilter;
}) {
  return (
    <Link to="/ledger/$books/$account" params={{ books, account }} search={filter}>
      {account}
    </Link>
  );
}
