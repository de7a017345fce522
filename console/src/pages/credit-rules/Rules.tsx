import { Trans, useLingui } from '@lingui/react/macro';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { RuleChanges, RuleList, RuleView } from '../../../../src/staff/credit-rules.ts';
import { get } from '../../api/client.ts';
import { usePages } from '../../api/pages.ts';
import { useMay } from '../../app/session.ts';
import { Button } from '../../design/Button.tsx';
import { Card } from '../../design/Card.tsx';
import { More } from '../../design/More.tsx';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Pill } from '../../design/Pill.tsx';
import { Problem } from '../../design/Problem.tsx';
import { Skeleton } from '../../design/Skeleton.tsx';
import { Table } from '../../design/Table.tsx';
import { Time } from '../../format/Time.tsx';
import { ProposeCredit } from '../credit-cases/Propose.tsx';
import { Conditions } from './Conditions.tsx';
import { ProposeRule } from './ProposeRule.tsx';

/** Which negative information is neither shown nor scored. */
export function Rules() {
  const mayAct = useMay('credit.act');
  const [isAsked, setIsAsked] = useState(false);
  const found = useQuery({
    queryKey: ['credit-rules'],
    queryFn: ({ signal }) => get<RuleList>('/credit/rules', {}, signal),
  });
  const changes = usePages<RuleChanges>(['credit-rule-changes'], '/credit/rule-changes');
  return (
    <>
      <PageHeader
        title={<Trans>Suppression rules</Trans>}
        about={
          <Trans>
            Negative information that a rule covers is neither shown nor scored. The data stays on
            file.
          </Trans>
        }
      >
        {mayAct && (
          <Button onClick={() => setIsAsked(true)}>
            <Trans>Propose a rule</Trans>
          </Button>
        )}
      </PageHeader>
      {found.isError && <Problem error={found.error} onRetry={() => void found.refetch()} />}
      {changes.isError && <Problem error={changes.error} onRetry={() => void changes.refetch()} />}
      <Card title={<Trans>In force</Trans>}>
        {found.data === undefined ? <Skeleton lines={4} /> : <InForce rules={found.data.rules} />}
      </Card>
      <Card title={<Trans>Changes</Trans>} more={<Trans>Newest first</Trans>}>
        {changes.isPending ? (
          <Skeleton lines={4} />
        ) : (
          <Changes changes={changes.data?.pages.flatMap((page) => page.changes) ?? []} />
        )}
      </Card>
      <More list={changes}>
        <Trans>Show more</Trans>
      </More>
      <ProposeRule open={isAsked} onClose={() => setIsAsked(false)} />
    </>
  );
}

function InForce({ rules }: { readonly rules: readonly RuleView[] }) {
  const { t } = useLingui();
  const mayAct = useMay('credit.act');
  const [ended, setEnded] = useState<string>();
  return (
    <>
      <Table
        label={t`Suppression rules`}
        rows={rules}
        keyOf={({ rule }) => rule}
        empty={t`No rule is in force: everything is shown and scored.`}
        columns={[
          { title: t`Rule`, cell: ({ rule }) => <code>{rule}</code> },
          { title: t`All of this holds`, cell: (rule) => <Conditions rule={rule} /> },
          { title: t`Reason`, cell: ({ reason }) => reason, hide: 'small' },
          {
            title: '',
            cell: ({ rule }) =>
              mayAct && (
                <Button onClick={() => setEnded(rule)} aria-label={t`Propose the end of ${rule}`}>
                  <Trans>End</Trans>
                </Button>
              ),
            align: 'end',
          },
        ]}
      />
      <ProposeCredit
        open={ended !== undefined}
        onClose={() => setEnded(undefined)}
        what="rule-end"
        title={<Trans>Propose the end of {ended}</Trans>}
        bodyOf={() => ({ rule: ended })}
      >
        <p>
          <Trans>The information that the rule hides is shown and scored again.</Trans>
        </p>
      </ProposeCredit>
    </>
  );
}

function Changes({ changes }: Pick<RuleChanges, 'changes'>) {
  const { t } = useLingui();
  return (
    <Table
      label={t`Changes`}
      rows={changes}
      keyOf={({ rule, changed_at: at }) => `${rule} ${at}`}
      empty={t`No rule has changed since the registry began.`}
      columns={[
        { title: t`When`, cell: ({ changed_at: at }) => <Time at={at} /> },
        { title: t`Rule`, cell: ({ rule }) => <code>{rule}</code> },
        {
          title: t`What`,
          cell: ({ became }) =>
            became === null ? (
              <Pill tone="info">
                <Trans>Ended</Trans>
              </Pill>
            ) : (
              <Pill tone="done">
                <Trans>In force</Trans>
              </Pill>
            ),
        },
        { title: t`Reason`, cell: ({ reason }) => reason, hide: 'small' },
      ]}
    />
  );
}
