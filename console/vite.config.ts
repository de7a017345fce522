import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { lingui, linguiTransformerBabelPreset } from '@lingui/vite-plugin';
import babel from '@rolldown/plugin-babel';
import react from '@vitejs/plugin-react';
import { defineConfig, loadEnv } from 'vite';
import type { Plugin } from 'vite';

// Named, because tools read this file from other folders as well.
const configPath = fileURLToPath(new URL('lingui.config.ts', import.meta.url));

/** The path of the console under `npm run dev`. */
const DEVELOPED_AT = '/console/';

function catalogue(language: string): URL {
  return new URL(`src/locales/${language}.po`, import.meta.url);
}

/** An English text is its own key, so the English catalogue is the Swahili one without translations. */
function englishTexts(): Plugin {
  return {
    name: 'english-texts',
    buildStart: () => {
      const entries = readFileSync(catalogue('sw'), 'utf8').split('\n\n');
      const english = entries.map((entry) => entry.replace(/^msgstr [^]*/m, 'msgstr ""'));
      writeFileSync(catalogue('en'), `${english.join('\n\n')}\n`);
    },
  };
}

/** The service writes the page's <base> when it serves what was built. */
function baseElement(): Plugin {
  return {
    name: 'base-element',
    apply: 'serve',
    transformIndexHtml: () => [
      { tag: 'base', attrs: { href: DEVELOPED_AT }, injectTo: 'head-prepend' },
    ],
  };
}

export default defineConfig(({ command, mode }) => ({
  // Files are found from the page's <base>, so that the same build works below any path.
  base: command === 'serve' ? DEVELOPED_AT : './',
  // `npm run dev` names the service, from which all comes that is no file of the console.
  server: {
    proxy: {
      '^/(?!console/(?!api/))': { target: loadEnv(mode, '.', 'SERVICE_URL')['SERVICE_URL'] ?? '' },
    },
  },
  plugins: [
    englishTexts(),
    baseElement(),
    babel({ presets: [linguiTransformerBabelPreset({}, { configPath })] }),
    react(),
    lingui({ configPath }),
  ],
  build: {
    target: 'es2023',
    // With `light-dark()`, so that a part of a page can have the other theme.
    cssTarget: ['chrome123', 'firefox121', 'safari17.5'],
    // Nothing inline: the Content-Security-Policy allows files of the server only.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Compiling the texts takes most of the two seconds.
    rolldownOptions: { checks: { pluginTimings: false } },
  },
}));
