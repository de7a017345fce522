import { Toast } from '@base-ui/react/toast';
import { useLingui } from '@lingui/react/macro';
import { CircleCheck, X } from 'lucide-react';
import styles from './Toasts.module.css';

const SHOWN_MS = 6_000;

const manager = Toast.createToastManager();

/** Says what has been done, in the corner, for some seconds. Screen readers announce it. */
export function announce(text: string): void {
  manager.add({ title: text, timeout: SHOWN_MS });
}

/** Where the announcements are shown; once, in the frame. */
export function Toasts() {
  const { t } = useLingui();
  return (
    <Toast.Provider toastManager={manager}>
      <Toast.Portal>
        <Toast.Viewport className={styles['viewport']} aria-label={t`Announcements`}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { t } = useLingui();
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={styles['toast']}>
      <CircleCheck size={18} aria-hidden="true" />
      <Toast.Title className={styles['title']} render={<p />} />
      <Toast.Close className={styles['close']} aria-label={t`Close`}>
        <X size={16} aria-hidden="true" />
      </Toast.Close>
    </Toast.Root>
  ));
}
