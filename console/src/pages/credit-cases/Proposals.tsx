import { useLingui } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import type { ListedCreditProposal } from '../../../../src/staff/credit-schema.ts';
import { useMay } from '../../app/session.ts';
import { Table } from '../../design/Table.tsx';
import { DecisionState } from '../../format/DecisionState.tsx';
import { Time } from '../../format/Time.tsx';
import { useNames } from '../credit/credit-texts.ts';
import { PROPOSAL_KINDS } from './decision-texts.ts';

/** Proposals with their state. */
export function Proposals({ proposals }: { readonly proposals: readonly ListedCreditProposal[] }) {
  const { t } = useLingui();
  const mayRead = useMay('credit.reports');
  const kinds = useNames(PROPOSAL_KINDS);
  return (
    <Table
      label={t`Proposals`}
      rows={proposals}
      keyOf={({ proposal }) => proposal}
      empty={t`Nothing has been proposed yet.`}
      columns={[
        {
          title: t`Proposal`,
          cell: ({ proposal: proposalId, what }) =>
            mayRead ? (
              <Link to="/credit/proposals/$proposalId" params={{ proposalId }} preload={false}>
                {kinds[what]}
              </Link>
            ) : (
              kinds[what]
            ),
        },
        { title: t`State`, cell: ({ decision }) => <DecisionState decision={decision} /> },
        { title: t`Reason`, cell: ({ reason }) => reason, hide: 'small' },
        { title: t`Proposed by`, cell: ({ proposed_by: by }) => by, hide: 'small' },
        { title: t`When`, cell: ({ proposed_at: at }) => <Time at={at} />, hide: 'small' },
      ]}
    />
  );
}
