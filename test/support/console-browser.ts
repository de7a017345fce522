import { spawnSync } from 'node:child_process';
import { existsSync, globSync, statSync } from 'node:fs';
import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { DEMO_PASSWORD } from '../../sandbox/data.ts';
import { BROWSER_TIMEOUT_MS } from './browser.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

/** Where the console is built. */
export const BUILT_CONSOLE = path.join(ROOT, 'console/dist');

/** What the documentation is built from. */
const DOCUMENTATION = [
  '*.md',
  '{clients,deploy,bench,test}/**/*.md',
  '{docs,test/vectors}/**',
  'site/*.ts',
  'site/.vitepress/{config.ts,theme/*}',
];

/** `npm ci` builds it; a working copy may lack it. */
export function buildConsoleOnce(): void {
  if (!existsSync(path.join(BUILT_CONSOLE, 'index.html'))) buildPages('console');
}

/** Like the console, the documentation at `/docs`; also if it has changed since it was built. */
export function buildDocumentation(): void {
  const built = statSync(path.join(ROOT, 'site/dist/index.html'), { throwIfNoEntry: false });
  const isOlder = (source: string): boolean =>
    built === undefined || built.mtimeMs < statSync(path.join(ROOT, source)).mtimeMs;
  if (globSync(DOCUMENTATION, { cwd: ROOT }).some(isOlder)) buildPages('site');
}

function buildPages(folder: 'console' | 'site'): void {
  const script = ['scripts/prepare-pages.mjs', folder];
  const { status, stderr } = spawnSync(process.execPath, script, { cwd: ROOT, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${folder} could not be built:\n${stderr}`);
}

/** A page of the console with a signed-in person. It is closed after the test: an open one goes on asking for news. */
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
  onTestFinished(async () => await context.close());
  context.setDefaultTimeout(BROWSER_TIMEOUT_MS);
  const page = await context.newPage();
  page.on('pageerror', (error) => by.problems.push(error.message));
  page.on('console', (message) => {
    // At first nobody is signed in; the page learns this from a 401 of the service.
    if (message.type() === 'error' && !message.text().includes('401')) {
      by.problems.push(`${message.text()} ${message.location().url}`);
    }
  });
  await page.goto(`${by.origin}/console${at}`);
  await page.getByLabel('E-mail address or name').fill(by.login);
  await page.getByLabel('Password').fill(DEMO_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#main').waitFor();
  return page;
}
