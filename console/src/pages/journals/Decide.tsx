import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import type { JournalView } from '../../../../src/console/finance-answers.ts';
import { useMay } from '../../app/session.ts';
import { DecideDialog } from '../../design/DecideDialog.tsx';
import { Dialog } from '../../design/Dialog.tsx';
import { Facts } from '../../design/Facts.tsx';
import { By } from '../../format/By.tsx';
import { Money } from '../../format/Money.tsx';
import { Time } from '../../format/Time.tsx';

/** A journal with all its lines, and the decision if it waits for this person. */
export function DecideJournal({
  journal,
  onClose,
}: {
  readonly journal: JournalView;
  readonly onClose: () => void;
}) {
  const { t } = useLingui();
  const lines = journal.lines.map(({ account, side, amount }) => ({
    name: account,
    value: (
      <>
        <Money amount={amount} currency /> {side === 'debit' ? t`debit` : t`credit`}
      </>
    ),
  }));
  return (
    <Decide
      title={<Trans>Journal</Trans>}
      of={journal}
      path={`/journals/${journal.id}`}
      facts={[...lines, { name: t`Moved`, value: <Time at={journal.movedAt} /> }]}
      onClose={onClose}
    />
  );
}

function Decide({
  title,
  of,
  path,
  facts,
  onClose,
}: {
  readonly title: ReactNode;
  readonly of: JournalView;
  readonly path: string;
  readonly facts: readonly { readonly name: ReactNode; readonly value: ReactNode }[];
  readonly onClose: () => void;
}) {
  const mayAct = useMay('finance.act');
  const content = <Content of={of} facts={facts} />;
  if (!mayAct || of.decision !== null) {
    return (
      <Dialog title={title} open onOpenChange={onClose}>
        {content}
      </Dialog>
    );
  }
  return (
    <DecideDialog title={title} path={path} isOwn={of.isOwn} onClose={onClose}>
      {content}
    </DecideDialog>
  );
}

function Content({
  of,
  facts,
}: {
  readonly of: JournalView;
  readonly facts: readonly { readonly name: ReactNode; readonly value: ReactNode }[];
}) {
  const { t } = useLingui();
  return (
    <Facts
      facts={[
        ...facts,
        { name: t`Reference`, value: of.reference },
        { name: t`Reason`, value: of.note },
        { name: t`Evidence`, value: of.evidence },
        { name: t`Proposed by`, value: <By person={of.proposedBy} at={of.proposedAt} /> },
        {
          name: t`Decided by`,
          value: of.decidedAt && <By person={of.decidedBy} at={of.decidedAt} />,
        },
      ]}
    />
  );
}
