import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { trainingCsv, trainingJsonLines } from '../../../../sandbox/population/training-file.ts';
import { readSamples } from '../../../../src/credit/training/read-samples.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'scorecard-training-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('reading samples', () => {
  const write = (name: string, lines: Iterable<string>): string => {
    const file = path.join(folder, name);
    writeFileSync(file, `${[...lines].join('\n')}\n`);
    return file;
  };

  test('CSV and JSON Lines of the same people are the same samples', async () => {
    const options = { kind: 'mobile', seed: 8, subjects: 240 } as const;
    const csv = await readSamples(write('a.csv', trainingCsv(options)));
    const json = await readSamples(write('a.jsonl', trainingJsonLines(options)));
    expect(json.samples.columns).toEqual(csv.samples.columns);
    expect(json.samples.bad).toEqual(csv.samples.bad);
    expect(json.samples.months).toEqual(csv.samples.months);
    expect(json.samples.genders).toEqual(csv.samples.genders);
    expect(json.withoutHistory + json.samples.count).toBe(240);
    expect(json.withoutHistory).toBeGreaterThan(0);
  });

  test.each([
    ['asOf,bad,shoeSize\n', /Unknown: shoeSize/],
    ['bad,openMobileLoans\n', /Missing: asOf/],
    ['asOf,bad\n', /The characteristics are/],
    ['asOf,bad,openMobileLoans\n2026-01-31,2,0', /line 2: bad must be 0 or 1/],
    ['asOf,bad,openMobileLoans\n2026-01-31,1,', /line 2: openMobileLoans must have a value/],
    ['asOf,bad,openMobileLoans\n2026-01-31,1,-1', /must not be negative/],
    ['asOf,bad,openMobileLoans\n2026-13-31,1,1', /must be a date/],
    ['asOf,bad,openMobileLoans\n\n2026-01-31,1,many', /line 3: “many” is not a number/],
    ['asOf,bad,openMobileLoans\n2026-01-31,1', /line 2: must have 3 values/],
  ])('says what is wrong with %j', async (text, message) => {
    await expect(readSamples(write('bad.csv', [text]))).rejects.toThrow(message);
  });

  test('says what is wrong with a line of JSON', async () => {
    const [line = ''] = trainingJsonLines({ kind: 'generic', seed: 8, subjects: 12 });
    const faults = [
      '{"bad":true',
      JSON.stringify({ ...JSON.parse(line), bad: 1 }),
      line.replace('"asOf":"20', '"asOf":"x0'),
    ];
    await expect(readSamples(write('bad.jsonl', [line, ...faults]))).rejects.toThrow(
      /line 2: .*\n.*line 3: bad must be true or false\n.*line 4: file\/asOf/,
    );
  });

  test('an empty cell is “never” where that can be', async () => {
    const file = write('never.csv', ['"asOf",bad,monthsSinceNonPerforming', '"2026-01-31",0,']);
    const { samples } = await readSamples(file);
    expect(samples.columns.get('monthsSinceNonPerforming')).toEqual(Float64Array.of(NaN));
  });
});
