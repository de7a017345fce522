import { Trans, useLingui } from '@lingui/react/macro';
import { useRef } from 'react';
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
  // The second click or key of somebody who pressed the button before it twice must not close it.
  const field = useRef<HTMLInputElement>(null);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(value);
    announce(t`Copied.`);
  };
  return (
    <Dialog title={title} open onOpenChange={onClose} keptFor={field}>
      <p>{children}</p>
      <Field
        ref={field}
        label={label}
        value={value}
        readOnly
        onFocus={(event) => event.target.select()}
      />
      {/* Browsers allow it on pages over TLS and on this machine only. */}
      {window.isSecureContext && (
        <Button kind="primary" onClick={() => void copy()}>
          <Trans>Copy</Trans>
        </Button>
      )}
    </Dialog>
  );
}
