import { Trans } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import type { CaseView } from '../../../../src/staff/case-schema.ts';
import type { PaymentsFound } from '../../../../src/staff/payments.ts';
import { send } from '../../api/client.ts';
import { Card } from '../../design/Card.tsx';
import { CaseList } from '../cases/Cases.tsx';

/** Cases about payments that an operator reports and the ledger does not have; nothing if there are none. */
export function LostCases({ cases }: { readonly cases: readonly CaseView[] }) {
  if (cases.length === 0) return null;
  return (
    <Card title={<Trans>Only an operator reports it: people decide</Trans>}>
      <CaseList cases={cases} />
    </Card>
  );
}

/** The same for a reference that stands for no payment in the ledger. */
export function LostPayment({ reference }: { readonly reference: string }) {
  const { data } = useQuery({
    queryKey: ['lost', reference],
    queryFn: ({ signal }) =>
      send<PaymentsFound>('POST', '/payments/search', { search: reference }, signal),
  });
  return <LostCases cases={data?.lost ?? []} />;
}
