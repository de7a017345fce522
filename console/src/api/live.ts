import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { apiUrl } from './client.ts';
import { sessionQuery } from '../app/session.ts';

const AGAIN_MS = 5_000;

/**
 * Keeps the answer of a query up to date with the server's events while the page is visible. Returns
 * whether they arrive. A browser has few connections to one server, so hidden pages close theirs.
 */
export function useLive(path: string, queryKey: readonly string[]): boolean {
  const queries = useQueryClient();
  const [isLive, setIsLive] = useState(false);
  const key = queryKey.join(' ');
  useEffect(() => {
    let source: EventSource | undefined;
    let timer: number | undefined;
    const close = (): void => {
      window.clearTimeout(timer);
      source?.close();
      source = undefined;
      setIsLive(false);
    };
    const open = (): void => {
      close();
      if (document.hidden) return;
      source = new EventSource(apiUrl(path));
      source.addEventListener('message', (event: MessageEvent<string>) => {
        setIsLive(true);
        queries.setQueryData(key.split(' '), JSON.parse(event.data));
      });
      source.addEventListener('error', () => {
        setIsLive(false);
        // The browser connects again by itself, unless the server has refused.
        if (source?.readyState === EventSource.CLOSED) ended();
      });
      source.addEventListener('end', () => ended());
    };
    const ended = (): void => {
      close();
      void queries.invalidateQueries(sessionQuery);
      timer = window.setTimeout(open, AGAIN_MS);
    };
    open();
    document.addEventListener('visibilitychange', open);
    return () => {
      document.removeEventListener('visibilitychange', open);
      close();
    };
  }, [path, key, queries]);
  return isLive;
}
