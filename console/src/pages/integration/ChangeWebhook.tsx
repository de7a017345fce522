import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { OPTIONAL_EVENT_TYPES } from '../../../../src/payments/events/event-types.ts';
import type { EventType } from '../../../../src/payments/events/event-types.ts';
import type { TestView, WebhookSet } from '../../../../src/staff/webhook-view.ts';
import { send } from '../../api/client.ts';
import { useSession } from '../../app/session.ts';
import { useWaits } from '../approvals/approval-texts.ts';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Field } from '../../design/Field.tsx';
import type { Undo } from '../../design/Toasts.tsx';
import styles from './Integration.module.css';

export type WebhookAction = 'set' | 'types' | 'test' | 'enable' | 'disable' | 'remove';

type Fields = Readonly<Record<string, string>>;

/** Asks before a webhook is changed or tested. */
export function ChangeWebhook({
  action,
  vid,
  url,
  offTypes,
  onClose,
  onSecret,
  onTested,
}: {
  readonly action: WebhookAction;
  readonly vid: string;
  readonly url: string;
  readonly offTypes: readonly EventType[];
  readonly onClose: () => void;
  readonly onSecret: (secret: string) => void;
  readonly onTested: (answer: TestView) => void;
}) {
  const texts = useTexts();
  const queries = useQueryClient();
  const path = `/vendors/${encodeURIComponent(vid)}/webhook`;
  const waits = useWaits();
  const act = async (what: WebhookAction, fields: Fields): Promise<string | undefined> => {
    let announced: string | undefined;
    if (what === 'set') {
      if (await setUrl(path, fields, onSecret)) announced = waits;
    } else if (what === 'types') {
      const { true: on = [], false: off = [] } = Object.groupBy(OPTIONAL_EVENT_TYPES, (type) =>
        fields[type] === undefined ? 'false' : 'true',
      );
      await send('POST', `${path}/types`, { on, off, reason: fields['reason'] });
    } else if (what === 'test') onTested(await send<TestView>('POST', `${path}/test`));
    else await send('POST', `${path}/${what}`, fields);
    await queries.invalidateQueries({ queryKey: ['vendor', vid] });
    return announced;
  };
  const { title, confirm, text, done } = texts[action];
  const undo = (reason: string): Undo => ({
    run: () => act('enable', { reason }),
    done: texts.enable.done ?? '',
  });
  return (
    <ConfirmDialog
      title={title}
      open
      onOpenChange={onClose}
      confirm={confirm}
      kind={action === 'remove' || action === 'disable' ? 'danger' : 'primary'}
      reason={action === 'test' ? 'none' : 'required'}
      {...(done === undefined ? {} : { done })}
      {...(action === 'disable' ? { undo } : {})}
      isFinal={action === 'remove'}
      onConfirm={(fields) => act(action, fields)}
    >
      <p>{text}</p>
      {action === 'set' && <UrlFields url={url} />}
      {action === 'types' && <TypeFields offTypes={offTypes} />}
    </ConfirmDialog>
  );
}

/** Sets the URL. Returns whether another person has to approve it. */
async function setUrl(
  path: string,
  { allows_private: allowsPrivate, ...rest }: Fields,
  onSecret: (secret: string) => void,
): Promise<boolean> {
  const body = allowsPrivate === undefined ? rest : { ...rest, allows_private: true };
  const { secret, proposal, decision } = await send<WebhookSet>('POST', path, body);
  if (secret !== null) onSecret(secret);
  return proposal !== null && decision === null;
}

function UrlFields({ url }: { readonly url: string }) {
  const { t } = useLingui();
  const isStaff = useSession().person.vid === null;
  return (
    <>
      <Field
        label={t`URL`}
        name="url"
        type="url"
        defaultValue={url}
        placeholder="https://shop.example/malipo"
        required
      />
      {isStaff && (
        <label className={styles['check']}>
          <input type="checkbox" name="allows_private" />
          <Trans>It may be plain http, and in a private network</Trans>
        </label>
      )}
    </>
  );
}

function TypeFields({ offTypes }: { readonly offTypes: readonly EventType[] }) {
  return (
    <fieldset className={styles['types']}>
      <legend>
        <Trans>Types that are sent</Trans>
      </legend>
      {OPTIONAL_EVENT_TYPES.map((type) => (
        <label key={type} className={styles['check']}>
          <input type="checkbox" name={type} defaultChecked={!offTypes.includes(type)} />
          {type}
        </label>
      ))}
    </fieldset>
  );
}

interface Texts {
  readonly title: ReactNode;
  readonly confirm: ReactNode;
  readonly text: ReactNode;
  readonly done?: string;
}

function useTexts(): Readonly<Record<WebhookAction, Texts>> {
  const { t } = useLingui();
  return {
    set: {
      title: <Trans>URL of the webhook</Trans>,
      confirm: <Trans>Save</Trans>,
      text: <Trans>New events are sent to it, and those that wait.</Trans>,
      done: t`The URL is saved.`,
    },
    types: {
      title: <Trans>Types of events</Trans>,
      confirm: <Trans>Save</Trans>,
      text: (
        <Trans>
          Events of the other types are kept for 30 days. They can be sent again after their type is
          switched on.
        </Trans>
      ),
      done: t`The types are saved.`,
    },
    test: {
      title: <Trans>Send a test event</Trans>,
      confirm: <Trans>Send</Trans>,
      text: (
        <Trans>
          One signed event of the type webhook.test is sent now. It does not appear in any list.
        </Trans>
      ),
    },
    enable: {
      title: <Trans>Switch the webhook on</Trans>,
      confirm: <Trans>Switch on</Trans>,
      text: <Trans>The events that wait are sent now.</Trans>,
      done: t`The webhook is on.`,
    },
    disable: {
      title: <Trans>Switch the webhook off</Trans>,
      confirm: <Trans>Switch off</Trans>,
      text: <Trans>New events are kept, and wait until it is switched on.</Trans>,
      done: t`The webhook is off.`,
    },
    remove: {
      title: <Trans>Remove the webhook</Trans>,
      confirm: <Trans>Remove</Trans>,
      text: <Trans>Its secrets end, and events that wait are given up.</Trans>,
      done: t`The webhook is removed.`,
    },
  };
}
