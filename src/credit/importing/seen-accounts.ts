const FIRST_PLACES = 4_096;
/** Of the key's end, which is pseudo-random: 48 bits, a whole number in a double. */
const FINGERPRINT_BYTES = 6;

/**
 * The accounts that stood on earlier lines of a file. Keeps fingerprints, at most 32 bytes an account,
 * since a file may have millions of lines; two accounts with one fingerprint are as good as never,
 * and would at worst get the other finding for a line that has one anyway.
 */
export class SeenAccounts {
  #locations = new Float64Array(FIRST_PLACES);
  #count = 0;

  /**
   * Notes an account by its blind index as a map key (one character a byte). Returns false when it
   * was noted before.
   */
  add(key: string): boolean {
    if (this.#count * 2 >= this.#locations.length) this.#grow();
    const isNew = put(this.#locations, fingerprintOf(key));
    if (isNew) this.#count += 1;
    return isNew;
  }

  #grow(): void {
    const wider = new Float64Array(this.#locations.length * 2);
    for (const fingerprint of this.#locations) if (fingerprint !== 0) put(wider, fingerprint);
    this.#locations = wider;
  }
}

/** 1 or more: 0 is an empty place. */
function fingerprintOf(key: string): number {
  let fingerprint = 0;
  for (let at = key.length - FINGERPRINT_BYTES; at < key.length; at += 1) {
    fingerprint = fingerprint * 256 + key.charCodeAt(at);
  }
  return fingerprint + 1;
}

/** Open addressing; the places are twice as many as fingerprints at least. */
function put(locations: Float64Array, fingerprint: number): boolean {
  let at = fingerprint % locations.length;
  while (locations[at] !== 0) {
    if (locations[at] === fingerprint) return false;
    at = (at + 1) % locations.length;
  }
  locations[at] = fingerprint;
  return true;
}
