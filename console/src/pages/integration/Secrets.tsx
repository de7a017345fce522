import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import type { KeyView } from '../../../../src/staff/signer-schema.ts';
import type { NewSecret } from '../../../../src/staff/vendor-keys.ts';
import { send } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Notice } from '../../design/Notice.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Rows } from '../../design/Rows.tsx';
import { Select } from '../../design/Select.tsx';
import { ShownOnce } from '../../design/ShownOnce.tsx';
import { Time } from '../../format/Time.tsx';
import styles from './Integration.module.css';

/** Keys or webhook secrets: which are valid, a new one, and ending a former one early. */
export function Secrets({
  keys,
  path,
  queryKey,
  newTitle,
  shownOnce,
}: {
  readonly keys: readonly KeyView[];
  /** Of the API: a POST makes a new one. */
  readonly path: string;
  readonly queryKey: readonly string[];
  /** What the button says. */
  readonly newTitle: string;
  /** What to do with the new one. */
  readonly shownOnce: ReactNode;
}) {
  const { t } = useLingui();
  const mayAct = useMay('integration.act');
  const [retired, setRetired] = useState<KeyView>();
  const [fresh, setFresh] = useState<string>();
  return (
    <>
      <Rows
        rows={keys.map((key) => rowOf(key, mayAct ? setRetired : undefined))}
        empty={<Trans>Not created yet.</Trans>}
      />
      {mayAct && <Rotate path={path} queryKey={queryKey} title={newTitle} onNew={setFresh} />}
      {retired !== undefined && (
        <Retire
          path={`${path}/${retired.key_id}/retire`}
          queryKey={queryKey}
          onClose={() => setRetired(undefined)}
        />
      )}
      {fresh !== undefined && (
        <ShownOnce
          title={newTitle}
          label={t`Shown this once`}
          value={fresh}
          onClose={() => setFresh(undefined)}
        >
          {shownOnce}
        </ShownOnce>
      )}
    </>
  );
}

function Rotate({
  path,
  queryKey,
  title,
  onNew,
}: {
  readonly path: string;
  readonly queryKey: readonly string[];
  readonly title: string;
  readonly onNew: (secret: string) => void;
}) {
  const [isOpen, setIsOpen] = useState(false);
  const [waits, setWaits] = useState(false);
  const queries = useQueryClient();
  const rotate = async ({ overlap, reason }: Readonly<Record<string, string>>): Promise<void> => {
    const body = { overlap, reason };
    const { secret } = await send<NewSecret>('POST', path, body);
    if (secret !== null) onNew(secret);
    setWaits(secret === null);
    await queries.invalidateQueries({ queryKey });
  };
  return (
    <div className={styles['below']}>
      {waits && (
        <Notice tone="waiting">
          <Trans>
            Another person has to approve it. Then create it here, within a day: it is shown once.
          </Trans>
        </Notice>
      )}
      <Button onClick={() => setIsOpen(true)}>{title}</Button>
      <ConfirmDialog
        title={title}
        open={isOpen}
        onOpenChange={setIsOpen}
        confirm={<Trans>Create</Trans>}
        isFinal
        onConfirm={rotate}
      >
        <Overlap />
      </ConfirmDialog>
    </div>
  );
}

function Retire({
  path,
  queryKey,
  onClose,
}: {
  readonly path: string;
  readonly queryKey: readonly string[];
  readonly onClose: () => void;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const retire = async (fields: Readonly<Record<string, string>>): Promise<void> => {
    await send('POST', path, fields);
    await queries.invalidateQueries({ queryKey });
  };
  return (
    <ConfirmDialog
      title={<Trans>End it now</Trans>}
      open
      onOpenChange={onClose}
      confirm={<Trans>End it now</Trans>}
      kind="danger"
      done={t`It has ended.`}
      isFinal
      onConfirm={retire}
    >
      <p>
        <Trans>Programs that still use it will fail from now on.</Trans>
      </p>
    </ConfirmDialog>
  );
}

function rowOf(key: KeyView, onRetire: ((key: KeyView) => void) | undefined) {
  const { key_id: keyId, created_at: createdAt, valid_until: validUntil } = key;
  return {
    key: keyId,
    title: (
      <>
        <code className={styles['id']}>…{keyId.slice(-8)}</code>{' '}
        {validUntil === null ? (
          <Pill tone="done">
            <Trans>Current</Trans>
          </Pill>
        ) : (
          <Pill tone="waiting">
            <Trans>Ending</Trans>
          </Pill>
        )}
      </>
    ),
    value:
      validUntil !== null && onRetire !== undefined ? (
        <Button onClick={() => onRetire(key)}>
          <Trans>End it now</Trans>
        </Button>
      ) : null,
    note:
      validUntil === null ? (
        <Trans>
          Created <Time at={createdAt} />
        </Trans>
      ) : (
        <Trans>
          Created <Time at={createdAt} />, valid until <Time at={validUntil} />
        </Trans>
      ),
  };
}

function Overlap() {
  const { t } = useLingui();
  return (
    <>
      <p>
        <Trans>
          The former one stays valid for some time, so that you can replace it without an
          interruption. Older ones end now.
        </Trans>
      </p>
      <Select
        label={t`The former one stays valid`}
        name="overlap"
        defaultValue="24h"
        options={{
          '1h': t`1 hour`,
          '24h': t`1 day`,
          '7d': t`7 days`,
          '0': t`not at all: it ends now`,
        }}
      />
    </>
  );
}
