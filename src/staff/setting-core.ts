import { proposeSetting } from '../payments/settings/propose.ts';
import type { SettingChange } from '../payments/settings/propose.ts';
import type { ProposalRow } from '../proposals/proposal.ts';
import type { Done } from './definition.ts';
import type { StaffDeps } from './deps.ts';
import { proposedAnswer } from './proposal-core.ts';
import type { ProposalView } from './proposal-schema.ts';
import type { Viewer } from './viewer.ts';

interface By {
  readonly deps: StaffDeps;
  readonly viewer: Viewer;
  readonly input: { readonly reason: string };
}

/** Changes a setting where there is no second person; otherwise proposes it. Throws: `PlainError` with the problem. */
export async function changedSetting(by: By, asked: SettingChange): Promise<Done<ProposalView>> {
  return await proposedAnswer(await settingRow(by, asked), by.deps, by.viewer);
}

export async function settingRow(
  { deps, viewer, input }: By,
  asked: SettingChange,
): Promise<ProposalRow> {
  const tools = {
    pool: deps.pool,
    proposals: await deps.proposals(),
    ledgerMac: await deps.ledgerMac(),
    masterKeys: await deps.masterKeys(),
  };
  const { row } = await proposeSetting(tools, { ...asked, by: viewer.actor, note: input.reason });
  return row;
}
