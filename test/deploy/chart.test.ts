import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { VARIABLES } from '../../src/environment.ts';
import { isInstalled } from '../support/installed.ts';
import { ROOT, finalInstruction, witnessFolder } from './dockerfile.ts';
import { DEPLOY, deployFiles, readDeploy, readYaml, wrongVariables } from './files.ts';

// What the chart makes with `ci/all-values.yaml`, as rendered by Helm. The file is part of the
// repository, so that it can be checked without Helm; its first line says which chart it was made of.
// To make it again, with Helm on the PATH: npx vitest run test/deploy/chart.test.ts --update

const CHART = 'helm/malipo';
const RENDERED = path.join(ROOT, 'test/deploy/chart.rendered.yaml');

function chartChecksum(): string {
  const hash = createHash('sha256');
  for (const file of deployFiles(`${CHART}/**/*.*`)) hash.update(`${file}\n${readDeploy(file)}`);
  return `# chart ${hash.digest('hex')}\n`;
}

function render(): string {
  const values = path.join(DEPLOY, CHART, 'ci/all-values.yaml');
  const args = ['template', 'malipo', path.join(DEPLOY, CHART), '--values', values];
  return chartChecksum() + execFileSync('helm', args, { encoding: 'utf8' });
}

interface Container {
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: readonly { readonly secretRef: { readonly name: string } }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly args?: readonly string[];
  readonly [probe: string]: unknown;
}

interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly annotations?: Record<string, string> };
  readonly spec: {
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: Readonly<Record<string, unknown>> & { readonly containers: [Container] };
    };
    readonly selector: { readonly matchLabels: Readonly<Record<string, string>> };
  };
}

describe('the chart', () => {
  const text = readFileSync(RENDERED, 'utf8');
  const resources = readYaml(text) as Resource[];
  const ofKind = (kind: string): Resource[] => resources.filter((one) => one.kind === kind);
  const processes = [...ofKind('Deployment'), ...ofKind('StatefulSet')];
  const workloads = [...processes, ...ofKind('Job')];

  test.skipIf(!isInstalled('helm'))(
    'is valid for Helm, and renders what is checked here',
    async () => {
      execFileSync('helm', ['lint', '--strict', path.join(DEPLOY, CHART)]);
      await expect(render()).toMatchFileSnapshot(RENDERED);
    },
  );

  test('has not changed since it was rendered', () => {
    expect(text.split('\n', 1)[0]).toBe(chartChecksum().trim());
  });

  test('the chart has the version of the program', () => {
    const [chart] = readYaml(readDeploy(`${CHART}/Chart.yaml`)) as [Record<string, string>];
    const { version } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8'));
    expect(chart).toMatchObject({ version, appVersion: version });
  });

  test('runs every role, and migrates before', () => {
    const roles = processes.map(
      ({ spec }) =>
        spec.template.spec.containers[0].env.find(({ name }) => name === 'ROLES')?.value,
    );
    expect(new Set(roles)).toEqual(new Set(VARIABLES.ROLES.default.split(',')));
    const [job] = ofKind('Job');
    expect(job?.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    expect(job?.spec.template.spec.containers[0].args).toEqual(['src/cli/malipo.ts', 'migrate']);
  });

  test('sets only variables that exist, to values that are allowed', () => {
    for (const { spec } of workloads) {
      const { env } = spec.template.spec.containers[0];
      const values = Object.fromEntries(env.map(({ name, value }) => [name, value]));
      expect(Object.keys(values)).toHaveLength(env.length);
      expect(wrongVariables(values)).toEqual([]);
    }
  });

  test('gives the role that owns the tables to the job that migrates alone', () => {
    const owners = workloads.filter(({ spec }) =>
      spec.template.spec.containers[0].envFrom.some(
        ({ secretRef }) => secretRef.name === 'malipo-owner',
      ),
    );
    expect(owners.map(({ kind }) => kind)).toEqual(['Job']);
  });

  test('runs every pod as the user of the image, without privileges, on a root that cannot be written', () => {
    const [uid] = finalInstruction('USER').split(':').map(Number);
    for (const { spec } of workloads) {
      expect(spec.template.spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: uid,
          seccompProfile: { type: 'RuntimeDefault' },
        },
        containers: [
          {
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
          },
        ],
      });
    }
  });

  test('asks the real port and paths, and waits longer than a stop takes', () => {
    const port = Number(/PORT=(\d+)/.exec(finalInstruction('ENV'))?.[1]);
    for (const { spec } of processes) {
      const [container] = spec.template.spec.containers;
      const metrics = Number(container.env.find(({ name }) => name === 'METRICS_PORT')?.value);
      expect(container.ports).toEqual([
        { name: 'http', containerPort: port },
        { name: 'metrics', containerPort: metrics },
      ]);
      expect(container).toMatchObject({
        startupProbe: { httpGet: { path: '/health/live', port: 'http' } },
        livenessProbe: { httpGet: { path: '/health/live', port: 'http' } },
        readinessProbe: { httpGet: { path: '/health/ready', port: 'http' } },
        lifecycle: { preStop: { sleep: { seconds: 5 } } },
      });
      const graceMs = Number(spec.template.spec['terminationGracePeriodSeconds']) * 1000;
      expect(graceMs).toBeGreaterThan(5_000 + Number(VARIABLES.SHUTDOWN_GRACE_MS.default));
    }
  });

  test('keeps the witness of each dispatcher on a volume of its own', () => {
    const [dispatcher, ...others] = ofKind('StatefulSet');
    expect(others).toEqual([]);
    expect(dispatcher?.spec.template.spec.containers[0]).toMatchObject({
      env: expect.arrayContaining([{ name: 'ROLES', value: 'dispatcher' }]) as unknown,
      volumeMounts: expect.arrayContaining([
        { name: 'witness', mountPath: witnessFolder() },
      ]) as unknown,
    });
    expect(dispatcher?.spec).toMatchObject({
      volumeClaimTemplates: [{ metadata: { name: 'witness' } }],
    });
  });

  test('selects pods that exist', () => {
    const pods = processes.map(({ spec }) => spec.template.metadata.labels);
    const selectors = resources.flatMap(({ kind, spec }) => {
      const { selector, podSelector } = spec as unknown as {
        readonly selector?: Record<string, unknown>;
        readonly podSelector?: Record<string, unknown>;
      };
      if (kind === 'ServiceMonitor') return [];
      const found = selector ?? podSelector;
      return found === undefined ? [] : [found['matchLabels'] ?? found];
    }) as Record<string, string>[];
    expect(selectors.length).toBeGreaterThan(8);
    for (const selector of selectors) {
      const matching = pods.filter((labels) =>
        Object.entries(selector).every(([name, value]) => labels[name] === value),
      );
      expect({ selector, count: matching.length }).not.toMatchObject({ count: 0 });
    }
  });
});

test('the example of a database has one that synchronous commits wait for, and an archive', () => {
  const [cluster, store] = readYaml(readDeploy('helm/cloudnativepg.yaml')) as Resource[];
  expect(cluster).toMatchObject({
    kind: 'Cluster',
    spec: {
      bootstrap: { initdb: { database: 'malipo', owner: 'malipo_owner' } },
      postgresql: { synchronous: { number: 1, dataDurability: 'required' } },
      plugins: [{ isWALArchiver: true, parameters: { barmanObjectName: store?.metadata.name } }],
    },
  });
});
