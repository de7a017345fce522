/** English and Swahili. */
export const LANGUAGES = ['en', 'sw'] as const;
export type Language = (typeof LANGUAGES)[number];

/**
 * A document for people, independent of its format: `html.ts` and `pdf.ts` render the same blocks,
 * so that a page and a file have the same content.
 */
export interface ReportDocument {
  readonly title: string;
  readonly language: Language;
  /** Shown at the foot of every page of a file. */
  readonly footer: string;
  readonly madeAt: Date;
  readonly blocks: readonly Block[];
}

export const DOCUMENT_FORMATS = ['text', 'html', 'pdf'] as const;
export type DocumentFormat = (typeof DOCUMENT_FORMATS)[number];

export type Block =
  | { readonly kind: 'heading' | 'paragraph' | 'note'; readonly text: string }
  | { readonly kind: 'list'; readonly items: readonly string[] }
  | { readonly kind: 'facts'; readonly rows: readonly (readonly [label: string, value: string])[] }
  | TableBlock
  | { readonly kind: 'chart'; readonly drawing: Drawing };

export interface TableBlock {
  readonly kind: 'table';
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
  /** Shown in place of a table without rows. */
  readonly empty: string;
}

interface Column {
  readonly title: string;
  /** Share of the width, relative to the other columns. */
  readonly width: number;
  readonly align?: 'right';
}

/** A chart as shapes; lengths in points. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  /** A description, for readers who cannot see the chart. */
  readonly description: string;
  readonly shapes: readonly Shape[];
}

export type Shape =
  | {
      readonly kind: 'box';
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly height: number;
      readonly colour: string;
    }
  | {
      readonly kind: 'text';
      readonly x: number;
      /** Position of the baseline. */
      readonly y: number;
      readonly text: string;
      readonly size: number;
      readonly align: 'left' | 'middle' | 'right';
      readonly bold?: true;
      readonly colour?: string;
    };

/** The words of a document alone, for a letter that is sent as text. Charts are left out. */
export function plainTextOf({ title, blocks }: ReportDocument): string {
  return `${[title, ...blocks.flatMap(textsOf)].join('\n\n')}\n`;
}

function textsOf(block: Block): string[] {
  switch (block.kind) {
    case 'heading':
      return [block.text.toUpperCase()];
    case 'paragraph':
    case 'note':
      return [block.text];
    case 'list':
      return [block.items.map((item) => `- ${item}`).join('\n')];
    case 'facts':
      return [block.rows.map(([label, value]) => `${label}: ${value}`).join('\n')];
    case 'table':
      return [
        block.rows.length === 0
          ? block.empty
          : [block.columns.map(({ title }) => title), ...block.rows]
              .map((row) => row.join(' | '))
              .join('\n'),
      ];
    case 'chart':
      return [];
  }
}
