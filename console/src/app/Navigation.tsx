import { useLingui } from '@lingui/react';
import { useLingui as useTexts } from '@lingui/react/macro';
import { Link } from '@tanstack/react-router';
import { useWaitingCount } from './approvals.ts';
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
  return (
    <nav className={styles['nav']} aria-label={label}>
      {groups.map(({ title, items }, index) => (
        <div key={index} className={styles['group']}>
          {title !== undefined && <h2>{i18n._(title)}</h2>}
          {items.map(({ to, title: name, icon: Icon, badge }) => (
            <Link
              key={to}
              to={to}
              activeOptions={{ exact: to === '/' || to === '/credit', includeSearch: false }}
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
