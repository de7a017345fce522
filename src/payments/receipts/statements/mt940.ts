import type { WireTime } from '../../../platform/base/clock.ts';
import { centsOf } from '../../connectors/values.ts';
import type { LineProblem, StatementLine } from './line.ts';

/** Value date, entry date, mark, funds code, amount, type, our reference, the bank's. */
const MOVEMENT =
  /^(\d{2})(\d{2})(\d{2})(?:\d{4})?(R?[CD])[A-Z]?(\d{1,12},\d{0,2})[A-Z][A-Z0-9]{3}([^/\n]{0,16}(?:\/(?!\/)[^/\n]{0,16})?)(?:\/\/([^\n]{1,16}))?/;

/**
 * The movements of an MT940 message. Only fields 61 and 86 count: what was booked, and its purpose.
 * Small, because no maintained library reads MT940 in JavaScript.
 */
export function* readMt940(
  content: string,
  wireTime: WireTime,
): Generator<StatementLine | LineProblem> {
  let open: StatementLine | undefined;
  for (const { line, tag, value } of fieldsOf(content)) {
    if (tag === '86' && open !== undefined) {
      yield { ...open, text: value.replaceAll('\n', ' ') };
      open = undefined;
      continue;
    }
    if (open !== undefined) yield open;
    open = undefined;
    if (tag !== '61') continue;
    const movement = movementOf(line, value, wireTime);
    if ('problem' in movement) yield movement;
    else open = movement;
  }
  if (open !== undefined) yield open;
}

function movementOf(line: number, value: string, wireTime: WireTime): StatementLine | LineProblem {
  const [, year, month, day, mark, amount = '', ours = '', banks = ''] = MOVEMENT.exec(value) ?? [];
  if (mark === undefined) return { line, problem: 'field 61 is not valid' };
  const at = wireTime.parse(`20${year}-${month}-${day} 00:00:00`);
  const amountCents = centsOf(amount.replace(',', '.').replace(/\.$/, ''));
  const reference = (banks === '' ? ours : banks).trim();
  if (at === undefined) return { line, problem: 'the date is not valid' };
  if (amountCents === undefined) return { line, problem: 'the amount is not valid' };
  if (reference === '' || reference === 'NONREF') {
    return { line, problem: 'the reference is missing' };
  }
  return { line, at, amountCents, isCredit: mark === 'C', reference, text: '' };
}

interface Field {
  readonly line: number;
  readonly tag: string;
  readonly value: string;
}

/** Fields such as `:61:…`, which may go on over several lines. */
function fieldsOf(content: string): Field[] {
  const fields: { line: number; tag: string; value: string }[] = [];
  for (const [index, text] of content.split(/\r\n|\n|\r/).entries()) {
    const [, tag, value = ''] = /^:(\d{2}[A-Z]?):(.*)$/.exec(text) ?? [];
    const last = fields.at(-1);
    if (tag !== undefined) fields.push({ line: index + 1, tag, value });
    else if (last !== undefined && !/^-?\}?$/.test(text)) last.value += `\n${text}`;
  }
  return fields;
}
