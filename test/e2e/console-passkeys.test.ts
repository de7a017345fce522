import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEMO_PASSWORD } from '../../sandbox/data.ts';
import { listAudit } from '../../src/parties/people/read-audit.ts';
import { acceptLink, createLink } from '../../src/parties/people/links.ts';
import { BROWSER_TIMEOUT_MS, HAS_BROWSER, startBrowser } from '../support/browser.ts';
import { buildConsoleOnce, openConsole } from '../support/console-browser.ts';
import { ConsoleClient, signedIn } from '../support/console-client.ts';
import { createServiceDatabase, startInProcess } from '../support/in-process-service.ts';
import type { InProcessService } from '../support/in-process-service.ts';
import { peopleDepsOf } from '../support/people-deps.ts';
import { startPrefixProxy } from '../support/prefix-proxy.ts';
import type { PrefixProxy } from '../support/prefix-proxy.ts';

// A person adds a passkey and signs in with it, behind a proxy that serves the service below a path.

let proxy: PrefixProxy;
let running: InProcessService;
let browser: Browser;
/** Passkeys belong to it, whatever the path. */
let site = '';
let origin = '';

beforeAll(async () => {
  buildConsoleOnce();
  proxy = await startPrefixProxy('/apps/pay', () => running.origin);
  site = `http://localhost:${proxy.port}`;
  origin = `${site}/apps/pay`;
  running = await startInProcess((await createServiceDatabase()).url, {
    environment: { PUBLIC_URL: origin },
  });
  browser = await startBrowser();
});
afterAll(async () => {
  await browser.close();
  await proxy.close();
  await running.stop();
});

/** Chromium emulates a telephone that checks a fingerprint. */
async function addDevice(page: Page): Promise<void> {
  const devices = await page.context().newCDPSession(page);
  await devices.send('WebAuthn.enable');
  await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

test.skipIf(!HAS_BROWSER)(
  'a person adds a passkey, signs in with it, and a new link ends it',
  { timeout: 60_000 },
  async () => {
    const problems: string[] = [];
    const page = await openConsole(browser, '/passkeys', { origin, login: 'risk', problems });
    await addDevice(page);
    await page.getByText('You have no passkey yet.').waitFor();
    await page.getByRole('button', { name: 'Add a passkey' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('What to call it').fill('My telephone');
    await dialog.getByLabel('Your password').fill(`${DEMO_PASSWORD} `); // not trimmed
    await dialog.getByRole('button', { name: 'Add a passkey' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Your password').fill(DEMO_PASSWORD);
    await dialog.getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByRole('cell', { name: 'My telephone', exact: true }).waitFor();

    const signInWithPasskey = async (): Promise<void> => {
      await page.context().clearCookies();
      await page.goto(`${origin}/console/sign-in`);
      await page.getByRole('button', { name: 'Use a passkey' }).click();
    };
    await signInWithPasskey();
    await page.getByRole('heading', { name: /^Hello/ }).waitFor();
    const { pool } = running.service;
    const [entry] = await listAudit(pool, { action: 'session.passkey', limit: 1 });
    expect(entry).toMatchObject({ login: 'risk', result: 'done' });

    // A lost or stolen device can no longer sign in.
    const masterKeys = { current: Buffer.alloc(32, 'test master key'), previous: undefined };
    const deps = await peopleDepsOf(running);
    const token = await createLink(deps, 'risk', { madeBy: null, now: new Date() });
    const chosen = { token, password: 'another good password', codes: undefined };
    await acceptLink({ ...deps, masterKeys, codesRequired: false }, chosen, new Date());
    await signInWithPasskey();
    await page.getByText('Wrong').or(page.getByRole('alert')).first().waitFor();
    expect(new URL(page.url()).pathname).toBe('/apps/pay/console/sign-in');
    expect(problems.filter((text) => !/40\d/.test(text))).toEqual([]);
  },
);

test.skipIf(!HAS_BROWSER)(
  'a page at another address is told where passkeys work',
  { timeout: 60_000 },
  async () => {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(BROWSER_TIMEOUT_MS);
    // The same service, without the proxy and its name.
    await page.goto(`${running.origin}/console/sign-in`);
    await page.getByRole('button', { name: 'Use a passkey' }).click();
    await page.getByText(`Passkeys work only at ${site}`).waitFor();
  },
);

test('answers that no device made are refused, and a challenge is valid for one person only', async () => {
  const stranger = new ConsoleClient(origin);
  const begun = await stranger.send('POST', '/session/passkey/begin', {});
  expect(begun.body).toMatchObject({ rpId: 'localhost', userVerification: 'required' });
  const response = { id: 'bm90LWEta2V5', rawId: 'bm90LWEta2V5', type: 'public-key', response: {} };
  const refused = await stranger.send('POST', '/session/passkey', { response });
  expect(refused.code).toBe('sign_in_failed');

  const person = await signedIn(origin, 'finance');
  const wrong = await person.send('POST', '/account/passkeys/begin', { password: 'a wrong one' });
  expect(wrong.code).toBe('sign_in_failed');
  const options = { password: DEMO_PASSWORD };
  const mine = await person.send('POST', '/account/passkeys/begin', options);
  expect(mine.status).toBe(200);
  const added = await person.send('POST', '/account/passkeys', { name: 'x', response });
  expect(added.code).toBe('invalid_field');
  const removed = await person.send('POST', '/account/passkeys/unknown/remove');
  expect(removed.code).toBe('not_found');
});
