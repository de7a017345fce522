import { useLingui } from '@lingui/react/macro';
import type { ImportFinding } from '../../../../src/staff/credit-imports.ts';
import { Table } from '../../design/Table.tsx';
import { useFigures } from '../../format/figures.ts';

/** What is wrong with lines of a file. A finding never repeats what the line says. */
export function Findings({ findings }: { readonly findings: readonly ImportFinding[] }) {
  const { t } = useLingui();
  const { count } = useFigures();
  return (
    <Table
      label={t`Findings`}
      rows={findings}
      keyOf={({ line, field, rule }) => `${line} ${field} ${rule}`}
      empty={t`Nothing is wrong with this file.`}
      columns={[
        { title: t`Line`, cell: ({ line }) => count(line), align: 'end' },
        { title: t`Field`, cell: ({ field }) => (field === '' ? t`whole line` : field) },
        { title: t`Rule`, cell: ({ rule }) => <code>{rule}</code>, hide: 'small' },
        { title: t`What is expected`, cell: ({ text }) => text },
      ]}
    />
  );
}
