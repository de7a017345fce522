import { Type } from 'typebox';
import { crn, ledTo, proposing } from './credit-fields.ts';
import { view } from './definition.ts';
import type { Noun } from './definition.ts';
import { inputOf, next, paging, text, textOrNull, time, timeOrNull, titled } from './fields.ts';
import { pageById } from './pages.ts';
import { wireOf } from './wire.ts';

const core = async () => await import('../credit/facade.ts');

export const CREDIT_MERGES: Noun = {
  command: 'credit merge',
  summary: 'Subjects that are the same person.',
  definitions: [
    view(core, {
      name: 'credit-merge.list',
      summary: 'Merges, including undone ones, newest first.',
      route: 'GET /credit/merges',
      permission: 'credit.reports',
      isNoted: true,
      input: inputOf(paging(100)),
      output: Type.Object({
        merges: Type.Array(
          Type.Object({
            merge: text(),
            ...titled({ from: text, into: text, merged_at: time, reason: text }),
            undone_at: timeOrNull({ title: 'Undone' }),
            undone_reason: textOrNull({ title: 'Why' }),
          }),
        ),
        next,
      }),
      rows: 'merges',
      empty: 'no merges',
      handle: async ({ core: { listMerges }, input, deps: { pool } }) => {
        const { shown, next: more } = await pageById(
          input,
          async (page) => await listMerges(pool, page),
          ({ mergeId }) => mergeId,
        );
        const merges = shown.map(({ mergeId: id, ...merge }) => ({ merge: id, ...wireOf(merge) }));
        return { merges, next: more };
      },
    }),
    proposing(
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
    proposing(
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
