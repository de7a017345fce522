import { Menu } from '@base-ui/react/menu';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import styles from './PersonMenu.module.css';

/** One choice of several in a menu. */
export function Choices<Choice extends string>({
  title,
  choices,
  chosen,
  onChoose,
}: {
  readonly title: ReactNode;
  readonly choices: Readonly<Record<Choice, string>>;
  readonly chosen: Choice;
  readonly onChoose: (choice: Choice) => void;
}) {
  return (
    <Menu.Group>
      <Menu.GroupLabel className={styles['label']}>{title}</Menu.GroupLabel>
      <Menu.RadioGroup value={chosen} onValueChange={(value: Choice) => onChoose(value)}>
        {(Object.entries(choices) as [Choice, string][]).map(([choice, name]) => (
          <Menu.RadioItem key={choice} value={choice} className={styles['item']}>
            {name}
            <Menu.RadioItemIndicator>
              <Check size={16} aria-hidden="true" />
            </Menu.RadioItemIndicator>
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </Menu.Group>
  );
}
