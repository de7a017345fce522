import type { ErrorComponentProps } from '@tanstack/react-router';
import { Outlet } from '@tanstack/react-router';
import { Brand } from '../design/Brand.tsx';
import { Outage } from './Outage.tsx';
import { RouteProblem } from './PageProblem.tsx';
import styles from './Root.module.css';

/** Around every page, with or without the frame. */
export function Root() {
  return (
    <>
      <Outlet />
      <Outage />
    </>
  );
}

/** Without the frame, because nobody knows yet who is signed in. */
export function FrameProblem(props: ErrorComponentProps) {
  return (
    <main id="main" className={styles['alone']}>
      <Brand />
      <RouteProblem {...props} />
    </main>
  );
}
