import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { DASHBOARDS } from '../../../scripts/dashboards.ts';
import { createPool } from '../../../src/platform/db/pool.ts';
import { MetricsRegistry } from '../../../src/platform/gauges.ts';
import { isInstalled } from '../../support/installed.ts';
import { metricsOf } from '../../support/metrics.ts';
import { pino } from 'pino';

// Alerts and dashboards about metrics that no process has would never show anything.

const ROOT = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook_url: string };
}
const RULES = 'deploy/prometheus/malipo.rules.yml';
const { groups } = parse(read(RULES)) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

/** Prometheus adds these to every scrape. */
const BY_PROMETHEUS: Readonly<Record<string, readonly string[]>> = { up: ['job', 'instance'] };

// The database is away, and every metric is still listed.
const pool = createPool({ url: 'postgresql://127.0.0.1:9/none', max: 1, name: 'nowhere' });
const registry = new MetricsRegistry(pino({ level: 'silent' }));
metricsOf(pool, registry);
afterAll(async () => await pool.end());

function labelsOf(name: string): readonly string[] | undefined {
  const metric = registry.getSingleMetric(name.replace(/_(?:bucket|sum|count)$/, ''));
  const known = registry.getSingleMetric(name) ?? metric;
  if (known === undefined) return BY_PROMETHEUS[name];
  const { labelNames = [] } = known as { readonly labelNames?: readonly string[] };
  return [...labelNames, 'job', 'instance', 'le'];
}

/** What an expression of PromQL names that no scrape has. */
function unknownIn(expr: string): string[] {
  const metrics = [...expr.matchAll(/\b(?:malipo|nodejs|process)_\w+|\bup\b/g)].map(([m]) => m);
  const selectors = [...expr.matchAll(/(\w+)\{([^}]*)\}/g)].flatMap(([, metric = '', inside]) =>
    [...(inside ?? '').matchAll(/(\w+)\s*[=!]/g)].map(([, label = '']) => ({ metric, label })),
  );
  const grouped = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, names = '']) =>
    names.split(',').map((name) => name.trim()),
  );
  return [
    ...metrics.filter((metric) => labelsOf(metric) === undefined),
    ...selectors.flatMap(({ metric, label }) =>
      labelsOf(metric)?.includes(label) === true ? [] : `${metric}{${label}}`,
    ),
    ...grouped.filter((label) => !metrics.some((metric) => labelsOf(metric)?.includes(label))),
  ];
}

test('an expression is compared with what a scrape has', () => {
  expect(unknownIn('max by (stage) (malipo_oldest_open_seconds{stage="send"})')).toEqual([]);
  expect(unknownIn('max by (stagee) (malipo_oldest_open_second{stage="send"})')).toEqual([
    'malipo_oldest_open_second',
    'malipo_oldest_open_second{stage}',
    'stagee',
  ]);
});

describe('each alert', () => {
  test.each(rules)('$alert is about metrics that exist', ({ expr }) => {
    expect(expr).toMatch(/malipo/);
    expect(unknownIn(expr)).toEqual([]);
  });

  test.each(rules)('$alert has a section of the runbook', ({ annotations, labels }) => {
    const [address = '', section] = annotations.runbook_url.split('#');
    expect(address).toMatch(/^\{\{ \$externalLabels\.malipo_docs \}\}\//);
    const html = read(address.replace(/^\{\{.*\}\}/, 'site/dist'));
    expect(html).toContain(`<h2 id="${section}"`);
    expect(['page', 'ticket']).toContain(labels.severity);
  });

  test('has a name of its own', () => {
    expect(rules).not.toEqual([]);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  });
});

test('the panels of the dashboards show metrics that exist', () => {
  const unknown = DASHBOARDS.flatMap(({ rows }) =>
    Object.values(rows)
      .flat()
      .flatMap(({ queries }) => Object.values(queries).flatMap(unknownIn)),
  );
  expect(unknown).toEqual([]);
  expect(DASHBOARDS).not.toEqual([]);
});

test('every metric of the service is documented, with its labels', () => {
  const page = read('docs/operating/watching.md');
  const names = registry.getMetricsAsArray().map(({ name }) => name);
  const undocumented = names.filter(
    (name) => name.startsWith('malipo_') && !new RegExp(`\`${name}[\`{]`).test(page),
  );
  expect(undocumented).toEqual([]);
  const documented = [...page.matchAll(/`(malipo_\w+)(?:\{([\w,]+)\})?`/g)];
  const wrong = documented.filter(([, name = '', labels = '']) => {
    const known = labelsOf(name);
    return known === undefined || labels.split(',').some((l) => l !== '' && !known.includes(l));
  });
  expect(wrong.map(([text]) => text)).toEqual([]);
});

const run = promisify(execFile);

test.skipIf(!isInstalled('promtool')).each([
  ['check', RULES],
  ['test', 'deploy/prometheus/malipo.test.yml'],
])('promtool %s rules %s', async (command, file) => {
  await run('promtool', [command, 'rules', path.join(ROOT, file)]);
});
