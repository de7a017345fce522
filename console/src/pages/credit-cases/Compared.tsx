import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type {
  CreditCaseAnswer,
  CreditProposalAnswer,
} from '../../../../src/console/credit-answers.ts';
import { Pill } from '../../design/Pill.tsx';
import { Table } from '../../design/Table.tsx';
import { useNames } from '../credit/credit-texts.ts';
import { DOCUMENTS } from './decision-texts.ts';

type Person = CreditCaseAnswer['people'][number];
type Standing = Person['standing'];

/** People next to each other, with what a lender would learn about each, and about them as one. */
export function Compared({
  label,
  people,
  together,
}: {
  readonly label: string;
  readonly people: readonly Person[];
  readonly together?: NonNullable<CreditProposalAnswer['merge']>['together'];
}) {
  const { t } = useLingui();
  const of = (show: (person: Person) => ReactNode) => people.map(show);
  const figure = (show: (standing: Standing) => ReactNode): readonly ReactNode[] => [
    ...people.map(({ standing }) => show(standing)),
    ...(together === undefined ? [] : [show(together)]),
  ];
  const rows: readonly { readonly name: string; readonly cells: readonly ReactNode[] }[] = [
    { name: t`Name`, cells: of(({ name }) => name) },
    { name: t`Also known as`, cells: of(({ otherNames }) => otherNames.join(', ')) },
    { name: t`Born on`, cells: of(({ dateOfBirth }) => dateOfBirth) },
    { name: t`Documents`, cells: of((person) => <Documents of={person} />) },
    { name: t`Accounts`, cells: figure(({ accounts }) => accounts) },
    { name: t`Accounts in default`, cells: figure(({ inDefault }) => inDefault) },
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

function Documents({ of: { documents } }: { readonly of: Person }) {
  const names = useNames(DOCUMENTS);
  return documents.map(({ type, ending, isShared }) => (
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

export function ScoreOf({ standing: { score, grade } }: { readonly standing: Standing }) {
  return score === '' ? <Trans>none</Trans> : `${score} ${grade}`;
}
