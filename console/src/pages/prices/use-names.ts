import { useQuery } from '@tanstack/react-query';
import type { BillerList } from '../../../../src/staff/billers.ts';
import type { OperatorList } from '../../../../src/staff/operators.ts';
import { get } from '../../api/client.ts';

type Names = Readonly<Record<string, string>>;

/** The names of billers and operators by their codes. */
export function useNames(): { readonly billers: Names; readonly operators: Names } {
  const { data: billers } = useQuery({
    queryKey: ['billers'],
    queryFn: ({ signal }) => get<BillerList>('/billers', {}, signal),
  });
  const { data: operators } = useQuery({
    queryKey: ['operators'],
    queryFn: ({ signal }) => get<OperatorList>('/operators', {}, signal),
  });
  return {
    billers: Object.fromEntries(billers?.billers.map((row) => [row.biller, row.name]) ?? []),
    operators: Object.fromEntries(
      operators?.operators.map((row) => [row.operator, row.name]) ?? [],
    ),
  };
}
