import { Command, InvalidArgumentError } from 'commander';
import { describeMachine } from '../bench/machine.ts';
import { SCENARIOS, runGameDay } from '../test/faults/gameday/run.ts';
import type { ScenarioReport } from '../test/faults/gameday/run.ts';

/**
 * `npm run gameday`: causes each fault of a game day in a service under load, and measures after how
 * many seconds which alert fires, what the runbook's command shows, and when everything is well again.
 * Ends with a table and one JSON line. Exits with 1 if an alert does not fire, or a payment is lost or
 * made twice. Needs Prometheus.
 */
const names = SCENARIOS.map(({ name }) => name);
const { only } = new Command('gameday')
  .description('Cause faults under load; measure alerts and recovery.')
  .option('--only <names>', `some of ${names.join(',')}`, readNames, [])
  .parse()
  .opts<{ only: string[] }>();

function readNames(text: string): string[] {
  const chosen = text.split(',');
  const unknown = chosen.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new InvalidArgumentError(`There is no ${unknown.join(', ')}.`);
  return chosen;
}

// The started processes end with this one.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1));

const machine = describeMachine();
const onProgress = (line: string): void => void process.stderr.write(`${line}\n`);
const report = await runGameDay({ only, onProgress });
for (const finding of report.findings.slice(0, 100)) process.stderr.write(`${finding}\n`);
if (report.findings.length > 0) process.exitCode = 1;

const seconds = (value: number | undefined): string =>
  value === undefined ? '' : `${value.toFixed(1)} s`;
function rowOf(one: ScenarioReport): string {
  if (one.skipped !== undefined) return `| ${one.fault} | not run: ${one.skipped} | | | |`;
  const section = one.runbookUrl?.split('#')[1] ?? '';
  const cells = [
    one.fault,
    `${one.alert}, ${seconds(one.firedAfter)}`,
    `[${section}](runbook.md#${section}): \`${one.command}\``,
    seconds(one.wellAfter),
    seconds(one.alertEndedAfter),
  ];
  return `| ${cells.join(' | ')} |`;
}
process.stdout.write(
  [
    '| Fault | Alert, after | Runbook | Recovered after | Alert ended after |',
    '| --- | --- | --- | --- | --- |',
    ...report.scenarios.map(rowOf),
    '',
    JSON.stringify({ machine, date: new Date().toISOString(), ...report }),
    '',
  ].join('\n'),
);
process.exit();
