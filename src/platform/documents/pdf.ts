import { fileURLToPath } from 'node:url';
import type { Block, Drawing, Language, ReportDocument, TableBlock } from './document.ts';

// Embedded, so that a name looks the same on every machine: Latin with all its marks, Greek,
// Cyrillic and Arabic letters.
const FONTS = {
  regular: fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans.ttf')),
  bold: fileURLToPath(import.meta.resolve('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf')),
};

const INK = '#1d2733';
const SOFT = '#55616e';
const LINE = '#dfe5ec';
const SIZE = 9.5;
const TABLE_SIZE = 7.5;
const MARGIN = 50;
/** The space below the text of a page, for its footer. */
const FOOT = 30;

const PAGE: Readonly<Record<Language, (page: number, pages: number) => string>> = {
  en: (page, pages) => `Page ${page} of ${pages}`,
  sw: (page, pages) => `Ukurasa ${page} wa ${pages}`,
};

type Pdf = PDFKit.PDFDocument;

/** The document as a PDF of A4 pages, with its fonts embedded. */
export async function pdfOf(document: ReportDocument): Promise<Buffer> {
  // Loaded when the first document is made: it is slow to load.
  const { default: PdfKit } = await import('pdfkit');
  const pdf = new PdfKit({
    size: 'A4',
    margins: { top: MARGIN, left: MARGIN, right: MARGIN, bottom: MARGIN + FOOT },
    bufferPages: true,
    pdfVersion: '1.7',
    lang: document.language,
    displayTitle: true,
    font: FONTS.regular,
    info: { Title: document.title, Creator: 'Malipo', CreationDate: document.madeAt },
  });
  const chunks: Buffer[] = [];
  const ended = new Promise<void>((resolve, reject) => {
    pdf.on('data', (chunk: Buffer) => void chunks.push(chunk));
    pdf.on('end', resolve);
    pdf.on('error', reject);
  });
  pdf.font(FONTS.bold).fontSize(20).fillColor(INK).text(document.title);
  pdf.moveDown(0.5);
  for (const block of document.blocks) draw(pdf, block);
  drawFeet(pdf, document);
  pdf.end();
  await ended;
  return Buffer.concat(chunks);
}

function draw(pdf: Pdf, block: Block): void {
  switch (block.kind) {
    case 'heading':
      return drawHeading(pdf, block.text);
    case 'paragraph':
      keepTogether(pdf, textHeight(pdf, block.text));
      plain(pdf).text(block.text, MARGIN, pdf.y, { width: widthOf(pdf) });
      break;
    case 'note':
      drawNote(pdf, block.text);
      break;
    case 'list':
      for (const item of block.items) {
        keepTogether(pdf, textHeight(pdf, item, 14));
        plain(pdf).text('•', MARGIN, pdf.y, { lineBreak: false });
        pdf.text(item, MARGIN + 14, pdf.y, { width: widthOf(pdf) - 14 });
        pdf.y += 2;
      }
      break;
    case 'facts':
      drawFacts(pdf, block.rows);
      break;
    case 'table':
      drawTable(pdf, block);
      break;
    case 'chart':
      drawChart(pdf, block.drawing);
      break;
  }
  pdf.y += 6;
}

function drawHeading(pdf: Pdf, text: string): void {
  // A heading stays with what follows it.
  keepTogether(pdf, 90);
  pdf.y += 8;
  pdf.font(FONTS.bold).fontSize(12.5).fillColor(INK).text(text, MARGIN, pdf.y);
  rule(pdf, pdf.y + 2);
  pdf.y += 8;
}

function drawNote(pdf: Pdf, text: string): void {
  const height = textHeight(pdf, text, 24) + 12;
  keepTogether(pdf, height);
  const { y } = pdf;
  pdf.rect(MARGIN, y, widthOf(pdf), height).fill('#f2f6fb');
  pdf.rect(MARGIN, y, 3, height).fill('#2563a8');
  plain(pdf).text(text, MARGIN + 12, y + 6, { width: widthOf(pdf) - 24 });
  pdf.y = y + height;
}

function drawFacts(pdf: Pdf, rows: readonly (readonly [string, string])[]): void {
  const labelWidth = 185;
  for (const [label, value] of rows) {
    const height = Math.max(
      textHeight(pdf, label, widthOf(pdf) - labelWidth + 8),
      textHeight(pdf, value, labelWidth),
    );
    keepTogether(pdf, height);
    const { y } = pdf;
    plain(pdf)
      .fillColor(SOFT)
      .text(label, MARGIN, y, { width: labelWidth - 8 });
    pdf.fillColor(INK).text(value, MARGIN + labelWidth, y, { width: widthOf(pdf) - labelWidth });
    pdf.y = y + height + 2;
  }
}

function drawTable(pdf: Pdf, { columns, rows, empty }: TableBlock): void {
  if (rows.length === 0) {
    plain(pdf).text(empty, MARGIN, pdf.y, { width: widthOf(pdf) });
    return;
  }
  const shares = columns.reduce((sum, { width }) => sum + width, 0);
  const widths = columns.map(({ width }) => (width / shares) * widthOf(pdf));
  const optionsOf = (index: number) => ({
    width: (widths[index] ?? 0) - 6,
    align: columns[index]?.align ?? ('left' as const),
  });
  const setSize = (value: string, index: number, font: string): void => {
    const isWhole = font === FONTS.bold || columns[index]?.align === 'right';
    pdf.fontSize(isWhole ? sizeOfWhole(pdf, value, optionsOf(index).width) : TABLE_SIZE);
  };
  const drawRow = (values: readonly string[], font: string): void => {
    pdf.font(font).fontSize(TABLE_SIZE).fillColor(INK);
    const heights = values.map((value, index) => {
      setSize(value, index, font);
      return pdf.heightOfString(value, optionsOf(index));
    });
    const height = Math.max(...heights) + 6;
    if (!fits(pdf, height)) {
      pdf.addPage();
      if (font !== FONTS.bold) drawTitles();
      pdf.font(font).fontSize(TABLE_SIZE).fillColor(INK);
    }
    const { y } = pdf;
    let x = MARGIN;
    for (const [index, value] of values.entries()) {
      setSize(value, index, font);
      pdf.text(value, x, y + 3, optionsOf(index));
      x += widths[index] ?? 0;
    }
    rule(pdf, y + height);
    pdf.y = y + height;
  };
  const drawTitles = (): void =>
    drawRow(
      columns.map(({ title }) => title),
      FONTS.bold,
    );
  drawTitles();
  for (const row of rows) drawRow(row, FONTS.regular);
}

/** Figures and words in headings are never split: they are smaller if a column is too narrow. */
function sizeOfWhole(pdf: Pdf, text: string, width: number): number {
  pdf.fontSize(TABLE_SIZE);
  const widest = Math.max(...text.split(' ').map((word) => pdf.widthOfString(word)));
  return TABLE_SIZE * Math.min(1, (0.99 * width) / widest);
}

function drawChart(pdf: Pdf, { width, height, shapes }: Drawing): void {
  keepTogether(pdf, height);
  const top = pdf.y;
  const scale = Math.min(1, widthOf(pdf) / width);
  for (const shape of shapes) {
    const x = MARGIN + shape.x * scale;
    const y = top + shape.y;
    if (shape.kind === 'box') {
      pdf.rect(x, y, shape.width * scale, shape.height).fill(shape.colour);
      continue;
    }
    const { text, size, align, bold, colour = INK } = shape;
    pdf
      .font(bold === true ? FONTS.bold : FONTS.regular)
      .fontSize(size)
      .fillColor(colour);
    const textWidth = pdf.widthOfString(text);
    const before = { left: 0, middle: textWidth / 2, right: textWidth }[align];
    pdf.text(text, x - before, y, { lineBreak: false, baseline: 'alphabetic' });
  }
  pdf.x = MARGIN;
  pdf.y = top + height + 2;
}

function drawFeet(pdf: Pdf, { footer, language }: ReportDocument): void {
  const { count } = pdf.bufferedPageRange();
  for (let page = 0; page < count; page += 1) {
    pdf.switchToPage(page);
    // Text below the bottom margin would begin another page.
    pdf.page.margins.bottom = 0;
    const y = pdf.page.height - MARGIN;
    const number = PAGE[language](page + 1, count);
    pdf.font(FONTS.regular).fontSize(7.5).fillColor(SOFT);
    pdf.text(footer, MARGIN, y, { lineBreak: false });
    pdf.text(number, MARGIN, y, { width: widthOf(pdf), align: 'right', lineBreak: false });
  }
}

function plain(pdf: Pdf): Pdf {
  return pdf.font(FONTS.regular).fontSize(SIZE).fillColor(INK);
}

function widthOf(pdf: Pdf): number {
  return pdf.page.width - 2 * MARGIN;
}

/** @param narrower by how much the text is narrower than the page. */
function textHeight(pdf: Pdf, text: string, narrower = 0): number {
  return plain(pdf).heightOfString(text, { width: widthOf(pdf) - narrower });
}

function fits(pdf: Pdf, height: number): boolean {
  return pdf.y + height <= pdf.page.height - MARGIN - FOOT;
}

function keepTogether(pdf: Pdf, height: number): void {
  if (!fits(pdf, height)) pdf.addPage();
}

function rule(pdf: Pdf, y: number): void {
  pdf
    .moveTo(MARGIN, y)
    .lineTo(pdf.page.width - MARGIN, y)
    .lineWidth(0.5)
    .strokeColor(LINE)
    .stroke();
}
