import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parse, stringify } from 'yaml';
import { findFreePort } from '../../support/service-process.ts';
import { until } from '../../support/until.ts';

const DEPLOY = path.resolve(import.meta.dirname, '../../../deploy');

export interface FiringAlert {
  readonly name: string;
  readonly severity: string;
  readonly summary: string;
  /** The page and section of the runbook. */
  readonly runbookUrl: string;
}

/** A Prometheus that scrapes the processes and evaluates the rules of `deploy/prometheus`. */
export interface Prometheus {
  readonly version: string;
  readonly scrapeInterval: string;
  firing(): Promise<FiringAlert[]>;
  stop(): void;
}

interface Answer {
  readonly data: {
    readonly alerts: readonly {
      readonly state: string;
      readonly labels: Readonly<Record<string, string>>;
      readonly annotations: Readonly<Record<string, string>>;
    }[];
  };
}

/** Starts it with the intervals of the Compose file. Throws if it is not installed. */
export async function startPrometheus(
  folder: string,
  targets: readonly string[],
): Promise<Prometheus> {
  const { global } = parse(readFileSync(path.join(DEPLOY, 'compose/prometheus.yaml'), 'utf8')) as {
    global: Readonly<Record<string, unknown>> & { readonly scrape_interval: string };
  };
  const config = path.join(folder, 'prometheus.yml');
  const static_configs = [{ targets: targets.map((origin) => new URL(origin).host) }];
  const external_labels = { malipo_docs: 'https://pay.example/docs' };
  await writeFile(
    config,
    stringify({
      global: { ...global, external_labels },
      rule_files: [path.join(DEPLOY, 'prometheus/malipo.rules.yml')],
      scrape_configs: [{ job_name: 'malipo', static_configs }],
    }),
  );
  const port = await findFreePort();
  const child = spawn(
    'prometheus',
    [
      `--config.file=${config}`,
      `--storage.tsdb.path=${path.join(folder, 'prometheus')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=error',
    ],
    { stdio: 'ignore' },
  );
  let failure: string | undefined;
  child.once('error', () => {
    failure =
      'a game day needs Prometheus (apt-get install prometheus), which evaluates the alert rules';
  });
  child.once('exit', (code) => {
    failure ??= `prometheus ended with ${code}`;
  });
  const stop = (): void => void child.kill();
  process.once('exit', stop);
  const get = async (where: string): Promise<unknown> =>
    await (await fetch(`http://127.0.0.1:${port}/api/v1/${where}`)).json();
  const built = await until(
    'Prometheus answers',
    async () => failure ?? ((await get('status/buildinfo')) as { data: { version: string } }),
    60_000,
  );
  if (typeof built === 'string') throw new Error(built);
  return {
    version: built.data.version,
    scrapeInterval: global.scrape_interval,
    firing: async () => {
      const { data } = (await get('alerts')) as Answer;
      return data.alerts
        .filter(({ state }) => state === 'firing')
        .map(({ labels, annotations }) => ({
          name: labels['alertname'] ?? '',
          severity: labels['severity'] ?? '',
          summary: annotations['summary'] ?? '',
          runbookUrl: annotations['runbook_url'] ?? '',
        }));
    },
    stop,
  };
}
