import { httpRoutesOf } from '../../src/staff/http.ts';
import type { HttpRoute } from '../../src/staff/http.ts';
import { allNouns } from '../../src/staff/registry.ts';

/** Every route of the console’s API that is made of a definition. */
export async function definedRoutes(): Promise<HttpRoute[]> {
  const nouns = await allNouns();
  return httpRoutesOf(nouns.flatMap((noun) => noun.definitions));
}
