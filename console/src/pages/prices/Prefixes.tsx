import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { PrefixRow } from '../../../../src/staff/prefixes.ts';
import { get, send } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Field } from '../../design/Field.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Select } from '../../design/Select.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { useNames } from './use-names.ts';

const QUERY = ['prefixes'];

/** Which biller serves a phone number. */
export function Prefixes() {
  const { t } = useLingui();
  const mayAct = useMay('billers.act');
  const { billers } = useNames();
  const [asked, setAsked] = useState<PrefixRow | 'new'>();
  const list = useQuery({
    queryKey: QUERY,
    queryFn: ({ signal }) => get<{ readonly prefixes: PrefixRow[] }>('/prefixes', {}, signal),
  });
  return (
    <>
      <PageHeader
        back={
          <Link to="/billers">
            <Trans>Billers</Trans>
          </Link>
        }
        title={<Trans>Phone prefixes</Trans>}
        about={<Trans>The first digits of a number say which biller sells its airtime.</Trans>}
      >
        {mayAct && (
          <Button onClick={() => setAsked('new')}>
            <Trans>Set a prefix</Trans>
          </Button>
        )}
      </PageHeader>
      {list.isError && <Problem error={list.error} onRetry={() => void list.refetch()} />}
      <Card title={<Trans>All prefixes</Trans>}>
        {list.isPending ? (
          <Skeleton lines={10} />
        ) : (
          <Table
            label={t`Phone prefixes`}
            rows={list.data?.prefixes ?? []}
            keyOf={({ prefix }) => prefix}
            empty={t`There are no prefixes yet.`}
            columns={[
              { title: t`Prefix`, cell: ({ prefix }) => `0${prefix}` },
              {
                title: t`Biller`,
                cell: ({ biller }) => (biller === null ? t`none` : (billers[biller] ?? biller)),
              },
              {
                title: '',
                cell: (row) =>
                  mayAct && (
                    <Button onClick={() => setAsked(row)} aria-label={t`Remove 0${row.prefix}`}>
                      <Trans>Remove</Trans>
                    </Button>
                  ),
                align: 'end',
              },
            ]}
          />
        )}
      </Card>
      {asked !== undefined && <Change of={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

/** Sets a prefix, or removes one. */
function Change({ of, onClose }: { readonly of: PrefixRow | 'new'; readonly onClose: () => void }) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const { billers } = useNames();
  const isNew = of === 'new';
  return (
    <ConfirmDialog
      title={isNew ? t`Set a prefix` : t`Remove 0${of.prefix}`}
      open
      onOpenChange={onClose}
      confirm={isNew ? t`Set` : t`Remove`}
      kind={isNew ? 'primary' : 'danger'}
      done={isNew ? t`The prefix is set.` : t`The prefix is removed.`}
      onConfirm={async ({ prefix = '', ...body }) => {
        const path = isNew ? `/prefixes/${prefix.slice(1)}` : `/prefixes/${of.prefix}/remove`;
        await send('POST', path, body);
        await queries.invalidateQueries({ queryKey: QUERY });
      }}
    >
      {isNew ? (
        <>
          <Field
            label={t`Prefix`}
            hint={t`Four digits, such as 0722`}
            name="prefix"
            inputMode="numeric"
            pattern="0\d{3}"
            autoComplete="off"
            required
          />
          <Select label={t`Biller`} name="biller" options={billers} />
        </>
      ) : (
        <p>
          <Trans>Airtime for its numbers is refused from then on.</Trans>
        </p>
      )}
    </ConfirmDialog>
  );
}
