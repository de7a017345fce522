import { tokenSimilarity } from './names.ts';

/** The father's first two names, which follow a child's own. */
const FATHERS_NAMES = 2;

/**
 * Whether the names may be a child's, whose own name comes in front of the father's (BILAL BARE ABDULLAHI of BARE
 * ABDULLAHI OSMAN), also if it is a name of the grandfather (ALI MOHAMED ALI of MOHAMED ALI HASSAN). `perhaps`: the
 * whole name on file follows, and it may be the same person with a name that the file lacks. Pure.
 * @param names on file, each with the first name first.
 */
export function childOf(
  [own, ...following]: readonly string[],
  names: readonly (readonly string[])[],
): 'child' | 'perhaps' | 'no' {
  const isFather = (name: readonly string[]): boolean => {
    const fathers = name.slice(0, FATHERS_NAMES);
    if (own === undefined || fathers.length < FATHERS_NAMES) return false;
    const others = [...name.slice(0, 1), ...name.slice(FATHERS_NAMES)];
    return (
      fathers.every((each, at) => isOne(each, following[at])) &&
      !others.some((each) => isOne(each, own))
    );
  };
  if (names.length === 0 || !names.every(isFather)) return 'no';
  const isWhole = names.some((name) =>
    name.every((each) => following.some((one) => isOne(each, one))),
  );
  return isWhole ? 'perhaps' : 'child';
}

function isOne(one: string, other: string | undefined): boolean {
  return other !== undefined && tokenSimilarity(one, other) > 0;
}
