import type { Pool } from '../../platform/db/pool.ts';
import type { Actor } from '../../proposals/kind.ts';
import type { Proposals } from '../../proposals/proposals.ts';
import type { ProposalRow } from '../../proposals/proposal.ts';
import { familyOf } from './kinds.ts';
import { ChangedMeanwhile, contentNow } from './setting.ts';
import type { AnySetting, Tools } from './setting.ts';

export interface SettingChange {
  readonly setting: AnySetting;
  readonly key: Readonly<Record<string, unknown>>;
  readonly change: Readonly<Record<string, unknown>>;
}

interface SettingDeps extends Tools {
  readonly pool: Pool;
  readonly proposals: Proposals;
}

const MAX_ATTEMPTS = 5;

/**
 * Changes a setting where there is no second person: then the row has a decision. Otherwise proposes it.
 * Throws: `PlainError` with the problem.
 */
export async function proposeSetting(
  deps: SettingDeps,
  asked: SettingChange & { readonly by: Actor; readonly note: string },
): Promise<{ readonly row: ProposalRow; readonly isNew: boolean }> {
  const { setting, key, change, by, note } = asked;
  const kind = familyOf(setting).name;
  for (let attempts = 1; ; attempts += 1) {
    const content = await contentNow(deps.pool, setting, { key, change }, deps);
    try {
      const row = await deps.proposals.propose({ kind, content, by, note });
      return { row, isNew: content.before === null };
    } catch (error) {
      // Another command was quicker.
      if (!(error instanceof ChangedMeanwhile) || attempts === MAX_ATTEMPTS) throw error;
    }
  }
}
