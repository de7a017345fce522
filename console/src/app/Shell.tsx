import { Trans, useLingui } from '@lingui/react/macro';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Outlet, useMatches, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Brand } from '../design/Brand.tsx';
import { Notice } from '../design/Notice.tsx';
import { Toasts } from '../design/Toasts.tsx';
import { isForbidden, navigationFor } from './navigation.ts';
import { Navigation } from './Navigation.tsx';
import { NotPermitted } from './PageProblem.tsx';
import { PersonMenu } from './PersonMenu.tsx';
import { PhoneNavigation } from './PhoneNavigation.tsx';
import { SearchBox } from './SearchBox.tsx';
import { sessionQuery, useSession } from './session.ts';
import styles from './Shell.module.css';
import { Shortcuts } from './Shortcuts.tsx';
import { useShortcuts } from './shortcuts.ts';

/** Everything behind the sign-in. */
export function Shell() {
  const { data: session } = useSuspenseQuery(sessionQuery);
  return session === null ? <Ended /> : <Frame />;
}

/** The session has ended: the router leads to the sign-in. */
function Ended() {
  const router = useRouter();
  useEffect(() => void router.invalidate(), [router]);
  return null;
}

/** The frame of every page. */
function Frame() {
  const { t } = useLingui();
  const { environment, permissions, person, readOnly } = useSession();
  const [showsShortcuts, setShowsShortcuts] = useState(false);
  const groups = navigationFor(permissions);
  useShortcuts(groups, () => setShowsShortcuts(true));
  return (
    <div className={styles['shell']}>
      <a className={styles['skip']} href="#main" onClick={focusMain}>
        <Trans>Skip to the content</Trans>
      </a>
      <aside className={styles['side']}>
        <div className={styles['fixed']}>
          <div className={styles['brand']}>
            <Brand />
          </div>
          <Navigation groups={groups} label={t`Main`} />
        </div>
      </aside>
      <div className={styles['page']}>
        <header className={styles['top']}>
          <SearchBox />
          {readOnly && (
            <span className={styles['environment']}>
              <Trans>Read only</Trans>
            </span>
          )}
          {environment === 'sandbox' && (
            <span className={styles['environment']}>
              <Trans>Sandbox</Trans>
            </span>
          )}
          <PersonMenu onShortcuts={() => setShowsShortcuts(true)} />
        </header>
        <main id="main" tabIndex={-1} className={styles['main']}>
          {person.isConfirmed ? (
            <Page />
          ) : (
            <Notice tone="waiting">
              <Trans>
                An administrator made your one-time link or changed your role. Another one has to
                confirm you. Until then you see and change nothing.
              </Trans>
            </Notice>
          )}
        </main>
      </div>
      <PhoneNavigation groups={groups} />
      <Shortcuts groups={groups} open={showsShortcuts} onOpenChange={setShowsShortcuts} />
      <Toasts />
    </div>
  );
}

function Page() {
  const { permissions } = useSession();
  const path = useMatches({ select: (matches) => matches.at(-1)?.fullPath ?? '' });
  return isForbidden(path, permissions) ? <NotPermitted /> : <Outlet />;
}

/** The page's <base> would turn the link into another address. */
function focusMain(event: React.MouseEvent): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
