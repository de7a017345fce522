import { useLingui } from '@lingui/react';
import { Trans } from '@lingui/react/macro';
import type { ReactNode } from 'react';
import { Dialog } from '../design/Dialog.tsx';
import type { NavigationGroup } from './navigation.ts';
import styles from './Shortcuts.module.css';

/** A dialog with the keyboard shortcuts. */
export function Shortcuts({
  groups,
  open,
  onOpenChange,
}: {
  readonly groups: readonly NavigationGroup[];
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}) {
  const { i18n } = useLingui();
  return (
    <Dialog title={<Trans>Keyboard shortcuts</Trans>} open={open} onOpenChange={onOpenChange}>
      <dl className={styles['keys']}>
        <Shortcut keys={['/']}>
          <Trans>Search</Trans>
        </Shortcut>
        {groups
          .flatMap((group) => group.items)
          .map(({ key, title }) => (
            <Shortcut key={key} keys={['g', key]}>
              {i18n._(title)}
            </Shortcut>
          ))}
        <Shortcut keys={['?']}>
          <Trans>Keyboard shortcuts</Trans>
        </Shortcut>
      </dl>
    </Dialog>
  );
}

function Shortcut({ keys, children }: { readonly keys: string[]; readonly children: ReactNode }) {
  return (
    <div>
      <dt>
        {keys.map((key) => (
          <kbd key={key}>{key}</kbd>
        ))}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
