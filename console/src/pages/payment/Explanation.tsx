import { Plural, Trans } from '@lingui/react/macro';
import type { PaymentDetail } from '../../../../src/staff/payment-schema.ts';
import { useSession } from '../../app/session.ts';
import { Notice } from '../../design/Notice.tsx';
import { asSentence } from '../../format/as-sentence.ts';
import { Time } from '../../format/Time.tsx';
import styles from './Payment.module.css';

const TONES = { QUEUED: 'info', PENDING: 'waiting', SUCCESS: 'done', FAILED: 'alert' } as const;

/**
 * Text that a support person can read to a customer: the state, what it proves, and what happens next
 * and when.
 */
export function Explanation({ payment }: { readonly payment: PaymentDetail }) {
  return (
    <Notice tone={TONES[payment.status]}>
      <div className={styles['explanation']}>
        {payment.status === 'QUEUED' && <Queued payment={payment} />}
        {payment.status === 'PENDING' && <Pending payment={payment} />}
        {payment.status === 'SUCCESS' && <Paid payment={payment} />}
        {payment.status === 'FAILED' && <Failed payment={payment} />}
      </div>
    </Notice>
  );
}

function Queued({
  payment: { next_step_at: nextStepAt, note },
}: {
  readonly payment: PaymentDetail;
}) {
  return (
    <>
      <p>
        <b>
          <Trans>Accepted, and not sent to an operator yet.</Trans>
        </b>{' '}
        {nextStepAt !== null && (
          <Trans>
            The next attempt is due at <Time at={nextStepAt} />.
          </Trans>
        )}
      </p>
      {note !== null && <p>{note}</p>}
      <p>
        <Trans>
          The amount is reserved in the vendor’s float. The vendor does not need to do anything.
        </Trans>
      </p>
    </>
  );
}

function Pending({ payment }: { readonly payment: PaymentDetail }) {
  const { queries, next_step_at: nextStepAt, note } = payment;
  const isStaff = useSession().person.vid === null;
  return (
    <>
      <p>
        <b>
          <Trans>Sent, result unknown.</Trans>
        </b>{' '}
        {queries !== null && (
          <Plural
            value={queries}
            _0="The operator has not been asked about it yet."
            one="The operator has been asked once."
            other="The operator has been asked # times."
          />
        )}{' '}
        {nextStepAt !== null && (
          <Trans>
            It is asked next at <Time at={nextStepAt} />.
          </Trans>
        )}{' '}
        {note !== null && <Trans>Last known: {note}.</Trans>}
      </p>
      {isStaff && (
        <p>
          <Proof provableAt={payment.provable_at} />
        </p>
      )}
      <p>
        <Trans>Ask the customer to wait: paying again could pay the bill twice.</Trans>
      </p>
    </>
  );
}

/** What the operator's answers prove. */
function Proof({ provableAt }: { readonly provableAt: PaymentDetail['provable_at'] }) {
  if (provableAt === null) {
    return (
      <Trans>
        Only the operator’s final result ends it: no answer of this operator proves that an
        instruction was not executed.
      </Trans>
    );
  }
  if (Date.parse(provableAt) < Date.now()) {
    return (
      <Trans>
        If the operator answers that it does not have the instruction, nothing was paid, and the
        payment is tried again.
      </Trans>
    );
  }
  return (
    <Trans>
      From <Time at={provableAt} /> on, if the operator answers that it does not have the
      instruction, nothing was paid. Then the payment is tried again.
    </Trans>
  );
}

function Paid({
  payment: { biller_reference: billerReference, message },
}: {
  readonly payment: PaymentDetail;
}) {
  return (
    <p>
      <b>
        <Trans>The bill is paid.</Trans>
      </b>{' '}
      {billerReference !== null && <Trans>The operator’s reference is {billerReference}.</Trans>}{' '}
      {message !== null && asSentence(message)}
    </p>
  );
}

function Failed({ payment: { message, fee } }: { readonly payment: PaymentDetail }) {
  return (
    <p>
      <b>
        <Trans>The bill is not paid.</Trans>
      </b>{' '}
      {message !== null && asSentence(message)}{' '}
      {fee === '0.00' ? (
        <Trans>The amount is back in the vendor’s float; the vendor may try again.</Trans>
      ) : (
        <Trans>
          The amount and the fee are back in the vendor’s float; the vendor may try again.
        </Trans>
      )}
    </p>
  );
}
