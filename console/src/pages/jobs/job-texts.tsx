import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react';
import { useLingui as useTexts } from '@lingui/react/macro';
import type { JobView } from '../../../../src/staff/job-schema.ts';
import type { Tone } from '../../design/Notice.tsx';
import { Pill } from '../../design/Pill.tsx';
import { useFigures } from '../../format/figures.ts';
import { useProposalWord } from '../approvals/approval-texts.ts';

/** The actions that are jobs, as people call them. */
const JOB_NAMES: Readonly<Record<string, MessageDescriptor>> = {
  'archive.run': msg`Archiving of old payments`,
  'credit.import': msg`Import of a lender’s file`,
  'credit.rotate-keys': msg`Renewal of the registry’s encryption`,
  'credit.verify-chain': msg`Check of the chains of enquiries`,
  'ledger.chain': msg`Extension of the ledger’s chain`,
  'ledger.check': msg`Check of the ledger`,
  'vendor.import-references': msg`Import of references used at another system`,
};

export function useJobName(): (name: string) => string {
  const { i18n } = useLingui();
  return (name) => {
    const known = JOB_NAMES[name];
    return known === undefined ? name : i18n._(known);
  };
}

export function JobState({ state }: Pick<JobView, 'state'>) {
  const { t } = useTexts();
  const states: Record<JobView['state'], readonly [Tone, string]> = {
    running: ['info', t`Running`],
    done: ['done', t`Done`],
    failed: ['alert', t`Failed`],
    interrupted: ['waiting', t`Interrupted`],
  };
  const [tone, text] = states[state];
  return <Pill tone={tone}>{text}</Pill>;
}

/** How far it has come. */
export function Progress({ progress }: Pick<JobView, 'progress'>) {
  const { t } = useTexts();
  const { count } = useFigures();
  const word = useProposalWord();
  if (progress === null) return '–';
  const { done, of } = progress;
  // A check also names the step that it is at, for programs.
  const what = word(progress.what.replace(/:.*/, ''));
  return of === null ? `${count(done)} ${what}` : t`${count(done)} of ${count(of)} ${what}`;
}
