import { useLingui } from '@lingui/react';
import { useLingui as useTexts } from '@lingui/react/macro';
import { Link, useMatches } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useWaitingCount } from './approvals.ts';
import { currentItem } from './navigation.ts';
import type { NavigationGroup } from './navigation.ts';
import styles from './Navigation.module.css';

/** The pages that the person may see. */
export function Navigation({
  groups,
  label,
  onNavigate,
}: {
  readonly groups: readonly NavigationGroup[];
  /** For screen readers. */
  readonly label: string;
  readonly onNavigate?: () => void;
}) {
  const { i18n } = useLingui();
  const current = useCurrentPage(groups);
  const nav = useRef<HTMLElement>(null);
  useEffect(() => {
    // On a low screen the list is longer than the screen.
    nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  return (
    <nav ref={nav} className={styles['nav']} aria-label={label}>
      {groups.map(({ title, items }, index) => (
        <div key={index} className={styles['group']}>
          {title !== undefined && <h2>{i18n._(title)}</h2>}
          {items.map(({ to, title: name, icon: Icon, badge }) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact: true, includeSearch: false }}
              aria-current={to === current ? 'page' : undefined}
              onClick={onNavigate}
            >
              <Icon size={16} aria-hidden="true" />
              {i18n._(name)}
              {badge !== undefined && <WaitingCount />}
            </Link>
          ))}
        </div>
      ))}
    </nav>
  );
}

/** The path of the navigation that the page belongs to. */
export function useCurrentPage(groups: readonly NavigationGroup[]): string | undefined {
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' });
  return currentItem(groups, path)?.to;
}

/** How many proposals wait for the person. */
function WaitingCount() {
  const { t } = useTexts();
  const count = useWaitingCount();
  if (count === 0) return null;
  return (
    <span className={styles['badge']}>
      {count}
      <span className="visually-hidden"> {t`waiting for you`}</span>
    </span>
  );
}
