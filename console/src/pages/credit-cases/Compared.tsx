import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { PersonView, StandingView } from '../../../../src/staff/credit-schema.ts';
import { Pill } from '../../design/Pill.tsx';
import { Table } from '../../design/Table.tsx';
import { useNames } from '../credit/credit-texts.ts';
import { DOCUMENTS } from './decision-texts.ts';

/** People next to each other, with what a lender would learn about each, and about them as one. */
export function Compared({
  label,
  people,
  together,
}: {
  readonly label: string;
  readonly people: readonly PersonView[];
  readonly together?: StandingView;
}) {
  const { t } = useLingui();
  const of = (show: (person: PersonView) => ReactNode) => people.map(show);
  const figure = (show: (standing: StandingView) => ReactNode): readonly ReactNode[] => [
    ...people.map(({ standing }) => show(standing)),
    ...(together === undefined ? [] : [show(together)]),
  ];
  const rows: readonly { readonly name: string; readonly cells: readonly ReactNode[] }[] = [
    { name: t`Name`, cells: of(({ name }) => name) },
    { name: t`Also known as`, cells: of((person) => person.other_names.join(', ')) },
    { name: t`Born on`, cells: of((person) => person.date_of_birth) },
    { name: t`Documents`, cells: of((person) => <Documents of={person} />) },
    { name: t`Accounts`, cells: figure(({ accounts }) => accounts) },
    { name: t`Accounts in default`, cells: figure((standing) => standing.in_default) },
    { name: t`Accounts under dispute`, cells: figure(({ disputed }) => disputed) },
    { name: t`Score`, cells: figure((standing) => <ScoreOf standing={standing} />) },
  ];
  return (
    <Table
      label={label}
      rows={rows}
      keyOf={({ name }) => name}
      empty={t`Nobody of this case is on file any more.`}
      columns={[
        { title: '', cell: ({ name }) => <b>{name}</b> },
        ...people.map(({ crn }, index) => ({
          title: crn,
          cell: ({ cells }: (typeof rows)[number]) => cells[index],
        })),
        ...(together === undefined
          ? []
          : [
              {
                title: <Trans>As one person</Trans>,
                cell: ({ cells }: (typeof rows)[number]) => cells[people.length],
              },
            ]),
      ]}
    />
  );
}

function Documents({ of: { documents } }: { readonly of: PersonView }) {
  const names = useNames(DOCUMENTS);
  return documents.map(({ type, ending, is_shared: isShared }) => (
    <div key={`${type} ${ending}`}>
      {names[type]} …{ending}{' '}
      {isShared && (
        <Pill tone="waiting">
          <Trans>same</Trans>
        </Pill>
      )}
    </div>
  ));
}

export function ScoreOf({ standing: { score, grade } }: { readonly standing: StandingView }) {
  return score === '' ? <Trans>none</Trans> : `${score} ${grade}`;
}
