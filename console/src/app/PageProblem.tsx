import { Trans } from '@lingui/react/macro';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { Link } from '@tanstack/react-router';
import { Notice } from '../design/Notice.tsx';
import { Problem } from '../design/Problem.tsx';

/** A page that could not be shown. */
export function PageProblem({ error, reset }: ErrorComponentProps) {
  return <Problem error={error} onRetry={reset} />;
}

/** An address without a page. */
export function NotFound() {
  return (
    <Notice tone="waiting">
      <Trans>
        This page does not exist. <Link to="/">Go to the home page</Link>
      </Trans>
    </Notice>
  );
}
