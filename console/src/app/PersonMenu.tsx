import { Menu } from '@base-ui/react/menu';
import { Trans, useLingui } from '@lingui/react/macro';
import { useLingui as useLanguage } from '@lingui/react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { send } from '../api/client.ts';
import { RoleName } from '../format/RoleName.tsx';
import { LANGUAGES, chooseLanguage } from '../i18n.ts';
import type { Language } from '../i18n.ts';
import { Choices } from './Choices.tsx';
import styles from './PersonMenu.module.css';
import { useSession } from './session.ts';
import { chooseTheme, chosenTheme } from './theme.ts';
import type { Theme } from './theme.ts';

/** Who is signed in, and this person's settings on this device. */
export function PersonMenu({ onShortcuts }: { readonly onShortcuts: () => void }) {
  const { t } = useLingui();
  const { i18n } = useLanguage();
  const { person, timeZone, version } = useSession();
  const [theme, setTheme] = useState(chosenTheme());
  const signOut = useSignOut();
  const themes: Readonly<Record<Theme, string>> = {
    system: t`As the device`,
    light: t`Light`,
    dark: t`Dark`,
  };
  return (
    <Menu.Root modal={false}>
      <Trigger name={person.name} />
      <Menu.Portal>
        <Menu.Positioner align="end" sideOffset={8} className={styles['positioner']}>
          <Menu.Popup className={styles['popup']}>
            <div className={styles['person']}>
              <b>{person.name}</b>
              <span>
                <RoleName role={person.role} />
                {person.vid !== null && <> · {person.vid}</>}
              </span>
            </div>
            <Choices
              title={<Trans>Theme</Trans>}
              choices={themes}
              chosen={theme}
              onChoose={(chosen) => {
                chooseTheme(chosen);
                setTheme(chosen);
              }}
            />
            <Choices
              title={<Trans>Language</Trans>}
              choices={LANGUAGES}
              chosen={i18n.locale as Language}
              onChoose={(chosen) => void chooseLanguage(chosen)}
            />
            <Menu.Separator className={styles['separator']} />
            <PasskeysItem />
            <Menu.Item className={styles['item']} onClick={onShortcuts}>
              <Trans>Keyboard shortcuts</Trans> <kbd>?</kbd>
            </Menu.Item>
            <Menu.Item className={styles['item']} onClick={() => signOut.mutate()}>
              <Trans>Sign out</Trans>
            </Menu.Item>
            <p className={styles['about']}>
              <Trans>
                Times are in {timeZone}. Malipo {version}
              </Trans>
            </p>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

function PasskeysItem() {
  const navigate = useNavigate();
  return (
    <Menu.Item className={styles['item']} onClick={() => void navigate({ to: '/passkeys' })}>
      <Trans>Passkeys</Trans>
    </Menu.Item>
  );
}

function useSignOut() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => send('DELETE', '/session'),
    onSuccess: () => {
      queries.clear();
      window.location.reload();
    },
  });
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter((word) => word !== '');
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => word?.charAt(0).toUpperCase() ?? '')
    .join('');
}

/** Its accessible name starts with the initials that it shows. */
function Trigger({ name }: { readonly name: string }) {
  return (
    <Menu.Trigger className={styles['trigger']}>
      {initials(name)}
      <span className="visually-hidden">
        <Trans>{name}: settings</Trans>
      </span>
    </Menu.Trigger>
  );
}
