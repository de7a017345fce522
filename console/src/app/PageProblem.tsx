import { Trans } from '@lingui/react/macro';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useLocation } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ApiError } from '../api/client.ts';
import { PageButtonLink } from '../design/ButtonLink.tsx';
import { PageHeader } from '../design/PageHeader.tsx';
import { Problem } from '../design/Problem.tsx';

/** In place of a page: why it cannot be shown, and a way on. */
export function PageProblem({
  error,
  onRetry,
  back,
}: {
  readonly error: unknown;
  readonly onRetry: () => void;
  /** The way back to the list. */
  readonly back?: ReactNode;
}) {
  const status = error instanceof ApiError ? error.status : undefined;
  if (status === 404) return <NotFound back={back} />;
  if (status === 403) return <NotPermitted back={back} />;
  return (
    <>
      <PageHeader back={back} title={<Trans>This page cannot be shown</Trans>} />
      <Problem error={error} onRetry={onRetry} />
    </>
  );
}

/** What the router shows for a page that failed. */
export function RouteProblem({ error, reset }: ErrorComponentProps) {
  return <PageProblem error={error} onRetry={reset} />;
}

/** Nothing has this address. */
export function NotFound({ back }: { readonly back?: ReactNode }) {
  const address = useAddress();
  return (
    <PageHeader
      back={back}
      title={<Trans>Not found</Trans>}
      about={
        <Trans>
          There is nothing at {address}, or it belongs to somebody else. Check the address, or
          search for the payment.
        </Trans>
      }
    >
      <HomeLink />
    </PageHeader>
  );
}

/** The page exists, for other roles. */
export function NotPermitted({ back }: { readonly back?: ReactNode }) {
  const address = useAddress();
  return (
    <PageHeader
      back={back}
      title={<Trans>Not permitted</Trans>}
      about={
        <Trans>
          Your role may not see {address}. If you need it for your work, ask an administrator.
        </Trans>
      }
    >
      <HomeLink />
    </PageHeader>
  );
}

/** What was asked for. */
function useAddress() {
  return <code>{useLocation({ select: ({ pathname }) => decodeURI(pathname) })}</code>;
}

function HomeLink() {
  return (
    <PageButtonLink to="/">
      <Trans>Go to the home page</Trans>
    </PageButtonLink>
  );
}
