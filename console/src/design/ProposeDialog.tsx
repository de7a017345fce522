import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { Field } from './Field.tsx';

export interface ProposeProps {
  readonly open: boolean;
  readonly onClose: () => void;
}

/** Proposes something that another person has to approve. Asks for evidence and the reason. */
export function ProposeDialog({
  open,
  onClose,
  title,
  propose,
  children,
}: ProposeProps & {
  readonly title: ReactNode;
  readonly propose: (fields: Readonly<Record<string, string>>) => Promise<void>;
  readonly children: ReactNode;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  return (
    <ConfirmDialog
      title={title}
      open={open}
      onOpenChange={onClose}
      confirm={<Trans>Propose</Trans>}
      done={t`Proposed. Another person has to approve it.`}
      onConfirm={async (fields) => {
        await propose(fields);
        await queries.invalidateQueries();
      }}
    >
      {children}
      <Field label={t`Evidence`} name="evidence" maxLength={200} required />
    </ConfirmDialog>
  );
}
