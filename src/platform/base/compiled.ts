import type { Static, TSchema } from 'typebox';
// Not `typebox/compile`, which loads 150 more modules at every start.
import { Compile } from 'typebox/schema';
import type { Validator } from 'typebox/schema';

export type Problem = ReturnType<Validator['Errors']>[1][number];

/** A check of values against a schema. */
export interface Compiled<Value> {
  fits(value: unknown): value is Value;
  /** Returns the violations of the schema; empty if the value fits. */
  problems(value: unknown): Problem[];
}

/** Compiles a schema when it is first used: a process uses few of the schemas that it knows. */
export function compiled<Schema extends TSchema>(schema: Schema): Compiled<Static<Schema>> {
  let made: Validator | undefined;
  const validator = (): Validator => (made ??= Compile(schema));
  return {
    fits: (value): value is Static<Schema> => validator().Check(value),
    problems: (value) => validator().Errors(value)[1],
  };
}
