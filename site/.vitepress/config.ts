import { readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitepress';
import { externalScripts } from '../external-scripts.ts';
import { addressOf, copyDownloads, rewriteLinks } from '../links.ts';
import { compressFiles } from '../compress.ts';
import { groupSamples } from '../samples.ts';
import { sidebarOf } from '../sidebar.ts';
import { classesForStyles } from '../styles.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const OUTPUT = path.join(ROOT, 'site/dist');
const index = readFileSync(path.join(ROOT, 'docs/README.md'), 'utf8');
const start = externalScripts();
const styles = classesForStyles();

export default defineConfig({
  title: 'Malipo',
  description: 'Guides and reference of Malipo, a bill-payment and credit-information service',
  // The same files work below any path, also behind a proxy that adds a prefix.
  base: './',
  srcDir: '..',
  outDir: 'dist',
  cacheDir: '../node_modules/.cache/vitepress',
  // Pages are where they are read on a code host: nothing is copied.
  srcExclude: [
    '{src,console,scripts,sandbox,scorecards,site}/**',
    'CONTRIBUTING.md',
    '**/AGENTS.md',
  ],
  rewrites: addressOf,
  additionalConfig: {},
  // Without the style element that would switch transitions off.
  appearance: { disableTransition: false },
  router: { prefetchLinks: false },
  locales: {
    root: { label: 'English', lang: 'en' },
    sw: {
      label: 'Kiswahili',
      lang: 'sw',
      description: 'Miongozo ya Malipo',
      themeConfig: {
        nav: [{ text: 'Rejea ya API', link: '/api/index.html', target: '_self' }],
        sidebar: sidebarOf(index, ['Kiswahili']),
        outline: { level: [2, 3], label: 'Kwenye ukurasa huu' },
        docFooter: { prev: 'Uliotangulia', next: 'Unaofuata' },
        darkModeSwitchLabel: 'Mwonekano',
        lightModeSwitchTitle: 'Tumia mwonekano mweupe',
        darkModeSwitchTitle: 'Tumia mwonekano mweusi',
        sidebarMenuLabel: 'Menyu',
        returnToTopLabel: 'Rudi juu',
        langMenuLabel: 'Badili lugha',
        skipToContentLabel: 'Ruka hadi maudhui',
      },
    },
  },
  themeConfig: {
    nav: [{ text: 'API reference', link: '/api/index.html', target: '_self' }],
    sidebar: sidebarOf(index),
    outline: { level: [2, 3] },
    // A page that is not translated has no counterpart to switch to.
    i18nRouting: false,
    search: { provider: 'local' },
  },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    codeTransformers: [styles.transformer],
    image: { lazyLoading: true },
    anchor: { slugify: anchorOf },
    config(markdown) {
      styles.addTo(markdown);
      groupSamples(markdown);
      rewriteLinks(markdown, ROOT);
    },
  },
  vite: {
    publicDir: path.join(import.meta.dirname, '../public'),
    build: { assetsInlineLimit: 0, chunkSizeWarningLimit: 4_000 },
  },
  transformHtml: (html, file) => start.takeFrom(html, path.relative(path.dirname(file), OUTPUT)),
  async buildEnd() {
    await start.write(path.join(OUTPUT, 'start.js'));
    await styles.write(path.join(OUTPUT, 'styles.css'));
    await copyDownloads(ROOT, OUTPUT);
    await compressFiles(OUTPUT);
  },
});

/** The anchors that code hosts give headings, so that links work in both places. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}
