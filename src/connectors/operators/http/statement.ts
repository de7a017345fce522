import type { FloatMovement, StatementPage, StatementQuery } from '../../operator-statements.ts';
import type { Connector } from '../../operator.ts';
import { cleanMessage, cleanName } from '../../../platform/base/clean-text.ts';
import { readAmount } from './amount.ts';
import { readAnswer } from './answer.ts';
import { compileExpression, textOf } from './expression.ts';
import { serviceOf } from './input.ts';
import type { Asking } from './asking.ts';
import { ask } from './send.ts';
import type { HttpSettings, MovementClass } from './settings.ts';

type StatementSettings = NonNullable<HttpSettings['statement']>;

/** Where a pull is: the start of a part of the period, the number of a page of it, and its cursor. */
interface Place {
  readonly fromMs: number;
  readonly page: number;
  readonly cursor: string;
}

const FIRST_PAGE = { page: 1, cursor: '' };

/**
 * Lists the movements of our float, page by page. A movement that cannot be read fails the pull: one
 * that was left out would look like a payment that the operator did not make.
 * Throws: `Error` naming the setting.
 */
export function compileStatement(
  settings: HttpSettings,
  { context, routeOf, deadlineMs }: Asking,
): Connector['pullStatement'] {
  const { statement, answer_format: format = 'json' } = settings;
  if (statement === undefined) return null;
  const route = routeOf('statement', statement);
  const list = compileExpression('statement.answer.list', statement.answer.list);
  const next = compileExpression('statement.answer.next', statement.answer.next ?? 'null');
  const read = compileMovement(statement.answer, settings);
  return async (query, signal) => {
    const place = placeOf(query);
    const toMs = endOf(place, query, statement);
    const asked = { from_ms: place.fromMs, to_ms: toMs, page: place.page, cursor: place.cursor };
    const input = { ...context, ...asked };
    const ending = await ask(route, input, { deadlineMs, signal });
    const body = readAnswer(ending, { format, httpStatus: statement.answer.http_status });
    if (typeof body === 'string') return unknown(body);
    try {
      const items = await list.evaluate({ ...input, body });
      if (!Array.isArray(items)) return unknown('the answer has no list');
      const movements: FloatMovement[] = [];
      for (const movement of items as unknown[]) {
        const found = await read({ ...input, body, movement });
        if (found !== null && isWithin(found.at, asked)) movements.push(found);
      }
      const more = await next.evaluate({ ...input, body, count: items.length });
      const after = nextOf(more, place) ?? (toMs < query.to.getTime() ? startOf(toMs) : null);
      return { kind: 'page', movements, next: after };
    } catch (error) {
      return unknown(cleanMessage((error as Error).message));
    }
  };
}

function unknown(reason: string): StatementPage {
  return { kind: 'unknown', reason };
}

function placeOf({ from, cursor }: StatementQuery): Place {
  const [, fromMs, page, given = ''] = /^(\d{1,15})-(\d{1,9})-(.*)$/s.exec(cursor ?? '') ?? [];
  return fromMs === undefined
    ? { fromMs: from.getTime(), ...FIRST_PAGE }
    : { fromMs: Number(fromMs), page: Number(page), cursor: given };
}

function textOfPlace({ fromMs, page, cursor }: Place): string {
  return `${fromMs}-${page}-${cursor}`;
}

function startOf(fromMs: number): string {
  return textOfPlace({ fromMs, ...FIRST_PAGE });
}

/** The end of the part of the period that is asked for, excluded. */
function endOf(place: Place, { to }: StatementQuery, { window_ms: longest }: StatementSettings) {
  return longest === undefined ? to.getTime() : Math.min(place.fromMs + longest, to.getTime());
}

/** @param more true: there is another page; a text: its cursor. Null: this was the last page. */
function nextOf(more: unknown, { fromMs, page, cursor }: Place): string | null {
  const given = more === true ? cursor : typeof more === 'boolean' ? undefined : textOf(more);
  return given === undefined ? null : textOfPlace({ fromMs, page: page + 1, cursor: given });
}

/** An operator may list whole days: what is outside the part that was asked for is in another one. */
function isWithin(at: Date, part: { readonly from_ms: number; readonly to_ms: number }): boolean {
  return part.from_ms <= at.getTime() && at.getTime() < part.to_ms;
}

/** Null: it does not move our float. Rejects with an `Error` if it cannot be read. */
type MovementReader = (input: object) => Promise<FloatMovement | null>;

function compileMovement(
  answer: StatementSettings['answer'],
  { amounts, billers }: HttpSettings,
): MovementReader {
  const of = (name: 'kind' | 'at' | 'operator_reference' | 'reference' | Optional) => {
    const where = `statement.answer.${name}`;
    const expression = compileExpression(where, answer[name] ?? 'null');
    return async (input: object) => {
      const value = await expression.evaluate(input).catch((error: unknown) => {
        throw new Error(`${where}: ${(error as Error).message}`, { cause: error });
      });
      return textOf(value);
    };
  };
  const [kindOf, timeOf, nameOf] = [of('kind'), of('at'), of('operator_reference')];
  const [referenceOf, accountOf] = [of('reference'), of('account')];
  const [billerOf, amountOf] = [of('biller'), of('amount')];
  const kinds = new Map<string, MovementClass>(Object.entries(answer.kinds));
  return async (input) => {
    const named = (await kindOf(input)) ?? '';
    const kind = kinds.get(named);
    if (kind === undefined) throw new Error(`statement.answer.kinds does not list “${named}”`);
    if (kind === 'ignored') return null;
    const atMs = Number((await timeOf(input)) ?? Number.NaN);
    const operatorReference = cleanMessage((await nameOf(input)) ?? '').slice(0, 100);
    const amountCents = readAmount(amounts?.answers ?? 'decimal', await amountOf(input)) ?? 0n;
    const at = new Date(atMs);
    if (operatorReference === '') throw new Error('a movement has no operator_reference');
    const unread = Number.isNaN(at.getTime()) ? 'time' : amountCents === 0n ? 'amount' : undefined;
    if (unread !== undefined)
      throw new Error(`movement ${operatorReference} has no valid ${unread}`);
    const reference = (await referenceOf(input)) ?? '';
    const biller = (await billerOf(input)) ?? '';
    return {
      kind,
      at,
      operatorReference,
      reference: reference === '' ? null : reference,
      billerCode: serviceOf(biller, billers) === undefined ? null : biller,
      account: cleanName(await accountOf(input)),
      amountCents,
    };
  };
}

type Optional = 'account' | 'biller' | 'amount';
