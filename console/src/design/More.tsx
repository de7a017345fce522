import type { ReactNode } from 'react';
import { Button } from './Button.tsx';

/** The way to the next page of a list, if it has one. */
export function More({
  list,
  className,
  children,
}: {
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
  readonly className?: string | undefined;
  readonly children: ReactNode;
}) {
  if (!list.hasNextPage) return null;
  return (
    <div className={className}>
      <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {children}
      </Button>
    </div>
  );
}
