import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { ListedPayment } from '../../../../src/staff/payment-schema.ts';
import { useSession } from '../../app/session.ts';
import { Status } from '../../design/Status.tsx';
import type { Column } from '../../design/Table.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import styles from './Payments.module.css';

type PaymentColumn = keyof ListedPayment;

/** In the order in which they are shown. */
export const COLUMN_TITLES: Readonly<Record<PaymentColumn, MessageDescriptor>> = {
  created_at: msg`Created`,
  reference: msg`Reference`,
  merchant_reference: msg`Vendor’s reference`,
  vid: msg`Vendor`,
  biller: msg`Biller`,
  operator: msg`Operator`,
  account: msg`Account`,
  phone: msg`Phone`,
  amount: msg`KES`,
  fee: msg`Fee`,
  status: msg`Status`,
  settled_at: msg`Final since`,
};
const COLUMNS = Object.keys(COLUMN_TITLES) as readonly PaymentColumn[];

/** The link to the payment, so it is always shown. */
export const FIXED_COLUMN: PaymentColumn = 'account';

const USUAL: readonly PaymentColumn[] = [
  'created_at',
  'vid',
  'biller',
  'account',
  'amount',
  'status',
];
const NARROW: ReadonlySet<PaymentColumn> = new Set(['created_at', 'account', 'amount', 'status']);
const AMOUNTS: ReadonlySet<PaymentColumn> = new Set(['amount', 'fee']);
const STORED = 'malipo.payments.shown';

/** The columns that the person chose on this device. */
export function useChosenColumns(): {
  readonly available: readonly PaymentColumn[];
  readonly chosen: readonly PaymentColumn[];
  readonly choose: (column: PaymentColumn, isShown: boolean) => void;
} {
  const isStaff = useSession().person.vid === null;
  const available = COLUMNS.filter((column) => isStaff || column !== 'vid');
  const [chosen, setChosen] = useState(readStored);
  return {
    available,
    chosen: available.filter((column) => chosen.includes(column)),
    choose: (column, isShown) => {
      const others = chosen.filter((each) => each !== column);
      const next = isShown ? [...others, column] : others;
      setChosen(next);
      localStorage.setItem(STORED, next.join(','));
    },
  };
}

function readStored(): readonly PaymentColumn[] {
  const names = localStorage.getItem(STORED)?.split(',');
  if (names === undefined) return USUAL;
  return COLUMNS.filter((column) => column === FIXED_COLUMN || names.includes(column));
}

/** The columns for the table. */
export function usePaymentColumns(
  chosen: readonly PaymentColumn[],
): readonly Column<ListedPayment>[] {
  const { _ } = useLingui();
  return chosen.map((column) => ({
    title: _(COLUMN_TITLES[column]),
    cell: (payment) => cellOf(payment, column),
    ...(AMOUNTS.has(column) ? { align: 'end' as const } : {}),
    ...(NARROW.has(column) ? {} : { hide: 'small' as const }),
  }));
}

function cellOf(payment: ListedPayment, column: PaymentColumn): ReactNode {
  switch (column) {
    case 'created_at':
      return <Time at={payment.created_at} />;
    case 'settled_at':
      return payment.settled_at === null ? '' : <Time at={payment.settled_at} />;
    case 'status':
      return <Status status={payment.status} />;
    case 'amount':
    case 'fee':
      return <Money amount={payment[column]} />;
    case 'account':
      return (
        <>
          <Link to="/payments/$reference" params={{ reference: payment.reference }}>
            {payment.account}
          </Link>
          <span className={styles['under']}>{payment.biller}</span>
        </>
      );
    case 'reference':
      return <code className={styles['reference']}>{payment.reference}</code>;
    default:
      return payment[column] ?? '';
  }
}
