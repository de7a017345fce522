import { writeFile } from 'node:fs/promises';

/**
 * VitePress writes three short scripts and two styles into every page. The Content-Security-Policy allows
 * files only. The scripts go into one file, which computes the address of the site from its own; the styles
 * are in the theme’s style sheet, or set by its scripts.
 */
export function externalScripts(): {
  takeFrom(html: string, toRoot: string): string;
  write(file: string): Promise<void>;
} {
  const collected = new Set<string>();
  return {
    takeFrom(html, toRoot) {
      const root = toRoot === '' ? './' : `${toRoot}/`;
      const scripts = /<script(?: id="[^"]*")?>(.*?)<\/script>/gs;
      const without = html.replaceAll(scripts, (_, text: string) => {
        if (!text.includes('__VP_SITE_ROOT__')) collected.add(text);
        return '';
      });
      const added = [
        `<link rel="icon" href="${root}api/icon.svg">`,
        `<link rel="stylesheet" href="${root}styles.css">`,
        `<script src="${root}start.js"></script>`,
      ];
      return without
        .replace('<head>', `<head>${added.join('')}`)
        .replaceAll(/ style="(?:--vp-vh:0px|position:relative);"/g, '');
    },
    async write(file) {
      const root = "window.__VP_SITE_ROOT__=new URL('.',document.currentScript.src).href;";
      await writeFile(file, [root, ...collected, ''].join('\n'));
    },
  };
}
