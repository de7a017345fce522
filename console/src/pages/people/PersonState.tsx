import { useLingui } from '@lingui/react/macro';
import type { PersonView } from '../../../../src/staff/people.ts';
import { Pill } from '../../design/Pill.tsx';

/** Whether a person can sign in, and how. */
export function PersonState({ person }: { readonly person: PersonView }) {
  const { t } = useLingui();
  if (person.status === 'disabled') return <Pill tone="alert">{t`Disabled`}</Pill>;
  if (person.is_altered === true) return <Pill tone="alert">{t`Changed in the database`}</Pill>;
  if (person.waits_for !== null) return <Pill tone="waiting">{t`To confirm`}</Pill>;
  if (person.signs_in_with === 'invited') return <Pill tone="waiting">{t`Invited`}</Pill>;
  return (
    <Pill tone="done">
      {person.signs_in_with === 'password' ? t`Password` : t`Password and code`}
    </Pill>
  );
}
