import './design/tokens.css';
import './design/base.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { i18n } from '@lingui/core';
import { I18nProvider } from '@lingui/react';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { onAsking } from './api/client.ts';
import { createConsoleRouter } from './app/router.tsx';
import { createQueries } from './app/queries.ts';
import { sessionQuery } from './app/session.ts';
import { activateLanguage, preferredLanguage } from './i18n.ts';
import { applyTheme } from './app/theme.ts';

applyTheme();
await activateLanguage(preferredLanguage());

const queries = createQueries(() => {
  queries.setQueryData(sessionQuery.queryKey, null);
  void router.invalidate();
});
onAsking(() => queries.getQueryData(sessionQuery.queryKey)?.person.login);
const router = createConsoleRouter(queries);
const root = document.getElementById('root');
if (root === null) throw new Error('the page has no root element');
createRoot(root).render(
  <StrictMode>
    {/* The Content-Security-Policy allows no inline <style>. */}
    <CSPProvider disableStyleElements>
      <I18nProvider i18n={i18n}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={router} />
        </QueryClientProvider>
      </I18nProvider>
    </CSPProvider>
  </StrictMode>,
);
