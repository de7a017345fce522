import { Dialog as Base } from '@base-ui/react/dialog';
import { useLingui } from '@lingui/react/macro';
import { X } from 'lucide-react';
import type { ReactNode, RefObject } from 'react';
import styles from './Dialog.module.css';

/** A window above the page; from the bottom on narrow screens. Escape closes it. */
export function Dialog({
  title,
  open,
  onOpenChange,
  keptFor,
  children,
}: {
  readonly title: ReactNode;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
  /** It gets the focus, and neither a click beside the dialog nor the key of a button closes it. */
  readonly keptFor?: RefObject<HTMLElement | null>;
  readonly children: ReactNode;
}) {
  const { t } = useLingui();
  return (
    <Base.Root
      open={open}
      onOpenChange={onOpenChange}
      disablePointerDismissal={keptFor !== undefined}
    >
      <Base.Portal>
        <Base.Backdrop className={styles['backdrop']} />
        <Base.Popup className={styles['popup']} initialFocus={keptFor}>
          <header>
            <Base.Title>{title}</Base.Title>
            <Base.Close className={styles['close']} aria-label={t`Close`}>
              <X size={18} aria-hidden="true" />
            </Base.Close>
          </header>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
