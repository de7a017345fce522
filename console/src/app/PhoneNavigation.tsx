import { useLingui } from '@lingui/react';
import { Trans, useLingui as useTexts } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { Ellipsis } from 'lucide-react';
import { useState } from 'react';
import { Dialog } from '../design/Dialog.tsx';
import type { NavigationGroup } from './navigation.ts';
import { Navigation, useCurrentPage } from './Navigation.tsx';
import styles from './PhoneNavigation.module.css';

/** How many fit into the bar next to `More`. */
const IN_BAR = 4;

/** The bar at the bottom of narrow screens. */
export function PhoneNavigation({ groups }: { readonly groups: readonly NavigationGroup[] }) {
  const { t } = useTexts();
  const { i18n } = useLingui();
  const [showsAll, setShowsAll] = useState(false);
  const items = groups.flatMap((group) => group.items);
  const current = useCurrentPage(groups);
  return (
    <nav className={styles['bar']} aria-label={t`Main, short`}>
      {items.slice(0, IN_BAR).map(({ to, title, short = title, icon: Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: true, includeSearch: false }}
          aria-current={to === current ? 'page' : undefined}
        >
          <Icon size={20} aria-hidden="true" />
          <span>{i18n._(short)}</span>
        </Link>
      ))}
      {items.length > IN_BAR && (
        <button type="button" aria-haspopup="dialog" onClick={() => setShowsAll(true)}>
          <Ellipsis size={20} aria-hidden="true" />
          <span>
            <Trans>More</Trans>
          </span>
        </button>
      )}
      <Dialog title={<Trans>All pages</Trans>} open={showsAll} onOpenChange={setShowsAll}>
        <Navigation groups={groups} label={t`All pages`} onNavigate={() => setShowsAll(false)} />
      </Dialog>
    </nav>
  );
}
