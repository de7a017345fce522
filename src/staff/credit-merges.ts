import { Type } from 'typebox';
import { crn, ledTo, proposingCredit } from './credit-fields.ts';
import type { Noun } from './definition.ts';
import { text, textOrNull, time, timeOrNull, titled } from './fields.ts';
import { BY_ID, list } from './lists.ts';
import { wireOf } from './wire.ts';

const core = async () => await import('../credit/registry/read-merges.ts');

export const CREDIT_MERGES: Noun = {
  command: 'credit merge',
  summary: 'Subjects that are the same person.',
  definitions: [
    list(core, BY_ID, {
      name: 'credit-merge.list',
      summary: 'Merges, including undone ones, newest first.',
      route: 'GET /credit/merges',
      permission: 'credit.reports',
      isNoted: true,
      rows: 'merges',
      row: Type.Object({
        merge: text(),
        ...titled({ from: text, into: text, merged_at: time, reason: text, undone_at: timeOrNull }),
        undone_reason: textOrNull({ title: 'Why' }),
      }),
      empty: 'no merges',
      read: async ({ core: { listMerges }, deps: { pool } }, page) => await listMerges(pool, page),
      placeOf: ({ mergeId }) => mergeId,
      show: (shown) => shown.map(({ mergeId: merge, ...row }) => wireOf({ merge, ...row })),
    }),
    proposingCredit(
      {
        name: 'credit-merge.subjects',
        summary:
          'Propose to merge two subjects: answers about one reference then include the data of both. No data is moved.',
        path: 'merge',
        proposes: 'credit_merge',
      },
      {
        from: crn({ description: 'the reference that is given up', placeholder: 'crn' }),
        into: crn({ description: 'the reference that stays', placeholder: 'crn' }),
        case: ledTo,
      },
      async ({ core: { proposeMerge }, input: { from, into }, deps, grounds }) =>
        await proposeMerge(deps, { from: BigInt(from), into: BigInt(into) }, grounds),
    ),
    proposingCredit(
      {
        name: 'credit-merge.undo',
        summary:
          'Propose to undo a merge: answers about each reference then have only its own data again.',
        path: 'unmerge',
        proposes: 'credit_merge',
      },
      {
        from: crn({ description: 'the reference that was given up', placeholder: 'crn' }),
        case: ledTo,
      },
      async ({ core: { proposeUnmerge }, input: { from }, deps, grounds }) =>
        await proposeUnmerge(deps, BigInt(from), grounds),
    ),
  ],
};
