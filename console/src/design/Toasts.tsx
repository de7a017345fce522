import { Toast } from '@base-ui/react/toast';
import { Trans, useLingui } from '@lingui/react/macro';
import { CircleAlert, CircleCheck, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from './Button.tsx';
import styles from './Toasts.module.css';

const SHOWN_MS = 6_000;
/** Long enough to see one's mistake. */
const UNDO_MS = 12_000;

/** The way back from an action that was announced. */
export interface Undo {
  readonly run: () => Promise<unknown>;
  /** The announcement after it. */
  readonly done: string;
}

interface Kind {
  readonly undo?: Undo;
  readonly failed?: true;
}

const manager = Toast.createToastManager<Kind>();
let latest: string | undefined;

/**
 * Says what has been done, in the corner, for some seconds. Screen readers announce it. It takes the place of
 * the announcement before, which may no longer be true.
 */
export function announce(text: string, undo?: Undo): void {
  if (undo === undefined) show({ title: text, timeout: SHOWN_MS });
  else show({ title: text, timeout: UNDO_MS, data: { undo } });
}

function show(announcement: Parameters<typeof manager.add>[0]): void {
  if (latest !== undefined) manager.close(latest);
  latest = manager.add(announcement);
}

async function take({ run, done }: Undo): Promise<void> {
  try {
    await run();
    announce(done);
  } catch (error) {
    const title = error instanceof Error ? error.message : String(error);
    show({ title, timeout: UNDO_MS, priority: 'high', data: { failed: true } });
  }
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
  const { toasts } = Toast.useToastManager<Kind>();
  return toasts.map(({ data: { undo, failed } = {}, ...toast }) => (
    <Toast.Root key={toast.id} toast={toast} className={styles['toast']}>
      {failed ? (
        <CircleAlert size={18} className={styles['failed']} aria-hidden="true" />
      ) : (
        <CircleCheck size={18} className={styles['done']} aria-hidden="true" />
      )}
      <Toast.Title className={styles['title']} render={<p />} />
      {undo !== undefined && <UndoButton undo={undo} />}
      <Toast.Close className={styles['close']} aria-label={t`Close`}>
        <X size={16} aria-hidden="true" />
      </Toast.Close>
    </Toast.Root>
  ));
}

function UndoButton({ undo }: { readonly undo: Undo }) {
  const [isBusy, setIsBusy] = useState(false);
  const click = (): void => {
    setIsBusy(true);
    void take(undo);
  };
  return (
    <Button onClick={click} disabled={isBusy}>
      <Trans>Undo</Trans>
    </Button>
  );
}
