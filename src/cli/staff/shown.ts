import type { WireTime } from '../../platform/base/clock.ts';
import type { AnyAction, AnyView } from '../../staff/definition.ts';
import { propertiesOf } from '../../staff/definition.ts';
import {
  columnsOf,
  factOf,
  firstOf,
  isNumber,
  rowColumns,
  textFor,
  totalCells,
  totalOf,
} from '../../staff/present.ts';
import type { Column, Row } from '../../staff/present.ts';
import { EXIT } from '../exit.ts';
import { bullets, record, table } from '../output.ts';
import type { Answer } from '../output.ts';

export interface ShownHow {
  readonly wireTime: WireTime;
  readonly wide: boolean;
}

/** The answer of a view or an action for programs and for people. */
export function shownAnswer(of: AnyView | AnyAction, answer: Row, how: ShownHow): Answer {
  const hasFailed = of.failed?.(answer) === true;
  return {
    json: answer,
    text: textOf(of, answer, how),
    exitCode: hasFailed ? EXIT.failed : EXIT.done,
  };
}

function textOf(of: AnyView | AnyAction, answer: Row, how: ShownHow): string {
  const rows = of.kind === 'view' ? of.rows : undefined;
  if (of.kind !== 'view' || rows === undefined) {
    return objectText(of.output, answer, how) + onlyOnce(of.output, answer);
  }
  const inTable = [rows, of.first, of.total];
  const facts = factsOf(of.output, answer, how) + nestedOf(of.output, answer, how, inTable);
  const list = tableOf(rowColumns(of), answer[rows] as readonly Row[], how, {
    empty: of.empty,
    edges: [firstOf(of, answer), totalOf(of, answer)],
  });
  const isMore = typeof answer['next'] === 'string';
  const more = isMore ? '(there are more: --cursor with the `next` of --json, or --csv)\n' : '';
  return [list, facts].filter((part) => part !== '').join('\n') + more;
}

function onlyOnce(schema: object, answer: Row): string {
  const isShown = propertiesOf(schema).some(
    ([name, { secret }]) => secret === true && typeof answer[name] === 'string',
  );
  return isShown ? '\nThe secret is shown only once. Store it in a safe place now.\n' : '';
}

/** Its facts, and then what is in it, each below its title. */
export function objectText(schema: object, answer: Row, how: ShownHow): string {
  return factsOf(schema, answer, how) + nestedOf(schema, answer, how) + nextStep(answer);
}

/** @param inTable what a table shows already: of the rest only what has a title is shown. */
function nestedOf(
  schema: object,
  answer: Row,
  how: ShownHow,
  inTable?: readonly (string | undefined)[],
): string {
  const nested = propertiesOf(schema).map(([name, property]) => {
    const value = answer[name];
    const isFact = property.spread === true || property.text !== undefined;
    if (typeof value !== 'object' || value === null || isFact) return '';
    if (inTable !== undefined && (inTable.includes(name) || property.title === undefined))
      return '';
    const title = `\n${(property.title ?? name).replaceAll('_', ' ')}\n`;
    if (!Array.isArray(value)) {
      const text = objectText(property, value as Row, how);
      return text === '' ? '' : title + text;
    }
    if (value.length === 0) return '';
    if (property.items?.type === 'string') return title + bullets(value as readonly string[]);
    const columns = columnsOf(property.items ?? {});
    return columns.length === 0 ? '' : title + tableOf(columns, value as readonly Row[], how);
  });
  return nested.join('');
}

/** Names and values of what is neither a list nor an object, and of an object that is not there, if that has a text. */
function factsOf(schema: object, answer: Row, { wireTime }: ShownHow): string {
  const facts = columnsOf(schema).filter(
    ({ name, property }) =>
      property.spread === true ||
      property.text !== undefined ||
      (answer[name] === null && property.nullText !== undefined) ||
      (property.items === undefined && propertiesOf(property).length === 0),
  );
  return record(facts.flatMap((column) => factOf(column, answer, wireTime)));
}

function tableOf(
  columns: readonly Column[],
  rows: readonly Row[],
  { wireTime, wide }: ShownHow,
  {
    empty,
    edges: [first, total] = [],
  }: {
    readonly empty?: string | undefined;
    /** The rows before and after all others. */
    readonly edges?: readonly (Row | undefined)[];
  } = {},
): string {
  const shown = columns.filter(
    ({ name, property }) => property.isOptional !== true || rows.some((row) => row[name] !== null),
  );
  const edge = (row: Row | undefined): string[][] =>
    row === undefined ? [] : [totalCells(shown, row, (column) => textFor(column, row, wireTime))];
  return table(
    shown.map((column) => ({
      title: column.title.toUpperCase(),
      ...(isNumber(column) && { align: 'right' as const }),
      ...(column.property.wide === true && { wide: true as const }),
      ...(column.property.wrapped === true && { wrapped: true as const }),
    })),
    [
      ...edge(first),
      ...rows.map((row) => shown.map((column) => textFor(column, row, wireTime))),
      ...edge(total),
    ],
    empty,
    wide,
  );
}

/** Leads whoever proposed something, or looks at it, to the person who decides. */
function nextStep({ proposal, seen, decision }: Row): string {
  if (decision !== null || typeof proposal !== 'string' || typeof seen !== 'string') return '';
  const approve = `malipo proposal approve ${proposal} --by NAME --seen ${seen}`;
  const says = 'Nothing was changed yet: another person approves it in the console or with';
  return `\n${says}\n  ${approve}\n`;
}
