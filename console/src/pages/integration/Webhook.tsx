import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { TestView, WebhookView } from '../../../../src/staff/webhook-view.ts';
import { get } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Notice } from '../../design/Notice.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { ShownOnce } from '../../design/ShownOnce.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { useFigures } from '../../format/figures.ts';
import { Time } from '../../format/Time.tsx';
import styles from './Integration.module.css';
import { Secrets } from './Secrets.tsx';
import { ChangeWebhook } from './ChangeWebhook.tsx';
import type { WebhookAction } from './ChangeWebhook.tsx';

const EVERY_MS = 10_000;

/** Where a vendor's events are sent, and whether they arrive. */
export function Webhook({ vid }: { readonly vid: string }) {
  const { t } = useLingui();
  const path = `/vendors/${encodeURIComponent(vid)}/webhook`;
  const queryKey = ['vendor', vid, 'webhook'];
  const [secret, setSecret] = useState<string>();
  const hook = useQuery({
    queryKey,
    queryFn: ({ signal }) => get<WebhookView>(path, {}, signal),
    refetchInterval: EVERY_MS,
  });
  const keep = (
    <Trans>
      Your receiver checks the signature of each event with it. Keep it in a safe place.
    </Trans>
  );
  return (
    <Card title={<Trans>Webhook</Trans>} more={<State answer={hook.data} />}>
      {hook.isError && <Problem error={hook.error} onRetry={() => void hook.refetch()} />}
      {hook.isPending && <Skeleton lines={5} />}
      {hook.data !== undefined && (
        <>
          <About answer={hook.data} />
          <Actions answer={hook.data} vid={vid} onSecret={setSecret} />
          {hook.data.url !== null && (
            <Secrets
              keys={hook.data.secrets}
              path={`${path}/secrets`}
              queryKey={queryKey}
              newTitle={t`New signing secret`}
              shownOnce={keep}
            />
          )}
        </>
      )}
      {secret !== undefined && (
        <ShownOnce
          title={<Trans>Signing secret</Trans>}
          label={t`Shown this once`}
          value={secret}
          onClose={() => setSecret(undefined)}
        >
          {keep}
        </ShownOnce>
      )}
    </Card>
  );
}

function State({ answer }: { readonly answer: WebhookView | undefined }) {
  const { t } = useLingui();
  if (answer === undefined || answer.url === null) return null;
  const { status, failures } = answer;
  if (status === 'disabled') return <Pill tone="alert">{t`Off`}</Pill>;
  if (failures > 0) return <Pill tone="waiting">{t`Failing`}</Pill>;
  return <Pill tone="done">{t`On`}</Pill>;
}

function About({ answer }: { readonly answer: WebhookView }) {
  const { t } = useLingui();
  const { count } = useFigures();
  if (answer.url === null) {
    return (
      <p className={styles['text']}>
        <Trans>
          There is no webhook. With a webhook, each final result is sent to your server at once, and
          you need not query it.
        </Trans>
      </p>
    );
  }
  const { url, waiting, off_types: offTypes, failing_since: failingSince, failures } = answer;
  const { disabled_at: disabledAt, disabled_reason: disabledReason } = answer;
  return (
    <Facts
      facts={[
        { name: t`URL`, value: url },
        { name: t`Waiting events`, value: count(waiting) },
        {
          name: t`Types that are not sent`,
          value: offTypes.length === 0 ? null : offTypes.join(', '),
        },
        {
          name: t`Failing since`,
          value:
            failingSince === null ? null : (
              <>
                <Time at={failingSince} />, {t`failures in a row: ${failures}`}
              </>
            ),
        },
        {
          name: t`Off since`,
          value:
            disabledAt === null ? null : (
              <>
                <Time at={disabledAt} />: {disabledReason}
              </>
            ),
        },
      ]}
    />
  );
}

function Actions({
  answer: { url, status, off_types: offTypes },
  vid,
  onSecret,
}: {
  readonly answer: WebhookView;
  readonly vid: string;
  readonly onSecret: (secret: string) => void;
}) {
  const mayAct = useMay('integration.act');
  const [action, setAction] = useState<WebhookAction>();
  const [tested, setTested] = useState<TestView>();
  if (!mayAct) return null;
  return (
    <>
      <div className={styles['below']}>
        <Button onClick={() => setAction('set')}>
          {url === null ? <Trans>Set a URL</Trans> : <Trans>Change the URL</Trans>}
        </Button>
        {url !== null && (
          <>
            <Button onClick={() => setAction('types')}>
              <Trans>Choose types</Trans>
            </Button>
            <Button onClick={() => setAction('test')}>
              <Trans>Send a test event</Trans>
            </Button>
            <Button onClick={() => setAction(status === 'active' ? 'disable' : 'enable')}>
              {status === 'active' ? <Trans>Switch off</Trans> : <Trans>Switch on</Trans>}
            </Button>
            <Button onClick={() => setAction('remove')}>
              <Trans>Remove</Trans>
            </Button>
          </>
        )}
      </div>
      {tested !== undefined && <Tested answer={tested} />}
      {action !== undefined && (
        <ChangeWebhook
          action={action}
          vid={vid}
          url={url ?? ''}
          offTypes={offTypes}
          onClose={() => setAction(undefined)}
          onSecret={onSecret}
          onTested={setTested}
        />
      )}
    </>
  );
}

function Tested({ answer }: { readonly answer: TestView }) {
  const { detail: result, duration_ms: durationMs } = answer;
  const delivered = answer.result === 'delivered';
  return (
    <div className={styles['text']}>
      <Notice tone={delivered ? 'done' : 'alert'}>
        {delivered ? (
          <Trans>
            The test event arrived: {result}, after {durationMs} ms.
          </Trans>
        ) : (
          <Trans>
            The test event did not arrive: {result}, after {durationMs} ms.
          </Trans>
        )}
        {answer.answer !== null && answer.answer !== '' && (
          <div className={styles['body']}>
            <pre>{answer.answer}</pre>
          </div>
        )}
      </Notice>
    </div>
  );
}
