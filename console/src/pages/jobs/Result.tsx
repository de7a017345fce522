import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react';
import { Trans, useLingui as useTexts } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Card } from '../../design/Card.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Table } from '../../design/Table.tsx';
import { useFigures } from '../../format/figures.ts';
import { Time } from '../../format/Time.tsx';

/** The figures of results, as people call them; others, such as hashes, are for programs. */
const FIGURES: Readonly<Record<string, MessageDescriptor>> = {
  violations: msg`Violations`,
  authenticated: msg`Authentication codes are checked`,
  vendors: msg`Vendors`,
  transfers: msg`Transfers`,
  payments: msg`Payments`,
  open: msg`Payments without a result`,
  archived: msg`Archived payments`,
  cases: msg`Cases`,
  blocks: msg`Blocks of the chain`,
  ended_at: msg`The chain reaches to`,
  enquiries: msg`Enquiries`,
  erased: msg`Erased by retention`,
  files: msg`Files`,
  folder: msg`Folder`,
  records: msg`Records`,
  rejected: msg`Refused`,
  accounts_added: msg`New accounts`,
  states_added: msg`States of accounts added`,
  corrected: msg`Corrected`,
  unchanged: msg`Unchanged`,
  subjects: msg`People`,
  accounts: msg`Accounts`,
  disputes: msg`Disputes`,
  answers: msg`Answers`,
  batches: msg`Batches`,
};

/** What a check found, where. */
interface Violation {
  readonly vid: string | null;
  readonly sequence?: number;
  readonly detail?: string;
  readonly what?: string;
}

/** What a job answered: its figures, and the violations that a check found. */
export function Result({ result }: { readonly result: object }) {
  const { i18n } = useLingui();
  const { t } = useTexts();
  const {
    counted,
    found = [],
    ...figures
  } = result as {
    readonly counted?: object;
    readonly found?: readonly Violation[];
  };
  const shown = Object.entries({ ...figures, ...counted }).flatMap(([name, value]) => {
    const title = FIGURES[name];
    return title === undefined ? [] : [{ name: i18n._(title), value: <Figure value={value} /> }];
  });
  return (
    <>
      <Card title={<Trans>Result</Trans>}>
        <Facts facts={shown} />
      </Card>
      {found.length > 0 && (
        <Card title={<Trans>Violations</Trans>}>
          <Table
            label={t`Violations`}
            rows={found.map((each, index) => ({ ...each, key: String(index) }))}
            keyOf={({ key }) => key}
            empty=""
            columns={[
              { title: t`Vendor`, cell: ({ vid }) => vid ?? '–' },
              { title: t`What`, cell: ({ detail, what }) => detail ?? what },
            ]}
          />
        </Card>
      )}
    </>
  );
}

function Figure({ value }: { readonly value: unknown }): ReactNode {
  const { t } = useTexts();
  const { count } = useFigures();
  if (typeof value === 'number') return count(value);
  if (typeof value === 'boolean') return value ? t`yes` : t`no`;
  if (typeof value !== 'string') return '–';
  return /^\d{4}-\d\d-\d\dT/.test(value) ? <Time at={value} /> : value;
}
