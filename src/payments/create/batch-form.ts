/**
 * How batches are committed: with the rows of many vendors in one call, or, where vendors are spread
 * over several machines, those of one vendor in each (deploy/citus/functions.sql).
 */
export type BatchForm = 'many_vendors' | 'one_vendor';

/** The function of a batch call, and its first parameter. */
export interface BatchCall {
  readonly name: string;
  readonly vendorType: 'integer' | 'integer[]';
  readonly vendors: number | readonly number[];
}

/**
 * @param name of the form for many vendors; the other's ends in `_of`.
 * @param vendorIds of the rows, in order. Throws when `form` is for one and they are of several.
 */
export function batchCall(form: BatchForm, name: string, vendorIds: readonly number[]): BatchCall {
  if (form === 'many_vendors') return { name, vendorType: 'integer[]', vendors: vendorIds };
  const [vendorId] = vendorIds;
  if (vendorId === undefined || vendorIds.some((id) => id !== vendorId)) {
    throw new Error(`${name}_of takes the rows of one vendor`);
  }
  return { name: `${name}_of`, vendorType: 'integer', vendors: vendorId };
}
