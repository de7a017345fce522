import { Trans } from '@lingui/react/macro';
import { PageHeader } from '../../design/PageHeader.tsx';
import { Components } from './Components.tsx';
import styles from './Design.module.css';

/** Every component of the console in both themes, to look at after a change of one. */
export function Design() {
  return (
    <>
      <PageHeader
        title={<Trans>Design</Trans>}
        about={<Trans>Every component of the console, light and dark.</Trans>}
      />
      <div className={styles['themes']}>
        {(['light', 'dark'] as const).map((theme) => (
          <div key={theme} className={styles['theme']} data-theme={theme}>
            <Components />
          </div>
        ))}
      </div>
    </>
  );
}
