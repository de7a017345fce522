import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { Trans, useLingui } from '@lingui/react/macro';
import type { StatementPreview } from '../../../../src/staff/statements.ts';
import { Pill } from '../../design/Pill.tsx';
import type { Tone } from '../../design/Notice.tsx';
import { Table } from '../../design/Table.tsx';
import { Money } from '../../format/Money.tsx';
import styles from './Reconciliation.module.css';

type Line = StatementPreview['lines'][number];
type Outcome = Line['outcome'];

/** Rows that are shown; the others are counted. */
const MAX_SHOWN = 50;

const OUTCOMES: Readonly<
  Record<Outcome, { readonly title: MessageDescriptor; readonly tone: Tone }>
> = {
  refused: { title: msg`Nothing is imported`, tone: 'alert' },
  held: { title: msg`Waits for people`, tone: 'waiting' },
  settled: { title: msg`Becomes paid`, tone: 'done' },
  failed: { title: msg`Fails`, tone: 'alert' },
  booked: { title: msg`Booked`, tone: 'info' },
  agrees: { title: msg`Agrees`, tone: 'done' },
  known: { title: msg`Known already`, tone: 'info' },
};
const ORDER = Object.keys(OUTCOMES) as readonly Outcome[];
/** They change nothing, so they are only counted. */
const COUNTED: ReadonlySet<Outcome> = new Set(['agrees', 'known']);

/** What the import of a statement would do now. */
export function Preview({ preview }: { readonly preview: StatementPreview }) {
  const { t, i18n } = useLingui();
  const { lines } = preview;
  const shown = lines
    .filter(({ outcome }) => !COUNTED.has(outcome))
    .toSorted((one, other) => ORDER.indexOf(one.outcome) - ORDER.indexOf(other.outcome));
  const counts = ORDER.map((outcome) => ({
    outcome,
    count: lines.filter((line) => line.outcome === outcome).length,
  })).filter(({ count }) => count > 0);
  const more = shown.length - MAX_SHOWN;
  return (
    <section aria-label={t`Preview`}>
      <p className={styles['verdicts']}>
        {preview.statement !== null && <Trans>It was imported before.</Trans>}
        {counts.map(({ outcome, count }) => (
          <Pill key={outcome} tone={OUTCOMES[outcome].tone}>
            {i18n._(OUTCOMES[outcome].title)}: {count}
          </Pill>
        ))}
      </p>
      <Table
        label={t`Preview`}
        rows={shown.slice(0, MAX_SHOWN).map((line, index) => ({ ...line, index }))}
        keyOf={({ index }) => String(index)}
        empty={t`No payment changes, and no case is opened.`}
        columns={[
          { title: t`Line`, cell: ({ line }) => line ?? '', align: 'end' },
          { title: t`What happens`, cell: (line) => <Effect line={line} /> },
          {
            title: t`Payment`,
            cell: ({ account, reference }) => account ?? reference,
            hide: 'small',
          },
          {
            title: t`KES`,
            cell: ({ amount }) => amount && <Money amount={amount} />,
            align: 'end',
          },
        ]}
      />
      {more > 0 && (
        <p>
          <Trans>and {more} more</Trans>
        </p>
      )}
    </section>
  );
}

function Effect({ line }: { readonly line: Line }) {
  const { i18n } = useLingui();
  return (
    <>
      {i18n._(OUTCOMES[line.outcome].title)}
      {line.because !== null && (
        <>
          {' '}
          <small>{i18n._(line.because)}</small>
        </>
      )}
    </>
  );
}
