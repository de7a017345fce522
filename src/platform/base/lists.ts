/**
 * Removes an item from a list. Returns whether it was there.
 *
 * For lists whose items come and go with every request. A Set or Map gets a new table each time it grows, shrinks
 * or has had many deletions. If it lives long, V8 puts that table among the old objects, and all that its entries
 * refer to stays in memory until the next major collection (decision 42).
 */
export function removeFrom<Item>(items: Item[], item: Item): boolean {
  // The item that came last usually leaves first.
  const place = items.lastIndexOf(item);
  if (place === -1) return false;
  if (place === items.length - 1) items.pop();
  else items.splice(place, 1);
  return true;
}
