import { useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { ListedProposal } from '../../../../src/console/credit-answers.ts';
import { useMay } from '../../app/session.ts';
import { Table } from '../../design/Table.tsx';
import { DecisionState } from '../../format/DecisionState.tsx';
import { Time } from '../../format/Time.tsx';
import { useNames } from '../credit/credit-texts.ts';
import { PROPOSAL_KINDS } from './decision-texts.ts';

/** Proposals with their state. */
export function Proposals({ proposals }: { readonly proposals: readonly ListedProposal[] }) {
  const { t } = useLingui();
  const mayRead = useMay('credit.reports');
  const kinds = useNames(PROPOSAL_KINDS);
  return (
    <Table
      label={t`Proposals`}
      rows={proposals}
      keyOf={({ proposalId }) => proposalId}
      empty={t`Nothing has been proposed yet.`}
      columns={[
        {
          title: t`Proposal`,
          cell: ({ proposalId, kind }) =>
            mayRead ? (
              <Link to="/credit/proposals/$proposalId" params={{ proposalId }} preload={false}>
                {kinds[kind]}
              </Link>
            ) : (
              kinds[kind]
            ),
        },
        { title: t`State`, cell: ({ decision }) => <DecisionState decision={decision} /> },
        { title: t`Reason`, cell: ({ reason }) => reason, hide: 'small' },
        { title: t`Proposed by`, cell: ({ proposedBy }) => proposedBy, hide: 'small' },
        { title: t`When`, cell: ({ proposedAt }) => <Time at={proposedAt} />, hide: 'small' },
      ]}
    />
  );
}
