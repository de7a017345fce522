import { useLingui } from '@lingui/react/macro';
import type { PersonView } from '../../../../src/console/operations-answers.ts';
import { Pill } from '../../design/Pill.tsx';

/** Whether a person can sign in, and how. */
export function PersonState({ person }: { readonly person: PersonView }) {
  const { t } = useLingui();
  if (person.status === 'disabled') return <Pill tone="alert">{t`Disabled`}</Pill>;
  if (person.isAltered) return <Pill tone="alert">{t`Changed in the database`}</Pill>;
  if (person.waitsFor !== null) return <Pill tone="waiting">{t`To confirm`}</Pill>;
  if (!person.hasPassword) return <Pill tone="waiting">{t`Invited`}</Pill>;
  return <Pill tone="done">{person.hasCodes ? t`Password and code` : t`Password`}</Pill>;
}
