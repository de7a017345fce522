import { Trans, useLingui } from '@lingui/react/macro';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { SystemAnswer } from '../../../../src/console/system-answers.ts';
import { send } from '../../api/client.ts';
import { useMay, useSession } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { ConfirmDialog } from '../../design/ConfirmDialog.tsx';
import { Facts } from '../../design/Facts.tsx';
import { Time } from '../../format/Time.tsx';

type Open = NonNullable<SystemAnswer['quarantine']>;

/** Why nothing is sent, what it waits for, and its end by two people. */
export function Quarantine({ quarantine }: { readonly quarantine: Open }) {
  const { t } = useLingui();
  const { operators, proposal } = quarantine;
  const missing = operators.filter(({ covered }) => !covered).map(({ operator }) => operator);
  return (
    <Card
      title={<Trans>In quarantine: nothing is sent</Trans>}
      more={<End quarantine={quarantine} missing={missing} />}
    >
      <Facts
        facts={[
          { name: t`Since`, value: <Time at={quarantine.enteredAt} /> },
          {
            name: t`May be missing from the ledger`,
            value: (
              <>
                <Time at={quarantine.lostFrom} /> – <Time at={quarantine.lostUntil} />
              </>
            ),
          },
          { name: t`Reason`, value: quarantine.reason },
          {
            name: t`Nothing seems to be missing`,
            value: quarantine.seemsComplete ? (
              <>
                <code>malipo quarantine release --nothing-lost</code>
                {quarantine.unconfirmed.length > 0 && (
                  <p>
                    <Trans>Not confirmed by: {quarantine.unconfirmed.join(', ')}</Trans>
                  </p>
                )}
              </>
            ) : null,
          },
          {
            name: t`Statements missing`,
            value: missing.length === 0 ? t`none: it can be ended` : missing.join(', '),
          },
          {
            name: t`Proposal`,
            value: proposal && (
              <Trans>
                {proposal.by} proposes to end it without statements: {proposal.reason}
              </Trans>
            ),
          },
        ]}
      />
    </Card>
  );
}

/** What a person was shown when the end was asked for. */
interface Asked {
  readonly missing: readonly string[];
  /** The proposal of another person. */
  readonly confirms: string | undefined;
}

function End({
  quarantine: { proposal },
  missing,
}: {
  readonly quarantine: Open;
  readonly missing: readonly string[];
}) {
  // Fixed while the dialog is open: nobody confirms a proposal that came meanwhile.
  const [asked, setAsked] = useState<Asked>();
  const { login } = useSession().person;
  if (!useMay('system.act')) return null;
  const isForced = missing.length > 0;
  const confirms = isForced && proposal !== null && proposal.by !== login ? proposal.id : undefined;
  return (
    <>
      <Button kind="danger" onClick={() => setAsked({ missing, confirms })}>
        {confirms !== undefined || !isForced ? (
          <Trans>End it</Trans>
        ) : (
          <Trans>Propose its end</Trans>
        )}
      </Button>
      {asked !== undefined && <EndDialog asked={asked} onClose={() => setAsked(undefined)} />}
    </>
  );
}

function EndDialog({
  asked: { missing, confirms },
  onClose,
}: {
  readonly asked: Asked;
  readonly onClose: () => void;
}) {
  const { t } = useLingui();
  const queries = useQueryClient();
  const isForced = missing.length > 0;
  const end = async ({ reason }: Readonly<Record<string, string>>): Promise<void> => {
    await send('POST', '/system/quarantine/release', { reason, confirms });
    await queries.invalidateQueries({ queryKey: ['system'] });
    await queries.invalidateQueries({ queryKey: ['approvals'] });
  };
  return (
    <ConfirmDialog
      title={<Trans>End the quarantine</Trans>}
      open
      onOpenChange={onClose}
      confirm={<Trans>Continue</Trans>}
      kind="danger"
      done={t`It is noted.`}
      isFinal={!isForced || confirms !== undefined}
      onConfirm={end}
    >
      <p>
        {isForced ? (
          <Trans>
            The statements of {missing.join(', ')} are missing. Without them customers may be
            charged twice, so a second person has to confirm it.
          </Trans>
        ) : (
          <Trans>All statements are there. Payments are sent again at once.</Trans>
        )}
      </p>
    </ConfirmDialog>
  );
}
