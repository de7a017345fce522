/** Adds records of numbers field by field; the fields are those of `nothing`. */
export function adderOf<Sums extends { readonly [Name in keyof Sums]: number | bigint }>(
  nothing: Sums,
): (one: Sums, other: Sums) => Sums {
  const names = Object.keys(nothing) as (keyof Sums)[];
  return (one, other) =>
    Object.fromEntries(
      // Both are numbers, or both bigint.
      names.map((name) => [name, (one[name] as number) + (other[name] as number)]),
    ) as Sums;
}
