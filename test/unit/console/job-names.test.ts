import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { allNouns } from '../../../src/staff/registry.ts';

// The file has macros that only the console's build understands, so it is read as text.

test('each action that is a job has a name for people', async () => {
  const file = new URL('../../../console/src/pages/jobs/job-texts.tsx', import.meta.url);
  const named = [...(await readFile(file, 'utf8')).matchAll(/^ {2}'(\S+)': msg/gm)].map(
    ([, name]) => name,
  );
  const jobs = (await allNouns()).flatMap(({ definitions }) =>
    definitions.flatMap((of) => (of.kind === 'action' && of.isJob === true ? [of.name] : [])),
  );
  expect(named).toEqual(jobs.toSorted());
});
