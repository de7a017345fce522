import type { Static, TObject } from 'typebox';
import { action } from './definition.ts';
import type { Action, AnyAction, Asked, Loader } from './definition.ts';

/** An action that changes something at once. The audit log keeps what it was before and after. */
export function changing<Core, Input extends TObject, Output extends TObject>(
  core: Loader<Core>,
  {
    now,
    change,
    kept = (answer) => answer,
    ...of
  }: Omit<Action<Core, Input, Output>, 'handle'> & {
    /** The answer of the action, and what it would have been before. Undefined: it did not exist yet. */
    readonly now: (asked: Asked<Core, Static<Input>>) => Promise<Static<Output> | undefined>;
    readonly change: (asked: Asked<Core, Static<Input>>) => Promise<unknown>;
    /** Default: the whole answer. */
    readonly kept?: (answer: Static<Output>) => object;
  },
): AnyAction {
  return action<Core, Input, Output>(core, {
    ...(of as unknown as Omit<Action<Core, Input, Output>, 'handle'>),
    handle: async (asked) => {
      const before = await now(asked);
      await change(asked);
      const result = await now(asked);
      if (result === undefined) throw new Error(`${of.name} left nothing`);
      const audit = { ...(before && { before: kept(before) }), after: kept(result) };
      return { result, audit };
    },
  });
}
