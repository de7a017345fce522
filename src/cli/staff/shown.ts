import type { WireTime } from '../../platform/base/clock.ts';
import type { AnyAction, AnyView } from '../../staff/definition.ts';
import { propertiesOf } from '../../staff/definition.ts';
import { columnsOf, isNumber, rowColumns, textFor } from '../../staff/present.ts';
import type { Column, Row } from '../../staff/present.ts';
import { EXIT } from '../exit.ts';
import { record, table } from '../output.ts';
import type { Answer } from '../output.ts';

export interface ShownHow {
  readonly wireTime: WireTime;
  readonly wide: boolean;
}

/** The answer of a view or an action for programs and for people. */
export function shownAnswer(of: AnyView | AnyAction, answer: Row, how: ShownHow): Answer {
  const hasFailed = of.kind === 'view' && of.failed?.(answer) === true;
  return {
    json: answer,
    text: textOf(of, answer, how),
    exitCode: hasFailed ? EXIT.failed : EXIT.done,
  };
}

function textOf(of: AnyView | AnyAction, answer: Row, how: ShownHow): string {
  const rows = of.kind === 'view' ? of.rows : undefined;
  const facts = factsOf(of.output, answer, how);
  if (of.kind === 'view' && rows !== undefined) {
    const list = tableOf(rowColumns(of), answer[rows] as readonly Row[], how, of.empty);
    const isMore = typeof answer['next'] === 'string';
    const more = isMore ? '(there are more: --cursor with the `next` of --json, or --csv)\n' : '';
    return [list, facts].filter((part) => part !== '').join('\n') + more;
  }
  const nested = propertiesOf(of.output)
    .filter(([name, { items }]) => items !== undefined && Array.isArray(answer[name]))
    .map(([name, { items = {}, title = name }]) => {
      const columns = columnsOf(items);
      const found = answer[name] as readonly Row[];
      if (columns.length === 0 || found.length === 0) return '';
      return `\n${title.replaceAll('_', ' ')}\n${tableOf(columns, found, how)}`;
    });
  return facts + nested.join('') + (of.kind === 'action' ? nextStep(of, answer) : '');
}

/** Names and values of what is no list. */
function factsOf(schema: object, answer: Row, { wireTime }: ShownHow): string {
  const columns = columnsOf(schema).filter(({ property }) => property.items === undefined);
  return columns.length === 0
    ? ''
    : record(
        columns.map((column) => [column.title.toLowerCase(), textFor(column, answer, wireTime)]),
      );
}

function tableOf(
  columns: readonly Column[],
  rows: readonly Row[],
  { wireTime, wide }: ShownHow,
  empty?: string,
): string {
  return table(
    columns.map((column) => ({
      title: column.title.toUpperCase(),
      ...(isNumber(column) && { align: 'right' as const }),
      ...(column.property.wide === true && { wide: true as const }),
    })),
    rows.map((row) => columns.map((column) => textFor(column, row, wireTime))),
    empty,
    wide,
  );
}

/** Leads whoever proposed something to the person who decides. */
function nextStep({ proposes }: AnyAction, { proposal, seen, decision }: Row): string {
  if (proposes === undefined || decision !== null || typeof proposal !== 'string') return '';
  const approve = `malipo proposal approve ${proposal} --by NAME --seen ${String(seen)}`;
  return `\nNothing was changed yet: another person approves it in the console or with\n  ${approve}\n`;
}
