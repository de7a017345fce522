import type { RoutesOptions } from '../../src/console/routes/routes.ts';
import { allNouns } from '../../src/staff/registry.ts';

/** Options with which the console's routes can be listed, and not called. */
export async function definedRoutes(): Promise<RoutesOptions> {
  const nouns = await allNouns();
  const definitions = nouns.flatMap((noun) => noun.definitions);
  return { definitions, deps: {} } as unknown as RoutesOptions;
}
