import type { Clock } from '../../platform/base/clock.ts';
import { DAY_MS } from '../../platform/base/days.ts';
import type { Pool } from '../../platform/db/pool.ts';
import { NO_NAMES, useOfNames } from '../matching/name-shares.ts';
import type { NameUse } from '../matching/name-shares.ts';
import { fullName, subjectLocation } from '../registry/profile.ts';
import type { Profile } from '../registry/profile.ts';
import { readSomeSealedProfiles } from '../registry/subjects-store.ts';
import type { Vault } from '../registry/vault.ts';

const SAMPLE = 5_000;
/** With fewer people, a name that few of them have may be frequent. */
const MIN_SAMPLE = 500;

/** Estimates the frequency of names in the registry from a sample that is drawn again once a day. */
export class NameShares {
  readonly #options: { readonly pool: Pool; readonly vault: Vault; readonly clock: Clock };
  #current: Promise<NameUse> | undefined;
  #drawnAt = 0;

  constructor(options: { readonly pool: Pool; readonly vault: Vault; readonly clock: Clock }) {
    this.#options = options;
  }

  /** Throws if the sample cannot be drawn; the next call draws it again. */
  async current(): Promise<NameUse> {
    const now = this.#options.clock.now().getTime();
    if (this.#current !== undefined && now - this.#drawnAt < DAY_MS) return await this.#current;
    const drawn = this.#draw();
    this.#current = drawn;
    this.#drawnAt = now;
    try {
      return await drawn;
    } catch (error) {
      if (this.#current === drawn) this.#current = undefined;
      throw error;
    }
  }

  async #draw(): Promise<NameUse> {
    const { pool, vault } = this.#options;
    const rows = await readSomeSealedProfiles(pool, SAMPLE);
    if (rows.length < MIN_SAMPLE) return NO_NAMES;
    const names = rows.map(({ crn, sealed }) => {
      const { name } = JSON.parse(vault.unseal(sealed, subjectLocation(crn))) as Profile;
      return fullName(name);
    });
    return useOfNames(names);
  }
}
