import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { SCENARIOS } from '../../faults/gameday/run.ts';

// What the game day expects is what the rules and the runbook say.

const ROOT = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
const { groups } = parse(read('deploy/prometheus/malipo.rules.yml')) as {
  groups: {
    rules: { alert: string; for?: string; annotations: { runbook_url: string } }[];
  }[];
};
const rules = new Map(groups.flatMap(({ rules: some }) => some.map((rule) => [rule.alert, rule])));
const runbook = read('docs/operating/runbook.md');

/** The text of each section, by its anchor. */
const sections = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const [heading = ''] = text.split('\n');
      return [
        heading
          .toLowerCase()
          .replaceAll(/[^\w -]/g, '')
          .replaceAll(' ', '-'),
        text,
      ];
    }),
);

test.each(SCENARIOS)('$name: its alert leads to the command of the runbook', (scenario) => {
  const rule = rules.get(scenario.alert);
  expect(rule).toBeDefined();
  const first = rule?.annotations.runbook_url.split('#')[1] ?? '';
  // The section that the alert names has the command, or a link to the section that has it.
  if (first !== scenario.section) expect(sections.get(first)).toContain(`(#${scenario.section})`);
  expect(sections.get(scenario.section)).toContain(scenario.command);
});

/** Seconds of a duration such as 30s or 5m. */
function secondsOf(duration: string): number {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(duration) ?? [];
  return Number(count) * ({ s: 1, m: 60, h: 3600, d: 86_400 }[unit] ?? Number.NaN);
}

test('every scenario sets off its alert within a minute', () => {
  const { global } = parse(read('deploy/compose/prometheus.yaml')) as {
    global: Readonly<Record<string, string>>;
  };
  const { scrape_interval: scrape = '', scrape_timeout: timeout = '' } = global;
  const reading = [scrape, timeout, global['evaluation_interval'] ?? ''];
  const readingSeconds = reading.reduce((sum, one) => sum + secondsOf(one), 0);
  const late = SCENARIOS.filter(({ alert }) => {
    return readingSeconds + secondsOf(rules.get(alert)?.for ?? '0s') > 60;
  });
  expect(late).toEqual([]);
});
