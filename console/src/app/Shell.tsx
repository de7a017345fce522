import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import type { SubmitEvent } from 'react';
import { send } from '../api/client.ts';
import { Brand } from '../design/Brand.tsx';
import { Button } from '../design/Button.tsx';
import styles from './Shell.module.css';
import { useSession } from './session.ts';
import { chooseTheme, chosenTheme } from './theme.ts';
import type { Theme } from './theme.ts';

/** The frame of every page behind the sign-in. */
export function Shell() {
  const { t } = useLingui();
  return (
    <div className={styles['shell']}>
      <aside className={styles['side']}>
        <Brand />
        <nav className={styles['nav']} aria-label={t`Main`}>
          <Link to="/payments" search={{}}>
            <Trans>Payments</Trans>
          </Link>
        </nav>
      </aside>
      <div>
        <header className={styles['top']}>
          <SearchBox />
          <Person />
        </header>
        <main className={styles['main']}>
          <Outlet />
        </main>
      </div>
    </div>
  );
}

/** Finds payments by anything that people know of them. */
function SearchBox() {
  const { t } = useLingui();
  const router = useRouter();
  const submit = (event: SubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const search = new FormData(event.currentTarget).get('search');
    void router.navigate({
      to: '/payments',
      search: typeof search === 'string' && search !== '' ? { search } : {},
    });
  };
  return (
    <form role="search" className={styles['search']} onSubmit={submit}>
      <input
        name="search"
        type="search"
        aria-label={t`Search payments`}
        placeholder={t`Reference, phone or account`}
      />
    </form>
  );
}

function Person() {
  const { t } = useLingui();
  const { person, environment } = useSession();
  const queries = useQueryClient();
  const [theme, setTheme] = useState(chosenTheme());
  const signOut = useMutation({
    mutationFn: () => send('DELETE', '/session'),
    onSuccess: () => {
      queries.clear();
      window.location.reload();
    },
  });
  return (
    <div className={styles['person']}>
      {environment === 'sandbox' && (
        <span className={styles['environment']}>
          <Trans>Sandbox</Trans>
        </span>
      )}
      <span>{person.name}</span>
      <select
        aria-label={t`Theme`}
        value={theme}
        onChange={(event) => {
          const chosen = event.target.value as Theme;
          chooseTheme(chosen);
          setTheme(chosen);
        }}
      >
        <option value="system">{t`System`}</option>
        <option value="light">{t`Light`}</option>
        <option value="dark">{t`Dark`}</option>
      </select>
      <Button onClick={() => signOut.mutate()}>
        <Trans>Sign out</Trans>
      </Button>
    </div>
  );
}
