import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findBreaks } from './openapi-compatibility.ts';
import type { OpenApiDocument } from './openapi-compatibility.ts';
import { generateReference, openApiDocument } from './reference-pages.ts';
import { runTool } from './tools/tools.ts';

const BASELINE = path.resolve(import.meta.dirname, '../docs/reference/openapi-baseline.json');

/**
 * Writes the files that are generated from the code, and formats them. `--release` also makes the current contract
 * the published one.
 */
const files = await generateReference();

if (process.argv.includes('--release')) {
  const document = openApiDocument();
  const published = JSON.parse(await readFile(BASELINE, 'utf8')) as OpenApiDocument;
  const breaks = findBreaks(published, document as OpenApiDocument);
  if (breaks.length > 0) {
    console.error(
      `The contract breaks clients; raise the major version in src/contract.ts:\n${breaks.join('\n')}`,
    );
    process.exit(1);
  }
  files.push({ file: BASELINE, text: JSON.stringify(document) });
}

for (const { file, text } of files) await writeFile(file, text);
process.exitCode = await runTool(
  'oxfmt',
  files.map(({ file }) => file),
);
