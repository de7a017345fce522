import { writeFile } from 'node:fs/promises';
import { Option } from 'commander';
import type { Command } from 'commander';
import { PlainError } from '../../platform/base/plain-error.ts';
import { plainTextOf } from '../../credit/reports/document.ts';
import type { ReportDocument } from '../../credit/reports/document.ts';
import { htmlOf } from '../../credit/reports/html.ts';
import { pdfOf } from '../../credit/reports/pdf.ts';
import { LANGUAGES } from '../../credit/reports/words.ts';
import type { Language } from '../../credit/reports/words.ts';

export interface DocumentOptions {
  readonly format: 'text' | 'html' | 'pdf';
  readonly language: Language;
  readonly output?: string;
}

/** A command that makes a document for people. */
export function documentOptions(made: Command): Command {
  return made
    .addOption(
      new Option('--format <format>', 'form of the document')
        .choices(['text', 'html', 'pdf'])
        .default('text'),
    )
    .addOption(
      new Option('--language <language>', 'English or Swahili').choices(LANGUAGES).default('en'),
    )
    .option('--output <file>', 'new file that the document is written to');
}

/** Writes a document where the options say. Returns the file. Throws: `PlainError`. */
export async function writeDocument(
  document: ReportDocument,
  { format, output }: DocumentOptions,
): Promise<string> {
  if (output === undefined) throw new PlainError(`--format ${format} needs --output FILE.`);
  try {
    // For the person alone: nobody else on this machine may read it.
    await writeFile(output, await contentOf(document, format), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    throw new PlainError(`Cannot write ${output}: ${(error as NodeJS.ErrnoException).code}.`);
  }
  return output;
}

async function contentOf(
  document: ReportDocument,
  format: DocumentOptions['format'],
): Promise<string | Buffer> {
  switch (format) {
    case 'text':
      return plainTextOf(document);
    case 'html':
      return htmlOf(document);
    case 'pdf':
      return await pdfOf(document);
  }
}
