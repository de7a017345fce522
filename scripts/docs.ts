import { readFile, writeFile } from 'node:fs/promises';
import { findBreaks } from './openapi-compatibility.ts';
import type { OpenApiDocument } from './openapi-compatibility.ts';
import { generateReference, generated, openApiDocument } from './reference-pages.ts';

/**
 * Writes the files that are generated from the code. `--release` also makes the current contract the
 * published one.
 */
for (const { file, text } of await generateReference()) await writeFile(file, text);

if (process.argv.includes('--release')) {
  const document = openApiDocument();
  const baseline = await generated(
    'docs/reference/openapi-baseline.json',
    JSON.stringify(document),
  );
  const published = JSON.parse(await readFile(baseline.file, 'utf8')) as OpenApiDocument;
  const breaks = findBreaks(published, document as OpenApiDocument);
  if (breaks.length > 0) {
    console.error(
      `The contract breaks clients; raise the major version in src/contract.ts:\n${breaks.join('\n')}`,
    );
    process.exit(1);
  }
  await writeFile(baseline.file, baseline.text);
}
