import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { csvValue } from '../../platform/base/csv.ts';
import { readCsv } from '../../platform/csv-file.ts';
import { gradeOfPercent, percentOfScore } from '../scorecards/scale.ts';
import { TrainingError } from './error.ts';
import { pointsOfCell, scoreOfPoints } from './table-card.ts';
import type { TableCard } from './table-card.ts';

const ADDED = ['score', 'grade', 'probability', 'scorecard'];

/**
 * Scores each row of a table (CSV with a header) and writes it with its score, grade and probability
 * in percent. Constant memory.
 * Throws: `TrainingError` for a line that cannot be scored; the error of the file system.
 * @returns how many rows were scored.
 */
export async function applyCard(card: TableCard, from: string, to: string): Promise<number> {
  let rows = 0;
  const lines = async function* (): AsyncGenerator<string> {
    for await (const line of scoredLines(card, from)) {
      rows++;
      yield `${line.map(csvValue).join(',')}\n`;
    }
  };
  await pipeline(lines, createWriteStream(to, { flags: 'wx' }));
  return Math.max(0, rows - 1);
}

async function* scoredLines(card: TableCard, from: string): AsyncGenerator<readonly string[]> {
  let header: readonly string[] | undefined;
  for await (const { line, values, problem } of readCsv(from)) {
    if (problem !== undefined) throw new TrainingError(`line ${line}: ${problem}`);
    const cells = values.map((cell) => cell.trim());
    if (header === undefined) {
      header = cells;
      const missing = card.columns.filter(({ name }) => !cells.includes(name));
      if (missing.length > 0) {
        const names = missing.map(({ name }) => name).join(', ');
        throw new TrainingError(`The first line does not name these columns: ${names}.`);
      }
      yield [...cells, ...ADDED];
      continue;
    }
    if (cells.length !== header.length) {
      throw new TrainingError(`line ${line}: must have ${header.length} values`);
    }
    try {
      yield [...cells, ...scoreCells(card, header, cells)];
    } catch (error) {
      if (!(error instanceof TrainingError)) throw error;
      throw new TrainingError(`line ${line}: ${error.message}`);
    }
  }
}

function scoreCells(
  card: TableCard,
  header: readonly string[],
  cells: readonly string[],
): string[] {
  const score = scoreOfPoints(
    card,
    card.columns.map((column) => pointsOfCell(column, cells[header.indexOf(column.name)]!)),
  );
  const probability = percentOfScore(score).toFixed(2);
  return [String(score), gradeOfPercent(probability), probability, `${card.id}@${card.version}`];
}
