/**
 * Removes an item from a list. Returns whether it was there.
 *
 * For short lists whose items come and go with every request. A Set or Map gets a new table each time it grows,
 * shrinks or has had many deletions. If it lives long, V8 puts that table among the old objects, where it stays, with
 * what it refers to, until the next major collection (decision 42).
 */
export function removeFrom<Item>(items: Item[], item: Item): boolean {
  // Usually the last or the first one leaves.
  if (items.at(-1) === item) {
    items.pop();
    return true;
  }
  if (items[0] === item) {
    items.shift();
    return true;
  }
  const place = items.indexOf(item);
  if (place === -1) return false;
  items.splice(place, 1);
  return true;
}
