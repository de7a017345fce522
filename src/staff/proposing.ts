import { Type } from 'typebox';
import type { Static, TObject, TProperties } from 'typebox';
import type { SettingChange } from '../payments/settings/propose.ts';
import type { ProposalRow } from '../proposals/proposal.ts';
import { action } from './definition.ts';
import type { AnyAction, Asked, Loader } from './definition.ts';
import { inputOf } from './fields.ts';
import { proposalView } from './proposal-schema.ts';
import { settingReason } from './signer-schema.ts';

type Said = Omit<AnyAction, 'kind' | 'input' | 'output' | 'failed' | 'ends' | 'handle'>;

/** An action that makes a proposal, which is its answer. */
export function proposing<Core, Input extends TObject>(
  core: Loader<Core>,
  {
    make,
    ...of
  }: Said & {
    readonly input: Input;
    readonly make: (asked: Asked<Core, Static<Input>>) => Promise<ProposalRow>;
  },
): AnyAction {
  const loaded = async () => ({ ...(await import('./proposal-core.ts')), own: await core() });
  return action<Awaited<ReturnType<typeof loaded>>, Input, typeof proposalView>(loaded, {
    ...of,
    output: proposalView,
    handle: async ({ core: { own, proposedAnswer }, ...asked }) => {
      const row = await make({ ...asked, core: own });
      return await proposedAnswer(row, asked.deps, asked.viewer);
    },
  });
}

type Values<Properties extends TProperties> = Static<TObject<Properties>>;

/**
 * An action that changes a setting, or proposes it where there is a second person. It takes a reason, and its answer is
 * the proposal. `also` is what its answer has besides, such as a secret.
 */
export function setting<
  Core,
  Input extends TProperties,
  Also extends TProperties = Record<string, never>,
>(
  core: Loader<Core>,
  {
    change,
    input,
    also,
    ...of
  }: Said & {
    readonly input: Input;
    readonly also?: Also;
    readonly change: (
      asked: Asked<Core, Values<Input>>,
    ) => Promise<
      SettingChange & (string extends keyof Also ? unknown : { readonly also: Values<Also> })
    >;
  },
): AnyAction {
  const loaded = async () => ({ ...(await import('./setting-core.ts')), own: await core() });
  return action<Awaited<ReturnType<typeof loaded>>, TObject, TObject>(loaded, {
    ...of,
    input: inputOf({ ...input, reason: settingReason }),
    output: Type.Object({ ...proposalView.properties, ...also }),
    handle: async ({ core: { own, changedSetting }, ...asked }) => {
      const given = asked as Omit<Asked<Core, Values<Input>>, 'core'> & {
        readonly input: { readonly reason: string };
      };
      const wanted: SettingChange & { readonly also?: object } = await change({
        ...{ ...given, core: own },
      });
      const { result, audit } = await changedSetting(given, wanted);
      return { result: { ...result, ...wanted.also }, audit };
    },
  });
}
