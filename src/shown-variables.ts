import { VARIABLES } from './environment.ts';
import type { Mode, Variable, VariableName } from './environment.ts';

/** A variable as people may see it. */
export interface ShownVariable {
  readonly name: string;
  readonly description: string;
  /** Null: neither set nor with a default, or a secret. */
  readonly value: string | null;
  readonly isSet: boolean;
  readonly isSecret: boolean;
}

/** Every variable with its value, without secrets and without passwords in URLs. */
export function showVariables(
  mode: Mode,
  source: Readonly<Record<string, string | undefined>>,
): ShownVariable[] {
  return (Object.entries(VARIABLES) as [VariableName, Variable][]).map(([name, variable]) => {
    const { description, secret: isSecret = false } = variable;
    const fallback =
      typeof variable.default === 'object' ? variable.default[mode] : variable.default;
    const given = source[name] || undefined;
    const value = isSecret ? undefined : (given?.replace(PASSWORD_IN_URL, '//***@') ?? fallback);
    return { name, description, value: value ?? null, isSet: given !== undefined, isSecret };
  });
}

const PASSWORD_IN_URL = /\/\/[^/@]*@/g;
