import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { readCsvLine } from '../../platform/base/csv.ts';
import { parseDay } from '../../platform/base/days.ts';
import { readJson } from '../../platform/base/json.ts';
import { CHARACTERISTIC_NAMES, characteristic, scoredFile } from '../scorecards/characteristics.ts';
import type { CharacteristicName } from '../scorecards/characteristics.ts';
import type { Measures } from '../scorecards/score.ts';
import { parseCreditFile } from './credit-file-json.ts';
import { TrainingError } from './error.ts';
import { SampleTable } from './samples.ts';
import type { Sample, Samples } from './samples.ts';

/** More would not fit in memory together with the fit. */
const MAX_SAMPLES = 5_000_000;
const MAX_FAULTS_SHOWN = 10;

export interface SampleReading {
  readonly samples: Samples;
  /** Lines with a file that cannot be scored, because no account counts. */
  readonly withoutHistory: number;
}

/**
 * Reads samples, a line at a time. `.csv`: a header and one line per sample, columns `asOf`
 * (YYYY-MM-DD), `bad` (0 or 1), any of the characteristics by name (empty: never), and if wanted
 * `gender` and `trueProbability`. Anything else: JSON Lines of `{file, bad, gender?,
 * trueProbability?}` with whole credit files, measured here.
 * Throws: `TrainingError` with the first faulty lines; the error of the file system.
 */
export async function readSamples(
  path: string,
  onProgress: (samples: number) => void = () => {},
): Promise<SampleReading> {
  const lines = createInterface({ input: createReadStream(path, 'utf8'), crlfDelay: Infinity });
  const faults: string[] = [];
  let reader: LineReader | undefined = path.endsWith('.csv') ? undefined : jsonReader();
  let [number, withoutHistory] = [0, 0];
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    if (reader === undefined) {
      reader = csvReader(line.replace(/^\uFEFF/, ''));
      continue;
    }
    try {
      const sample = reader.read(line);
      if (sample === undefined) withoutHistory++;
      else reader.table.add(sample);
    } catch (error) {
      faults.push(`line ${number}: ${(error as Error).message}`);
      if (faults.length === MAX_FAULTS_SHOWN) break;
    }
    if (number > MAX_SAMPLES) throw new TrainingError(`More than ${MAX_SAMPLES} lines.`);
    if (number % 10_000 === 0) onProgress(number);
  }
  if (faults.length > 0) {
    throw new TrainingError(
      `The samples cannot be read:\n${faults.map((one) => `  - ${one}`).join('\n')}`,
    );
  }
  return { samples: (reader ?? jsonReader()).table.finish(), withoutHistory };
}

interface LineReader {
  readonly table: SampleTable;
  /** Undefined: nothing to score. Throws: an Error that says what is wrong with the line. */
  read(line: string): Sample | undefined;
}

function jsonReader(): LineReader {
  const names = CHARACTERISTIC_NAMES;
  return {
    table: new SampleTable(names),
    read: (line) => {
      const record = readJson(line) as Record<string, unknown>;
      const file = parseCreditFile(record['file']);
      if (typeof record['bad'] !== 'boolean') throw new Error('bad must be true or false');
      const scored = scoredFile(file);
      if (scored.accounts.length === 0) return undefined;
      const measures: Measures = {};
      for (const name of names) measures[name] = characteristic(name).measure(scored);
      const { gender, trueProbability } = record;
      return {
        asOf: file.asOf,
        bad: record['bad'],
        measures,
        ...(typeof gender === 'string' ? { gender } : {}),
        ...(typeof trueProbability === 'number' ? { trueProbability } : {}),
      };
    },
  };
}

const OTHER_COLUMNS = ['asOf', 'bad', 'gender', 'trueProbability'] as const;

function csvReader(header: string): LineReader {
  const columns = cellsOf(header);
  const known = new Set<string>([...OTHER_COLUMNS, ...CHARACTERISTIC_NAMES]);
  const unknown = columns.filter((name) => !known.has(name));
  const missing = ['asOf', 'bad'].filter((name) => !columns.includes(name));
  const names = CHARACTERISTIC_NAMES.filter((name) => columns.includes(name));
  if (unknown.length > 0 || missing.length > 0 || names.length === 0) {
    throw new TrainingError(
      `The first line must name the columns: asOf, bad and characteristics, optionally gender and trueProbability.${
        unknown.length > 0 ? ` Unknown: ${unknown.join(', ')}.` : ''
      }${missing.length > 0 ? ` Missing: ${missing.join(', ')}.` : ''} The characteristics are ${CHARACTERISTIC_NAMES.join(', ')}.`,
    );
  }
  const at = (name: string): number => columns.indexOf(name);
  return {
    table: new SampleTable(names),
    read: (line) => {
      const cells = cellsOf(line);
      if (cells.length !== columns.length) throw new Error(`must have ${columns.length} values`);
      const bad = cells[at('bad')]!;
      if (bad !== '0' && bad !== '1') throw new Error('bad must be 0 or 1');
      const measures: Measures = {};
      for (const name of names) measures[name] = measuredCell(name, cells[at(name)]!);
      const [gender, probability] = [cells[at('gender')], cells[at('trueProbability')]];
      return {
        asOf: readDay(cells[at('asOf')]!),
        bad: bad === '1',
        measures,
        ...(gender === undefined ? {} : { gender }),
        ...(probability === undefined ? {} : { trueProbability: numberOf(probability) }),
      };
    },
  };
}

function cellsOf(line: string): string[] {
  const { values, problem } = readCsvLine(line);
  if (problem !== undefined) throw new TrainingError(problem);
  return values.map((cell) => cell.trim());
}

function measuredCell(name: CharacteristicName, cell: string): number | null {
  if (cell !== '') {
    const value = numberOf(cell);
    if (value < 0) throw new Error(`${name} must not be negative`);
    return value;
  }
  if (characteristic(name).canBeNever === true) return null;
  throw new Error(`${name} must have a value`);
}

function numberOf(text: string): number {
  if (!/^-?\d+(\.\d+)?(e-?\d+)?$/i.test(text)) throw new Error(`“${text}” is not a number`);
  return Number(text);
}

function readDay(text: string): Date {
  const day = parseDay(text);
  if (day === undefined) throw new Error(`“${text}” must be a date such as 2026-10-31`);
  return day;
}
