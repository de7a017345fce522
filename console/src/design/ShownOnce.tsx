import { Trans, useLingui } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import { Field } from './Field.tsx';
import { announce } from './Toasts.tsx';

/** A secret or a link that is shown once, to be copied. Children: what to do with it. */
export function ShownOnce({
  title,
  label,
  value,
  onClose,
  children,
}: {
  readonly title: ReactNode;
  readonly label: string;
  readonly value: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const { t } = useLingui();
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(value);
    announce(t`Copied.`);
  };
  return (
    <Dialog title={title} open onOpenChange={onClose}>
      <p>{children}</p>
      <Field label={label} value={value} readOnly onFocus={(event) => event.target.select()} />
      {/* Browsers allow it on pages over TLS and on this machine only. */}
      {window.isSecureContext && (
        <Button kind="primary" onClick={() => void copy()}>
          <Trans>Copy</Trans>
        </Button>
      )}
    </Dialog>
  );
}
