import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import type { NavigationGroup } from './navigation.ts';

export const SEARCH_BOX_ID = 'search';

/** How long after `g` the next key counts. */
const SEQUENCE_MS = 1_500;

/** `/` goes to the search box, `g` and a page's key to that page, `?` shows them all. */
export function useShortcuts(groups: readonly NavigationGroup[], onHelp: () => void): void {
  const router = useRouter();
  const latest = useRef({ groups, onHelp });
  useEffect(() => {
    latest.current = { groups, onHelp };
  });
  useEffect(() => {
    let leaderAt = Number.NEGATIVE_INFINITY;
    const onKey = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      const isSequence = event.timeStamp - leaderAt < SEQUENCE_MS;
      leaderAt = event.key === 'g' ? event.timeStamp : Number.NEGATIVE_INFINITY;
      const items = latest.current.groups.flatMap((group) => group.items);
      const page = isSequence ? items.find(({ key }) => key === event.key) : undefined;
      if (page !== undefined) {
        event.preventDefault();
        void router.navigate({ to: page.to });
      } else if (event.key === '/') {
        event.preventDefault();
        document.getElementById(SEARCH_BOX_ID)?.focus();
      } else if (event.key === '?') {
        latest.current.onHelp();
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [router]);
}

/** Keys belong to the field, or to the open dialog or menu. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    target.closest('input, textarea, select, [contenteditable], [role="dialog"], [role="menu"]') !==
      null
  );
}
