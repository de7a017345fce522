import { Type } from 'typebox';
import type { Static } from 'typebox';
import { CASE_KINDS } from '../payments/cases/kinds.ts';
import { RESOLUTIONS } from '../payments/corrections/resolution-names.ts';
import type { Resolution } from '../payments/corrections/resolution-names.ts';
import { Refusal } from '../platform/base/errors.ts';
import { parseMoney } from '../platform/base/money.ts';
import { CASE_ACTIONS, caseView, STATES } from './case-schema.ts';
import { action, view } from './definition.ts';
import type { Noun } from './definition.ts';
import * as fields from './fields.ts';
import { inputOf, orNull, paging, reason, text, textOrNull, titled, vid } from './fields.ts';
import { pageByTime } from './pages.ts';
import { proposalView } from './proposal-schema.ts';
import { proposing } from './proposing.ts';

const core = async () => ({
  ...(await import('../payments/cases/case-proposals.ts')),
  ...(await import('../payments/cases/read-cases.ts')),
  ...(await import('../payments/corrections/case-resolution.ts')),
  ...(await import('../payments/corrections/open-case.ts')),
  ...(await import('../payments/corrections/fitting.ts')),
  ...(await import('../payments/timeline/find.ts')),
  ...(await import('../parties/reference.ts')),
  ...(await import('../proposals/draft.ts')),
  ...(await import('../parties/read-vendors.ts')),
  ...(await import('./case-core.ts')),
});

const list = Type.Object({
  cases: Type.Array(caseView),
  /** Open cases of each kind, with the age of the oldest. */
  open: Type.Array(
    Type.Object({
      kind: Type.Enum([...CASE_KINDS]),
      count: Type.Integer(),
      oldest_seconds: Type.Number(),
    }),
  ),
  next: fields.next,
});
export type CaseList = Static<typeof list>;

const { facts: _, ...listed } = caseView.properties;
const detail = Type.Object({
  ...listed,
  facts: Type.Record(Type.String(), Type.Unknown(), { title: '', spread: true }),
  /** The proposal that waits for a second person. */
  proposal: orNull(proposalView, { title: 'Proposal' }),
  problem: textOrNull({ title: 'Problem', isOptional: true }),
  /** The resolutions that fit the case, with their meanings. */
  resolutions: Type.Array(
    Type.Object({ code: Type.Enum(Object.keys(RESOLUTIONS) as Resolution[]), meaning: text() }),
  ),
  events: Type.Array(
    Type.Object({
      at: fields.time({ title: 'At' }),
      action: Type.Enum([...CASE_ACTIONS], { title: 'What' }),
      actor: text({ title: 'Who' }),
      ...titled({ resolution: textOrNull, note: textOrNull }),
    }),
  ),
  payment: orNull(
    Type.Object({
      reference: text(),
      status: Type.Enum(['QUEUED', 'PENDING', 'SUCCESS', 'FAILED'], { title: 'Status' }),
      ...titled({ biller: text, account: text, amount: fields.money, created_at: fields.time }),
    }),
  ),
  /** Other cases about the payment. */
  related: Type.Array(caseView, { title: 'Other cases about the payment' }),
});
export type CaseDetail = Static<typeof detail>;

const caseId = fields.idOf('case');

const DETAIL_NAME = '^[a-z][a-z0-9_]{0,39}$';

function readDetail(given: string): object | undefined {
  const [, name = '', value = ''] = /^([a-z][a-z0-9_]{0,39})=(.+)$/s.exec(given) ?? [];
  return name === '' ? undefined : { [name]: value };
}

export const CASES: Noun = {
  command: 'case',
  summary: 'Cases that people have to resolve. One person proposes, another approves.',
  definitions: [
    view(core, {
      name: 'case.list',
      summary: 'Open cases, oldest first; or resolved ones, last resolved first.',
      route: 'GET /cases',
      permission: 'cases.read',
      input: inputOf({
        state: Type.Enum([...STATES], {
          default: 'open',
          description: 'in this state',
          shorthands: {
            proposed: 'only those that wait for another person',
            resolved: 'resolved cases instead of open ones',
          },
        }),
        kind: Type.Optional(Type.Enum([...CASE_KINDS], { description: 'of this kind only' })),
        vid: Type.Optional(vid({ description: 'of this vendor only' })),
        operator: Type.Optional(
          fields.code({ description: 'of this operator only', placeholder: 'code' }),
        ),
        ...paging(100),
      }),
      output: list,
      rows: 'cases',
      empty: 'no cases',
      isWatched: true,
      handle: async ({ core: loaded, input, deps: { pool } }) => {
        const { state, kind, operator } = input;
        const waiting = state === 'proposed' ? await loaded.listOpenProposals(pool) : undefined;
        const filter = {
          ...{ resolved: state === 'resolved', kind, vid: input.vid },
          caseIds: waiting && [...waiting.keys()],
          operatorCode: operator,
        };
        const { shown, next } = await pageByTime(
          input,
          async (page) => await loaded.listCases(pool, { ...filter, ...page }),
          loaded.listedAt,
        );
        const ids = shown.map((row) => row.caseId);
        const proposed = waiting ?? (await loaded.listOpenProposals(pool, ids));
        const open = await loaded.countOpenCases(pool);
        return {
          cases: shown.map((row) => loaded.caseViewOf(row, proposed)),
          open: open.map(({ oldestSeconds, ...each }) => ({
            ...{ ...each, oldest_seconds: oldestSeconds },
          })),
          next,
        };
      },
    }),
    view(core, {
      name: 'case.show',
      summary: 'A case: the facts, who did what, and what is proposed.',
      route: 'GET /cases/:case',
      permission: 'cases.read',
      input: inputOf({ case: caseId }),
      output: detail,
      handle: async ({ core: loaded, input, deps, viewer }) => {
        const { pool } = deps;
        const row = await loaded.findCase(pool, input.case);
        if (row === undefined) throw new Refusal('not_found', { text: 'This case does not exist' });
        const { vendorId, paymentId, kind } = row;
        const about =
          paymentId === null ? [] : await loaded.listCasesAbout(pool, vendorId, paymentId);
        const related = about.filter((other) => other.caseId !== row.caseId);
        const ids = [row, ...related].map((each) => each.caseId);
        const open = await loaded.listOpenProposals(pool, ids);
        const reference = loaded.referenceOf(row);
        const found = reference === null ? undefined : await loaded.findPayment(pool, reference);
        return {
          ...loaded.caseViewOf(row, open),
          ...(await loaded.waitingProposal(open.get(row.caseId), deps, viewer)),
          resolutions: loaded
            .resolutionsOf(kind)
            .map((code) => ({ code, meaning: RESOLUTIONS[code] })),
          events: (await loaded.listCaseEvents(pool, row)).map(loaded.caseEventOf),
          payment: found === undefined ? null : loaded.paymentOf(found.payment),
          related: related.map((other) => loaded.caseViewOf(other, open)),
        };
      },
    }),
    action(core, {
      name: 'case.open',
      summary:
        'Open a case about a payment whose result nobody reports, or whose real result differs from the ledger.',
      route: 'POST /cases',
      permission: 'cases.act',
      programsMay: true,
      input: inputOf({
        reference: text({ maxLength: 64, description: 'ipay_reference of the payment' }),
        vid: Type.Optional(vid({ description: 'refuse a payment of another vendor' })),
        reason,
      }),
      output: caseView,
      handle: async ({ core: loaded, input, deps: { pool }, viewer }) => {
        const key = loaded.decodeReference(input.reference.toUpperCase());
        const vendor =
          input.vid === undefined ? undefined : await loaded.findVendor(pool, input.vid);
        if (key === undefined || (input.vid !== undefined && vendor?.vendorId !== key.vendorId)) {
          const says = 'No payment has this reference, or it is another vendor’s';
          throw new Refusal('not_found', { field: 'reference', text: says });
        }
        const by = loaded.nameOf(viewer.actor);
        const row = await loaded.openCaseByHand(pool, { ...key, by, note: input.reason });
        const audit = { target: input.reference, after: { case: row.caseId } };
        return { result: loaded.caseViewOf(row, new Map()), audit };
      },
    }),
    proposing(core, {
      name: 'case.propose',
      summary: 'Propose how to resolve a case. Nothing is posted yet.',
      route: 'POST /cases/:case/propose',
      permission: 'cases.act',
      proposes: 'case_resolution',
      input: inputOf({
        case: caseId,
        resolution: Type.Enum(Object.keys(RESOLUTIONS) as Resolution[], {
          description: Object.entries(RESOLUTIONS)
            .map(([name, says]) => `${name}: ${says}`)
            .join('; '),
        }),
        reason,
        amount: Type.Optional(
          fields.amount({ description: 'in KES (default: derived from the facts)' }),
        ),
        operator_reference: Type.Optional(
          fields.line(100, {
            description: 'the operator’s own, for paid',
            placeholder: 'reference',
          }),
        ),
        message: Type.Optional(
          fields.line(500, { description: 'message that the vendor sees', placeholder: 'text' }),
        ),
        details: Type.Optional(
          Type.Record(Type.String({ pattern: DETAIL_NAME }), fields.shortText({}), {
            additionalProperties: false,
            description: 'a field of the result, such as token=…; repeatable',
            spelt: [
              {
                option: 'detail',
                placeholder: 'name=value',
                form: 'name=value',
                read: readDetail,
              },
            ],
          }),
        ),
      }),
      make: async ({ core: { proposeResolution }, input, deps, viewer: { actor: by } }) => {
        const { case: id, resolution, amount, details = {} } = input;
        const proposal = {
          ...{ resolution, note: input.reason, message: input.message ?? null },
          amount_cents: amount === undefined ? null : parseMoney(amount).toString(),
          operator_reference: input.operator_reference ?? null,
          details: Object.keys(details).length === 0 ? null : details,
        };
        const of = { pool: deps.pool, proposals: await deps.proposals() };
        return await proposeResolution(of, { caseId: id, by, proposal });
      },
    }),
  ],
};
