import { Type } from 'typebox';
import type { Static } from 'typebox';
import type { CaseRow } from '../payments/cases/read-cases.ts';
import type { Imported } from '../payments/reconciliation/import.ts';
import type { ImportedStatement } from '../payments/reconciliation/imported.ts';
import type { PreviewedMovement } from '../payments/uploads/operator-statement-preview.ts';
import type { SuppliedStatement } from '../payments/uploads/operator-statement.ts';
import { Refusal } from '../platform/base/errors.ts';
import { LIMITS } from '../platform/base/limits.ts';
import { formatMoney } from '../platform/base/money.ts';
import { caseView } from './case-schema.ts';
import { action, view } from './definition.ts';
import type { Done, Noun } from './definition.ts';
import { requireFile } from './deps.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { count, inputOf, moneyOrNull, orNull, text, textOrNull, titled } from './fields.ts';
import { ASKS_OPERATORS } from './limits.ts';
import { proposalView } from './proposal-schema.ts';
import { readMoment, readPeriod, secondsOf } from '../platform/base/times.ts';
import { fit, wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../payments/cases/case-proposals.ts')),
  ...(await import('../payments/reconciliation/administer-pull.ts')),
  ...(await import('../payments/reconciliation/imported.ts')),
  ...(await import('../payments/uploads/operator-statement.ts')),
  ...(await import('../payments/uploads/operator-statement-preview.ts')),
  ...(await import('./case-core.ts')),
  ...(await import('./proposal-core.ts')),
});

/** Number of lines with each verdict. */
const verdicts = Type.Record(Type.String(), Type.Integer(), { title: '', spread: true });

/** What an operator says about a period. Amounts are null when it does not say. */
export const statementView = Type.Object({
  ...titled({ statement: text, operator: text, from: fields.time }),
  /** Not included. */
  ...titled({ to: fields.time, imported_at: fields.time }),
  /** Lists every movement of its period. */
  complete: Type.Boolean({ title: 'Complete' }),
  /** Asked from the operator, instead of imported from a file. */
  ...titled({ pulled: Type.Boolean, opening: moneyOrNull, closing: moneyOrNull }),
  /** Number of lines with each verdict. */
  verdicts: Type.Record(Type.String(), Type.Integer()),
});
export type StatementView = Static<typeof statementView>;

/** A case that a statement opened: our ledger and the operator’s line, side by side. */
const difference = Type.Object({
  case: Type.Object(caseView.properties, {
    title: 'Difference',
    text: ({ case: id, kind }: { case: string; kind: string }) => `${kind} ${id}`,
  }),
  line: orNull(Type.Integer(), { title: 'Line' }),
  ours: moneyOrNull({ title: 'Ours' }),
  our_outcome: textOrNull(),
  ...titled({ theirs: moneyOrNull, operator_reference: textOrNull, account: textOrNull }),
  at: fields.timeOrNull(),
});
export type Difference = Static<typeof difference>;

const detail = Type.Object({
  ...statementView.properties,
  verdicts,
  differences: Type.Array(difference, { title: 'Differences' }),
});
export type StatementDetail = Static<typeof detail>;

/** One of them says what became of the file. */
const offered = Type.Object({
  /** It waits for another person. */
  proposal: orNull(proposalView, { title: 'Proposal' }),
  /** The file was imported before, and nothing is proposed. */
  statement: textOrNull({ title: 'Imported before as', isOptional: true }),
  /** Everything that is wrong with the file, of which nothing is imported. */
  problems: Type.Array(
    Type.Object({
      ...titled({ line: count, field: text }),
      /** Short name of the broken rule, such as `amount`. */
      ...titled({ rule: text, text: text }),
    }),
    { title: 'Nothing was imported. Fix the file, or ask the operator for another.' },
  ),
});
export type OfferedStatement = Static<typeof offered>;

const pulledView = Type.Object({
  ...titled({ statement: text, operator: text }),
  /** The same movements were imported before, and nothing has changed. */
  repeated: Type.Boolean({ title: 'Imported before' }),
  verdicts,
  ours_only: count({ title: 'Ours only' }),
  not_paid: count({ title: 'Proven not paid' }),
  cases_opened: count({ title: 'Cases opened' }),
  /** What moved our float, for our books. Null: nothing was booked. */
  booked: orNull(
    Type.Object({
      opening: moneyOrNull({ title: 'Opening' }),
      top_ups: fields.money({ title: 'Top-ups' }),
      top_ups_entered_before: fields.money({ title: 'Top-ups entered before' }),
      ...titled({ charges: fields.money, charges_entered_before: fields.money }),
    }),
    { title: 'Booked' },
  ),
});

const STATUSES = ['on', 'off'] as const;

const pullView = Type.Object({
  operator: text({ title: 'Operator' }),
  status: Type.Enum([...STATUSES], { title: 'Status' }),
  ...titled({ every_minutes: count, delay_minutes: count, pulled_until: fields.time }),
  last_error: textOrNull({ title: 'Last error', isOptional: true }),
});

const operator = fields.code({ description: 'operator code', placeholder: 'code' });
const ACTS = { permission: 'reconciliation.act' } as const;

/** A statement, as it is tried and imported. */
const supplied = {
  file: {
    name: 'file',
    description: 'the statement, in the format of the operator’s protocol',
    maxBytes: LIMITS.consoleFileBytes,
  },
  input: {
    operator,
    ...fields.period,
    complete: Type.Boolean({
      default: true,
      description: 'it lists every movement of the period',
      shorthands: {
        incomplete: {
          value: false,
          says: 'lines may be missing, so missing payments and balances prove nothing',
        },
      },
    }),
    tolerance: fields.duration({
      default: '5m',
      description: 'how far the operator’s clock may differ from ours',
    }),
  },
};

const suppliedInput = inputOf(supplied.input);

/** Reads what was asked about a statement. */
function suppliedOf(
  { operator: code, complete, tolerance, ...period }: Static<typeof suppliedInput>,
  deps: StaffDeps,
): SuppliedStatement {
  return {
    ...readPeriod(period, deps.wireTime),
    ...{ file: requireFile(deps).path, operator: code, complete },
    toleranceMs: secondsOf(tolerance, 'tolerance') * 1000,
    onLines: (done) => deps.progress?.({ done, of: null, what: 'lines' }),
  };
}

const OUTCOMES = {
  settled: 'paid',
  failed: 'failed: its amount returns to the float',
  held: 'waits for people',
  agrees: 'agrees with our ledger',
  booked: 'booked in the accounts of the house',
  known: 'known already',
  refused: 'nothing of the file is imported',
} as const satisfies Record<PreviewedMovement['outcome'], string>;

const preview = Type.Object({
  statement: textOrNull({ title: 'Imported before as', isOptional: true }),
  lines: Type.Array(
    Type.Object({
      /** Null: the statement does not list it. */
      line: orNull(Type.Integer(), { title: 'Line' }),
      outcome: Type.Enum(Object.keys(OUTCOMES) as PreviewedMovement['outcome'][], {
        ...{ title: 'Outcome', text: (outcome: PreviewedMovement['outcome']) => OUTCOMES[outcome] },
      }),
      reference: textOrNull({ title: 'Payment' }),
      amount: moneyOrNull({ title: 'Amount' }),
      account: textOrNull({ title: 'Account' }),
      operator_reference: textOrNull({ title: 'Operator reference', wide: true }),
      at: fields.timeOrNull({ title: 'At', wide: true }),
      because: textOrNull({ title: 'Because', wrapped: true }),
    }),
  ),
});
export type StatementPreview = Static<typeof preview>;

const PREVIEW = view(core, {
  name: 'statement.preview',
  summary:
    'Show what the import of an operator’s statement would do with each row: which payments it would end, what it would leave to people, and what is known already.',
  route: 'POST /statements/preview',
  // It holds the locks of an import while it tries the statement.
  ...ACTS,
  file: supplied.file,
  input: suppliedInput,
  output: preview,
  rows: 'lines',
  empty: 'no rows',
  failed: ({ lines }) => lines.some(({ outcome }) => outcome === 'refused'),
  handle: async ({ core: loaded, input, deps }) => {
    const tools = { pool: deps.pool, ledgerMac: await deps.ledgerMac() };
    const previewed = await loaded.previewOperatorStatement(tools, suppliedOf(input, deps));
    const lines = previewed.lines.map(({ amountCents, at, operatorReference, ...line }) => ({
      ...line,
      operator_reference: operatorReference,
      amount: amountCents === null ? null : formatMoney(amountCents),
      at: at?.toISOString() ?? null,
    }));
    return { statement: previewed.repeated, lines };
  },
});

export const STATEMENTS: Noun = {
  command: 'statement',
  summary: 'Operators’ statements, which are compared with our ledger. Differences become cases.',
  definitions: [
    action(core, {
      ...ACTS,
      name: 'statement.import',
      summary:
        'Propose to import an operator’s statement: all of it, or nothing if a line is invalid. Another person approves it. The same file again changes nothing.',
      route: 'POST /statements',
      proposes: 'operator_statement',
      trial: () => PREVIEW,
      file: supplied.file,
      input: inputOf({ ...supplied.input, reason: fields.reasonOr('a statement') }),
      output: offered,
      failed: ({ problems }) => problems.length > 0,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const { reason: note, ...asked } = input;
        const tools = { pool: deps.pool, proposals: await deps.proposals() };
        const result = await loaded.proposeOperatorStatement(
          { ...tools, ledgerMac: await deps.ledgerMac() },
          { ...suppliedOf(asked, deps), note, by: viewer.actor },
        );
        if (result.kind === 'proposed') {
          const { result: proposal, audit } = await loaded.proposedAnswer(result.row, deps, viewer);
          return { result: { proposal, statement: null, problems: [] }, audit };
        }
        const problems = result.kind === 'refused' ? result.problems : [];
        const statement = result.kind === 'refused' ? null : result.statementId;
        const audit = { target: input.operator, after: { statement, problems: problems.length } };
        return {
          result: { proposal: null, statement, problems: problems.map((each) => ({ ...each })) },
          audit,
        };
      },
    }),
    PREVIEW,
    view(core, {
      name: 'statement.show',
      summary: 'A statement of an operator, and its differences from our ledger.',
      route: 'GET /statements/:statement',
      permission: 'reconciliation.read',
      input: inputOf({ statement: fields.idOf('statement') }),
      output: detail,
      handle: async ({ core: loaded, input, deps: { pool } }) => {
        const found = await loaded.findImported(pool, input.statement);
        if (found === undefined) {
          throw new Refusal('not_found', { text: 'This statement does not exist' });
        }
        const cases = await loaded.listDifferences(pool, found.statementId);
        const ids = cases.map(({ caseId }) => caseId);
        const open = await loaded.listOpenProposals(pool, ids);
        const differences = cases.map((row) => differenceOf(row, open, loaded));
        return { ...statementViewOf(found), differences };
      },
    }),
    action(core, {
      ...ACTS,
      name: 'statement.pull',
      summary:
        'Ask an operator for its movements of a period now, and import them. Movements that were imported before change nothing.',
      route: 'POST /operators/:operator/pull-statement',
      actsAlone: 'always',
      limit: ASKS_OPERATORS,
      input: inputOf({ operator, ...fields.period }),
      output: pulledView,
      handle: async ({ core: { pullNow }, input, deps }) => {
        const { pool, publicUrl } = deps;
        const keys = { masterKeys: await deps.masterKeys(), ledgerMac: await deps.ledgerMac() };
        const { operator: code } = input;
        const period = readPeriod(input, deps.wireTime);
        return pulledOf(code, await pullNow({ pool, publicUrl, ...keys }, code, period));
      },
    }),
    view(core, {
      name: 'statement.pulls',
      summary: 'Operators whose movements are pulled, and until when they were.',
      route: 'GET /statement-pulls',
      permission: 'reconciliation.read',
      input: fields.NOTHING,
      output: Type.Object({ pulls: Type.Array(pullView) }),
      rows: 'pulls',
      empty: 'no operator can be asked for its movements',
      handle: async ({ core: { listPulls }, deps: { pool } }) => ({
        pulls: (await listPulls(pool)).map(wireOf),
      }),
    }),
    action(core, {
      ...ACTS,
      name: 'statement.set-pull',
      summary: 'Set when an operator’s movements are pulled.',
      route: 'POST /statement-pulls/:operator',
      actsAlone: 'always',
      needsOne: ['every', 'delay', 'from', 'status'],
      input: inputOf({
        operator,
        every: Type.Optional(
          fields.duration({
            description: 'how much time a statement covers; 24h, if nothing was set before',
          }),
        ),
        delay: Type.Optional(
          fields.duration({
            description:
              'wait after the end of its period before it is pulled; 1h, if nothing was set before',
          }),
        ),
        from: Type.Optional(
          fields.moment({ description: 'where the next statement begins: a day or a time' }),
        ),
        status: Type.Optional(
          Type.Enum([...STATUSES], {
            description: 'whether its movements are pulled',
            shorthands: { on: 'pull its movements', off: 'do not pull them' },
          }),
        ),
      }),
      output: pullView,
      handle: async ({ core: { setPull, listPulls }, input, deps: { pool, wireTime } }) => {
        const { every, delay, from, status } = input;
        const { operator: code } = input;
        const before = (await listPulls(pool)).find((row) => row.operator === code);
        const row = await setPull(pool, code, {
          ...(every !== undefined && { everyMinutes: minutesOf(every, 'every') }),
          ...(delay !== undefined && { delayMinutes: minutesOf(delay, 'delay') }),
          ...(from !== undefined && { pulledUntil: readMoment(from, 'from', wireTime) }),
          ...(status !== undefined && { status }),
        });
        const result = wireOf(row);
        return { result, audit: { ...(before && { before: wireOf(before) }), after: result } };
      },
    }),
  ],
};

const minutesOf = (given: string, field: string): number =>
  Math.round(secondsOf(given, field) / 60);

export function statementViewOf(row: ImportedStatement): StatementView {
  const { statementId: statement, periodStart: from, periodEnd: to, verdicts: counted } = row;
  return fit(statementView, {
    ...wireOf({ ...row, statement, from, to }),
    verdicts: { ...counted },
  });
}

type Loaded = Awaited<ReturnType<typeof core>>;

function differenceOf(
  row: CaseRow,
  open: Awaited<ReturnType<Loaded['listOpenProposals']>>,
  { factsOf, caseViewOf, paymentAmountOf }: Loaded,
): Difference {
  const facts = factsOf(row.facts);
  const first = (...names: readonly string[]): string | null => {
    const found = names.map((name) => facts[name]).find((value) => typeof value === 'string');
    return typeof found === 'string' ? found : null;
  };
  const { line } = facts;
  return {
    case: caseViewOf(row, open),
    line: typeof line === 'number' ? line : null,
    ours: first('posted', 'amount', 'closing') ?? paymentAmountOf(row),
    our_outcome: first('books_say'),
    theirs: row.kind === 'ours_only' ? null : first('paid', 'opening'),
    operator_reference: first('operator_reference', 'biller_reference'),
    account: first('account'),
    at: first('at'),
  };
}

function pulledOf(code: string, pulled: Imported): Done<Static<typeof pulledView>> {
  const { booked, statementId, repeated, oursOnly, notPaid, casesOpened } = pulled;
  const result = {
    ...{ statement: statementId, operator: code, repeated, verdicts: { ...pulled.verdicts } },
    ...{ ours_only: oursOnly, not_paid: notPaid, cases_opened: casesOpened },
    booked: booked && {
      opening: booked.openingCents === null ? null : formatMoney(booked.openingCents),
      top_ups: formatMoney(booked.topUpCents),
      top_ups_entered_before: formatMoney(booked.topUpConfirmedCents),
      charges: formatMoney(booked.chargeCents),
      charges_entered_before: formatMoney(booked.chargeConfirmedCents),
    },
  };
  return { result, audit: { after: { statement: statementId, repeated } } };
}
