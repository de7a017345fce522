import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { VARIABLES } from '../../src/environment.ts';
import { NODE_OPTIONS } from '../../scripts/node-options.ts';
import { newMasterKey } from '../integration/cli-support.ts';
import { PATH, isInstalled } from '../support/installed.ts';
import { makeTemporaryFolder, removeFolder } from '../support/temporary.ts';
import { finalInstruction, witnessFolder } from './dockerfile.ts';
import {
  DEPLOY,
  deployFiles,
  readAssignments,
  readDeploy,
  readYaml,
  wrongVariables,
} from './files.ts';

// The files of the deployment kit: what can be known without a container engine. Each is also read by
// its own program, where that is installed.

const folders: string[] = [];
afterAll(async () => await Promise.all(folders.map(removeFolder)));

async function temporaryFolder(): Promise<string> {
  const folder = await makeTemporaryFolder();
  folders.push(folder);
  return folder;
}

/** Runs it and returns what it printed. Throws if it fails. */
function run(program: string, args: readonly string[], env: Record<string, string> = {}): string {
  const found = spawnSync(program, args, { env: { PATH, ...env }, encoding: 'utf8' });
  const output = `${found.stdout}${found.stderr}`;
  expect({ status: found.status, output }).toMatchObject({ status: 0 });
  return output;
}

test.each(deployFiles('{compose,otel-collector}/*.yaml'))(
  '%s is one strict YAML document',
  (file) => {
    expect(readYaml(readDeploy(file))).toHaveLength(1);
  },
);

interface ComposeService {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test?: readonly string[] };
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly security_opt?: readonly string[];
}

function valueLike(name: string): string {
  if (name.endsWith('_KEY')) return newMasterKey();
  return name.endsWith('_ENDPOINT') ? 'http://otel-collector:4318' : 'x';
}

describe('compose.yaml', () => {
  const example = readAssignments(readDeploy('compose/.env.example'));
  const filled: Record<string, string> = Object.fromEntries(
    Object.entries(example).map(([name, value]) => [name, value || valueLike(name)]),
  );
  const text = readDeploy('compose/compose.yaml').replaceAll(
    /\$\{(\w+)(:[?-][^}]*)?\}/g,
    (_all, name: string) => filled[name] ?? `no ${name} in .env.example`,
  );
  const [compose] = readYaml(text) as [{ readonly services: Record<string, ComposeService> }];
  const services = Object.entries(compose.services);
  const ours = services.filter(([, { image }]) => image.startsWith('malipo:'));

  test('takes every value from .env.example, and each is allowed', () => {
    expect(text).not.toContain('no ');
    expect(ours.map(([name]) => name)).toEqual(['api', 'dispatcher', 'jobs', 'migrate', 'malipo']);
    for (const [name, { environment = {} }] of ours) {
      expect({ name, wrong: wrongVariables(environment) }).toEqual({ name, wrong: [] });
    }
  });

  test('gives the role that owns the tables only to commands', () => {
    const owners = services.filter(([, { environment }]) => environment?.['DATABASE_OWNER_URL']);
    expect(owners.map(([name]) => name)).toEqual(['migrate', 'malipo']);
  });

  test('runs every image under an exact version, and all but PostgreSQL without any privilege', () => {
    for (const [name, service] of services) {
      expect(service.image, name).toMatch(/:v?\d+\.\d+(\.\d+)?(-\w+)?$/);
      if (service.image.startsWith('postgres:')) continue;
      expect(service, name).toMatchObject({
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
    }
  });

  test('mounts only what exists', () => {
    const mounted = services
      .flatMap(([, { volumes = [] }]) => volumes.map((volume) => volume.split(':')[0] ?? ''))
      .filter((source) => source.startsWith('.'));
    expect(mounted).not.toEqual([]);
    const missing = mounted.filter((file) => !existsSync(path.join(DEPLOY, 'compose', file)));
    expect(missing).toEqual([]);
  });

  test('keeps the state of the database on a volume that a restore does not touch', () => {
    for (const [name, { environment = {}, volumes }] of ours) {
      expect(volumes, name).toEqual([`witness:${witnessFolder()}`]);
      expect(environment['DATABASE_WITNESS'], name).toBe(witnessFolder());
    }
    expect(compose.services['postgres']?.volumes?.join()).not.toContain('witness');
  });

  test('publishes the proxy, and everything else on this machine only', () => {
    const published = services.flatMap(([name, { ports = [] }]) =>
      ports.filter((port) => !port.startsWith('127.0.0.1:')).map(() => name),
    );
    expect(new Set(published)).toEqual(new Set(['proxy']));
    // The proxy and Prometheus share exactly one network with the API, so they find it under one address.
    for (const [name, shared] of [
      ['proxy', 'front'],
      ['prometheus', 'metrics'],
    ] as const) {
      const both = compose.services[name]?.networks?.filter((network) =>
        compose.services['api']?.networks?.includes(network),
      );
      expect(both).toEqual([shared]);
    }
  });

  test('asks the port of the API whether it is ready, and Prometheus that of the metrics', () => {
    const port = /PORT=(\d+)/.exec(finalInstruction('ENV'))?.[1];
    expect(port).toBe(VARIABLES.PORT.default);
    const asked = ours.flatMap(([name, { healthcheck }]) =>
      healthcheck?.test === undefined ? [] : [{ name, test: healthcheck.test.join(' ') }],
    );
    expect(asked.map(({ name }) => name)).toEqual(['api', 'dispatcher', 'jobs']);
    for (const { test: command } of asked) expect(command).toContain(`:${port}/health/ready`);
    const scrape = readDeploy('compose/prometheus.yaml');
    expect(scrape).toContain(`port: ${compose.services['api']?.environment?.['METRICS_PORT']}`);
    expect(finalInstruction('EXPOSE')).toBe(port);
  });
});

test('everything starts the programs with the same options of Node', () => {
  const files = ['../package.json', ...deployFiles('{compose,helm,image,systemd}/**/*.*')];
  const options = NODE_OPTIONS.map((option) => option.replace(/^file:.*\//, './scripts/'));
  const starts = [...files, 'image/Dockerfile'].flatMap((file) =>
    readDeploy(file)
      .replaceAll(/[ "'[\],]+/g, ' ')
      .split('\n')
      .filter((line) => /node .*prepare-node\.mjs (?:src\/|$)/.test(line)),
  );
  expect(starts).toHaveLength(10);
  for (const line of starts) expect(line).toContain(`node ${options.join(' ')} `);
});

describe('the systemd units', () => {
  const etc = deployFiles('systemd/etc/*');

  test.each(etc)('%s has only variables that exist, with values that are allowed', (file) => {
    expect(wrongVariables(readAssignments(readDeploy(file)))).toEqual([]);
  });

  test('every role has an environment of its own, with ports that do not collide', () => {
    const roles = etc.map((file) => readAssignments(readDeploy(file))).filter(({ ROLES }) => ROLES);
    expect(roles.map(({ ROLES = '' }) => ROLES).toSorted()).toEqual(
      VARIABLES.ROLES.default.split(',').toSorted(),
    );
    const ports = roles.flatMap(({ PORT, METRICS_PORT }) => [PORT, METRICS_PORT]);
    expect(new Set(ports).size).toBe(ports.length);
  });

  test('give each process a folder for the state of the database, which others cannot read', () => {
    for (const [unit, folder] of [
      ['malipo@.service', 'malipo-witness/%i'],
      ['malipo-embedded.service', 'malipo-witness/embedded'],
    ] as const) {
      const text = readDeploy(`systemd/${unit}`);
      const state = /^StateDirectory=(.*)$/m.exec(text)?.[1]?.split(' ');
      expect(state, unit).toContain(folder);
      expect(text).toContain('StateDirectoryMode=0700');
      expect(/^Environment=DATABASE_WITNESS=(.*)$/m.exec(text)?.[1]).toMatch(
        new RegExp(`^(?:%S|/var/lib)/${folder}$`),
      );
    }
  });

  test('wait for a stop longer than the service takes', () => {
    for (const unit of ['malipo@.service', 'malipo-embedded.service']) {
      const seconds = /^TimeoutStopSec=(\d+)$/m.exec(readDeploy(`systemd/${unit}`))?.[1];
      expect(Number(seconds) * 1000).toBeGreaterThan(Number(VARIABLES.SHUTDOWN_GRACE_MS.default));
    }
  });

  test.skipIf(!isInstalled('systemd-analyze'))(
    'are accepted by systemd, as little exposed',
    async () => {
      const root = await temporaryFolder();
      const units = path.join(root, 'etc/systemd/system');
      const node = path.join(root, 'opt/malipo/node_modules/.bin/node');
      await mkdir(units, { recursive: true });
      await mkdir(path.dirname(node), { recursive: true });
      await writeFile(node, '', { mode: 0o755 });
      await cp('/lib/systemd/system', path.join(root, 'lib/systemd/system'), { recursive: true });
      const names = deployFiles('systemd/malipo*').map((file) => path.basename(file));
      for (const name of names) {
        await copyFile(
          path.join(DEPLOY, 'systemd', name),
          path.join(units, name.replace('@.', '@api.')),
        );
      }
      const services = names.filter((name) => name.endsWith('.service'));
      for (const name of services.map((one) => one.replace('@.', '@api.'))) {
        const said = run('systemd-analyze', ['verify', '--man=no', `--root=${root}`, name]);
        expect(said.split('\n').filter((line) => line.startsWith('malipo'))).toEqual([]);
      }
      for (const name of services) {
        const unit = path.join(DEPLOY, 'systemd', name);
        // Of 10; a unit without any restriction has 9.6.
        run('systemd-analyze', ['security', '--offline=yes', '--threshold=20', unit]);
      }
    },
  );
});

describe('the proxies', () => {
  test.each([
    ['Caddyfile', '@internal path /metrics /metrics/* /health /health/*\n\trespond @internal 404'],
    ['nginx.conf', 'location ~ ^/(metrics|health)(/|$) {\n        return 404;'],
    [
      'haproxy.cfg',
      'return status 404 if { path /metrics /health } or { path_beg /metrics/ /health/ }',
    ],
  ])('%s hides metrics and health, and leads to the port of the API', (file, rule) => {
    const text = readDeploy(`proxy/${file}`);
    expect(text).toContain(rule);
    expect(text).toMatch(new RegExp(`[: ]${VARIABLES.PORT.default}\\b`));
  });

  test.skipIf(!isInstalled('caddy'))('Caddy accepts its file', () => {
    const env = { MALIPO_HOST: 'pay.example', UPSTREAM: 'api', HOME: '/nonexistent' };
    const file = path.join(DEPLOY, 'proxy/Caddyfile');
    run('caddy', ['validate', '--adapter', 'caddyfile', '--config', file], env);
  });

  /** Of one certificate, for programs that want to read one. */
  async function certificate(): Promise<string> {
    const folder = await temporaryFolder();
    const [key, chain] = ['privkey.pem', 'fullchain.pem'].map((name) => path.join(folder, name));
    const made =
      '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=pay.example';
    execFileSync(
      'openssl',
      ['req', '-x509', ...made.split(' '), '-keyout', key ?? '', '-out', chain ?? ''],
      {
        stdio: 'ignore',
      },
    );
    const both = `${await readFile(key ?? '', 'utf8')}${await readFile(chain ?? '', 'utf8')}`;
    await writeFile(path.join(folder, 'pay.example.pem'), both);
    return folder;
  }

  test.skipIf(!isInstalled('nginx'))('nginx accepts its file', async () => {
    const folder = await certificate();
    const server = readDeploy('proxy/nginx.conf')
      .replaceAll('/etc/letsencrypt/live/pay.example', folder)
      .replaceAll('/var/log/nginx', folder);
    const file = path.join(folder, 'nginx.conf');
    await writeFile(file, `pid ${folder}/pid; events {} http { access_log off;\n${server}\n}\n`);
    run('nginx', ['-t', '-e', path.join(folder, 'error.log'), '-c', file]);
  });

  test.skipIf(!isInstalled('haproxy'))('HAProxy accepts its file', async () => {
    const folder = await certificate();
    const file = path.join(folder, 'haproxy.cfg');
    await writeFile(file, readDeploy('proxy/haproxy.cfg').replaceAll('/etc/haproxy', folder));
    run('haproxy', ['-c', '-f', file]);
  });
});
