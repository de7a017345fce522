import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import type { SubmitEvent } from 'react';
import type { SignatureHint } from '../../../../src/parties/compare-texts.ts';
import type { SignatureCompared } from '../../../../src/staff/vendor-requests.ts';
import { send } from '../../api/client.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { Field } from '../../design/Field.tsx';
import { Notice } from '../../design/Notice.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Select } from '../../design/Select.tsx';
import { TextArea } from '../../design/TextArea.tsx';
import styles from './Requests.module.css';

/** Shows the text that has to be signed, the one that was, and where they differ. */
export function CompareSignature({ vid }: { readonly vid: string }) {
  const { t } = useLingui();
  const mayAct = useMay('integration.read');
  const compare = useMutation({
    mutationFn: async (form: FormData) =>
      await send<SignatureCompared>('POST', `/vendors/${encodeURIComponent(vid)}/signature`, {
        request: form.get('request'),
        signed: form.get('signed'),
        ...(form.get('header') === ''
          ? {}
          : {
              header: form.get('header'),
              method: form.get('method'),
              target: form.get('target'),
            }),
      }),
  });
  return (
    <Card
      title={<Trans>Why is my signature invalid?</Trans>}
      more={<Trans>nobody needs your key for this</Trans>}
    >
      <form
        className={styles['form']}
        onSubmit={(event: SubmitEvent<HTMLFormElement>) => {
          event.preventDefault();
          compare.mutate(new FormData(event.currentTarget));
        }}
      >
        <TextArea
          label={t`The request’s parameters, as they were sent`}
          hint={t`A query string, a form or JSON, with or without hash`}
          name="request"
          rows={3}
          spellCheck={false}
        />
        <TextArea
          label={t`The text that your program signed`}
          hint={t`Optional: as your program gave it to HMAC-SHA-256`}
          name="signed"
          rows={3}
          spellCheck={false}
        />
        <ByHeader />
        <div className={styles['actions']}>
          <Button kind="primary" type="submit" disabled={!mayAct || compare.isPending}>
            <Trans>Compare</Trans>
          </Button>
        </div>
        {compare.isError && <Problem error={compare.error} />}
        {compare.data !== undefined && <Compared answer={compare.data} />}
      </form>
    </Card>
  );
}

/** Only for requests that are signed by header. */
function ByHeader() {
  const { t } = useLingui();
  return (
    <details>
      <summary>
        <Trans>Signed by header (v2)</Trans>
      </summary>
      <div className={styles['form']}>
        <Field label="X-Signature" name="header" placeholder="v2,t=…,nonce=…,sig=…" />
        <Select label={t`Method`} name="method" options={{ POST: 'POST', GET: 'GET' }} />
        <Field
          label={t`Path with its query`}
          hint={t`The parameters above are then the body, byte for byte; empty for a GET`}
          name="target"
          placeholder="/transaction/create"
        />
      </div>
    </details>
  );
}

function Compared({ answer }: { readonly answer: SignatureCompared }) {
  const { ours, yours, differs_at: differsAt, hint, is_right: isHashRight } = answer;
  return (
    <div className={styles['compared']} aria-live="polite">
      {isHashRight !== null && (
        <Notice tone={isHashRight ? 'done' : 'alert'}>
          {isHashRight ? (
            <Trans>The signature that was sent matches a valid key.</Trans>
          ) : (
            <Trans>The signature that was sent does not match any valid key.</Trans>
          )}
        </Notice>
      )}
      {yours !== null && differsAt === null && (
        <Notice tone="done">
          <Trans>The texts are equal. If the hash is still wrong, another key was used.</Trans>
        </Notice>
      )}
      {differsAt !== null && (
        <Notice tone="alert">
          <Trans>The texts differ from character {differsAt + 1} on.</Trans>{' '}
          {hint !== null && <Hint hint={hint} />}
        </Notice>
      )}
      <p>
        <Trans>The text that has to be signed</Trans>
      </p>
      <Marked text={ours} at={differsAt} />
      {yours !== null && (
        <>
          <p>
            <Trans>The text that was signed</Trans>
          </p>
          <Marked text={yours} at={differsAt} />
        </>
      )}
    </div>
  );
}

/** The text, with what follows the first difference marked. */
function Marked({ text, at }: { readonly text: string; readonly at: number | null }) {
  if (at === null) return <pre>{text}</pre>;
  return (
    <pre>
      {text.slice(0, at)}
      <mark>{text.slice(at) === '' ? '∎' : text.slice(at)}</mark>
    </pre>
  );
}

function Hint({ hint }: { readonly hint: SignatureHint }) {
  switch (hint) {
    case 'encoded':
      return (
        <Trans>
          Your text is URL-encoded. Sign the values as they are, and encode them afterwards.
        </Trans>
      );
    case 'order':
      return <Trans>The parameters are in another order. Sort them by name, in ASCII order.</Trans>;
    case 'hash_included':
      return <Trans>Your text contains hash, which is never part of the signed text.</Trans>;
    case 'missing_parameter':
      return <Trans>Your text lacks a parameter that was sent.</Trans>;
    case 'further_parameter':
      return <Trans>Your text has a parameter that was not sent.</Trans>;
    case 'line_break':
      return <Trans>Your text has a line break, often at the end.</Trans>;
    case 'spaces':
      return <Trans>They differ in spaces only.</Trans>;
    case 'amount_form':
      return <Trans>The amount is written differently. It is signed exactly as sent.</Trans>;
  }
}
