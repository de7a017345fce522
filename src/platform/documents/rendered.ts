import { plainTextOf } from './document.ts';
import type { DocumentFormat, ReportDocument } from './document.ts';
import { htmlOf } from './html.ts';
import { pdfOf } from './pdf.ts';

/** The content of a file. */
export interface Rendered {
  /** Media type. */
  readonly type: string;
  /** Without the dot. */
  readonly ending: string;
  readonly content: string | Buffer;
}

export async function rendered(
  document: ReportDocument,
  format: DocumentFormat,
): Promise<Rendered> {
  switch (format) {
    case 'text':
      return { type: TEXT, ending: 'txt', content: plainTextOf(document) };
    case 'html':
      return { type: 'text/html; charset=utf-8', ending: 'html', content: htmlOf(document) };
    case 'pdf':
      return { type: 'application/pdf', ending: 'pdf', content: await pdfOf(document) };
  }
}

const TEXT = 'text/plain; charset=utf-8';
