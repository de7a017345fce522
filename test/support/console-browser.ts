import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { DEMO_PASSWORD } from '../../sandbox/data.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Where the console is built. */
export const BUILT_CONSOLE = path.join(ROOT, 'console/dist');

const BUILT_DOCUMENTATION = path.join(ROOT, 'site/dist');

/** `npm ci` builds it; a working copy may lack it. */
export function buildConsoleOnce(): void {
  buildPagesOnce(BUILT_CONSOLE);
}

/** Like the console, the documentation at `/docs`. */
export function buildDocumentationOnce(): void {
  buildPagesOnce(BUILT_DOCUMENTATION);
}

function buildPagesOnce(built: string): void {
  if (existsSync(path.join(built, 'index.html'))) return;
  spawnSync(process.execPath, ['scripts/prepare-pages.mjs'], { cwd: ROOT });
}

/** A page of the console with a signed-in person. */
export async function openConsole(
  browser: Browser,
  at: string,
  by: {
    readonly origin: string;
    readonly login: string;
    /** Receives errors that the page logs. */
    readonly problems: string[];
  },
): Promise<Page> {
  const context = await browser.newContext();
  const page = await context.newPage();
  page.on('pageerror', (error) => by.problems.push(error.message));
  page.on('console', (message) => {
    // At first nobody is signed in; the page learns this from a 401 of the service.
    if (message.type() === 'error' && !message.text().includes('401')) {
      by.problems.push(message.text());
    }
  });
  await page.goto(`${by.origin}/console${at}`);
  await page.getByLabel('E-mail address or name').fill(by.login);
  await page.getByLabel('Password').fill(DEMO_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#main').waitFor();
  return page;
}
