import { Trans, useLingui } from '@lingui/react/macro';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { Button } from './Button.tsx';
import { Dialog } from './Dialog.tsx';
import styles from './Dialog.module.css';
import { Problem } from './Problem.tsx';
import { TextArea } from './TextArea.tsx';
import { announce } from './Toasts.tsx';
import type { Undo } from './Toasts.tsx';

const REASON_LENGTH = 500;

interface Confirmation {
  /** The button's label, such as `Take offline`. */
  readonly confirm: ReactNode;
  /** `danger`: it cannot be undone, or customers notice it. */
  readonly kind?: 'primary' | 'danger';
  readonly reason?: 'required' | 'none';
  /** The announcement after success. Absent: none. */
  readonly done?: string;
  /** The way back, which the announcement offers: an ordinary action, with a reason for the audit log. */
  readonly undo?: (reason: string) => Undo;
  /** It cannot be undone, which the dialog says. */
  readonly isFinal?: boolean;
  /**
   * Gets the fields by name, with `reason`. It closes when the promise is fulfilled. A text that it returns is
   * announced in place of `done`, without a way back.
   */
  readonly onConfirm: (fields: Readonly<Record<string, string>>) => Promise<unknown>;
  /** What will happen, in a sentence or two, and further fields. */
  readonly children?: ReactNode;
}

/**
 * Asks for confirmation before an action, with the reason for the audit log. It stays open with the error if
 * the service refuses. Further fields are children, named like the parameters of the request.
 */
export function ConfirmDialog({
  title,
  open,
  onOpenChange,
  ...confirmation
}: Confirmation & {
  readonly title: ReactNode;
  readonly open: boolean;
  readonly onOpenChange: (open: boolean) => void;
}) {
  const [isBusy, setIsBusy] = useState(false);
  // The request is already running, so the dialog waits for its answer.
  const change = (isOpen: boolean): void => {
    if (!isBusy) onOpenChange(isOpen);
  };
  return (
    <Dialog title={title} open={open} onOpenChange={change}>
      <ConfirmForm {...confirmation} onBusy={setIsBusy} onClose={() => onOpenChange(false)} />
    </Dialog>
  );
}

function ConfirmForm(
  props: Confirmation & {
    readonly onBusy: (isBusy: boolean) => void;
    readonly onClose: () => void;
  },
) {
  const {
    confirm,
    kind = 'primary',
    reason = 'required',
    done,
    undo,
    isFinal = false,
    onConfirm,
    onBusy,
    onClose,
  } = props;
  const action = useMutation({
    mutationFn: onConfirm,
    onMutate: () => onBusy(true),
    onSettled: () => onBusy(false),
    onSuccess: (answer, fields) => {
      onClose();
      if (typeof answer === 'string') announce(answer);
      else if (done !== undefined) announce(done, undo?.(reasonToUndo(fields)));
    },
  });
  const { error, isPending } = action;
  const isReasonWrong = error instanceof ApiError && error.field === 'reason';
  return (
    <form
      className={styles['form']}
      onSubmit={(event) => {
        event.preventDefault();
        action.mutate(fieldsOf(event.currentTarget));
      }}
    >
      {props.children}
      {isFinal && (
        <p>
          <Trans>This cannot be undone.</Trans>
        </p>
      )}
      {reason === 'required' && <Reason error={isReasonWrong ? error.message : undefined} />}
      {error !== null && !isReasonWrong && <Problem error={error} />}
      <div className={styles['actions']}>
        <Button onClick={onClose} disabled={isPending}>
          <Trans>Cancel</Trans>
        </Button>
        <Button kind={kind} type="submit" disabled={isPending}>
          {confirm}
        </Button>
      </div>
    </form>
  );
}

function Reason({ error }: { readonly error: string | undefined }) {
  const { t } = useLingui();
  return (
    <TextArea
      label={t`Reason`}
      hint={t`Kept in the audit log`}
      error={error}
      name="reason"
      maxLength={REASON_LENGTH}
      rows={2}
      required
    />
  );
}

/** English, like everything in the audit log. */
function reasonToUndo({ reason = '' }: Readonly<Record<string, string>>): string {
  return `Undone: ${reason}`.slice(0, REASON_LENGTH).toWellFormed();
}

function fieldsOf(form: HTMLFormElement): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [name, value] of new FormData(form)) {
    if (typeof value !== 'string' || value.trim() === '') continue;
    fields[name] = isPassword(form.elements.namedItem(name)) ? value : value.trim();
  }
  return fields;
}

/** A password may begin or end with a space. */
function isPassword(field: unknown): boolean {
  return field instanceof HTMLInputElement && field.type === 'password';
}
