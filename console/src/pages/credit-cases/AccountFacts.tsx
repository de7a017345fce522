import { Trans, useLingui } from '@lingui/react/macro';
import type {
  AccountPreview,
  DisputePreview,
  StandingView,
} from '../../../../src/staff/credit-schema.ts';
import { Card } from '../../design/Card.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Table } from '../../design/Table.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import { ACCOUNT_TYPES, useNames } from '../credit/credit-texts.ts';
import { ScoreOf } from './Compared.tsx';

/** An account, and what lenders see before and after a decision about it. */
export function AccountFacts({
  preview,
  dispute,
}: {
  readonly preview: AccountPreview;
  /** Undefined: it is not about a dispute. */
  readonly dispute?: DisputePreview;
}) {
  const { t } = useLingui();
  const products = useNames(ACCOUNT_TYPES);
  const states = [
    {
      name: dispute === undefined ? t`Now` : t`While it is disputed`,
      standing: preview.before,
    },
    { name: t`Afterwards`, standing: preview.after },
  ];
  return (
    <>
      <Card title={<Trans>Account</Trans>}>
        <Facts
          facts={[
            { name: t`Customer`, value: preview.crn },
            { name: t`Lender`, value: preview.lender },
            { name: t`Type`, value: products[preview.product] ?? preview.product },
            { name: t`Balance`, value: <Money amount={preview.balance} currency /> },
            { name: t`Overdue`, value: <Money amount={preview.overdue} currency /> },
            { name: t`Days in arrears`, value: preview.days_in_arrears },
            { name: t`Disputed since`, value: dispute && <Time at={dispute.opened_at} /> },
            { name: t`In the customer’s words`, value: dispute?.statement },
          ]}
        />
      </Card>
      <WhatLendersSee states={states} />
    </>
  );
}

function WhatLendersSee({
  states,
}: {
  readonly states: readonly {
    readonly name: string;
    readonly standing: StandingView;
  }[];
}) {
  const { t } = useLingui();
  return (
    <Card title={<Trans>What lenders see</Trans>}>
      <Table
        label={t`What lenders see`}
        rows={states}
        keyOf={({ name }) => name}
        empty=""
        columns={[
          { title: '', cell: ({ name }) => <b>{name}</b> },
          { title: t`Accounts`, cell: ({ standing }) => standing.accounts, align: 'end' },
          {
            title: t`In default`,
            cell: ({ standing }) => standing.in_default,
            align: 'end',
          },
          {
            title: t`Under dispute`,
            cell: ({ standing }) => standing.disputed,
            align: 'end',
          },
          {
            title: t`Score`,
            cell: ({ standing }) => <ScoreOf standing={standing} />,
            align: 'end',
          },
        ]}
      />
    </Card>
  );
}
