import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { LineView, ProposalView } from '../../../../src/staff/proposal-schema.ts';
import { get } from '../../api/client.ts';
import { Altered } from '../../design/Altered.tsx';
import { DecideDialog } from '../../design/DecideDialog.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Notice } from '../../design/Notice.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Becomes } from '../../format/Becomes.tsx';
import { By } from '../../format/By.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';
import { useProposalWord, useText } from './approval-texts.ts';

/** A proposal of any kind: its content, what an approval would do now, and the decision. */
export function DecideProposal({
  id,
  mayDecide,
  onClose,
}: {
  readonly id: string;
  readonly mayDecide: boolean;
  readonly onClose: () => void;
}) {
  const inWords = useProposalWord();
  const asked = useQuery({
    queryKey: ['proposal', id],
    queryFn: ({ signal }) => get<ProposalView>(`/proposals/${id}`, {}, signal),
    // What is approved is what was shown.
    refetchOnWindowFocus: false,
    gcTime: 0,
  });
  const proposal = asked.data;
  const title = proposal && inWords(proposal.title);
  if (proposal === undefined || !mayDecide || proposal.decision !== null) {
    return (
      <Dialog title={title ?? <Trans>Proposal</Trans>} open onOpenChange={onClose}>
        {asked.isError && <Problem error={asked.error} onRetry={() => void asked.refetch()} />}
        {proposal === undefined ? (
          !asked.isError && <Skeleton lines={6} />
        ) : (
          <Content of={proposal} />
        )}
      </Dialog>
    );
  }
  const { seen, problem, is_own: isOwn } = proposal;
  return (
    <DecideDialog
      title={title}
      path={`/proposals/${id}`}
      approval={{ seen }}
      isOwn={isOwn}
      mayApprove={!isOwn && seen !== null && problem === null}
      onClose={onClose}
    >
      <Content of={proposal} />
    </DecideDialog>
  );
}

function Content({ of }: { readonly of: ProposalView }) {
  const { t } = useLingui();
  const { content, would, remarks, problem, note, decided_alone: isAlone } = of;
  return (
    <>
      {content === null && <Altered />}
      <Rows lines={content ?? []} />
      {of.kind === 'person' && of.decision === null && (
        <p>
          <Trans>
            Whoever made the link that was used to sign in could have used it, or has changed the
            role. Speak to the person, and approve only if the person says that they chose the
            password and are to have this role.
          </Trans>
        </p>
      )}
      <Facts
        facts={[
          { name: t`Reason`, value: note },
          { name: t`Proposed by`, value: <By person={of.proposed_by} at={of.proposed_at} /> },
          { name: t`Expires`, value: of.expires_at && <Time at={of.expires_at} /> },
          {
            name: t`Decided by`,
            value: of.decided_at && <By person={of.decided_by} at={of.decided_at} />,
          },
          { name: t`Reason of the decision`, value: of.decision_note || null },
        ]}
      />
      {isAlone && (
        <p>
          <Trans>It took effect at once, because there was no second person.</Trans>
        </p>
      )}
      {of.decision === 'approved' && <Block title={t`Carried out`} lines={of.shown} />}
      {would !== null && problem === null && (
        <Block title={t`What an approval does`} lines={would} />
      )}
      {remarks !== null && remarks.length > 0 && <Rows lines={remarks} />}
      {problem !== null && (
        <Notice tone="alert">
          <Trans>It cannot be approved now: {problem}</Trans>
        </Notice>
      )}
    </>
  );
}

function Block({ title, lines }: { readonly title: string; readonly lines: readonly LineView[] }) {
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <Rows lines={lines} />
    </section>
  );
}

function Rows({ lines }: { readonly lines: readonly LineView[] }) {
  const inWords = useProposalWord();
  const textOf = useText();
  return (
    <Facts
      facts={lines.map(({ label, text, amount }) => ({
        name: inWords(label),
        value: (
          <>
            {amount !== null && <Money amount={amount} currency />}
            {amount !== null && text !== null && ' · '}
            {text !== null && label === 'Case' && (
              <Link to="/cases/$caseId" params={{ caseId: text }}>
                <code>{text}</code>
              </Link>
            )}
            {text !== null && label !== 'Case' && <Becomes text={textOf(label, text)} />}
          </>
        ),
      }))}
    />
  );
}
