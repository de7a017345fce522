const FIRST_SLOTS = 4_096;
/** From the key's end, which is pseudo-random: 48 bits, as an integer in a double. */
const FINGERPRINT_BYTES = 6;

/**
 * The accounts on earlier lines of a file. Keeps fingerprints, at most 32 bytes per account,
 * because a file may have millions of lines. Two accounts practically never share a fingerprint. If
 * they did, a line that already has a finding would get the wrong one.
 */
export class SeenAccounts {
  #slots = new Float64Array(FIRST_SLOTS);
  #count = 0;

  /**
   * Adds an account by its blind index as a map key (one character per byte). Returns false if it
   * was already there.
   */
  add(key: string): boolean {
    if (this.#count * 2 >= this.#slots.length) this.#grow();
    const isNew = put(this.#slots, fingerprintOf(key));
    if (isNew) this.#count += 1;
    return isNew;
  }

  #grow(): void {
    const wider = new Float64Array(this.#slots.length * 2);
    for (const fingerprint of this.#slots) if (fingerprint !== 0) put(wider, fingerprint);
    this.#slots = wider;
  }
}

/** 1 or more: 0 is an empty slot. */
function fingerprintOf(key: string): number {
  let fingerprint = 0;
  for (let at = key.length - FINGERPRINT_BYTES; at < key.length; at += 1) {
    fingerprint = fingerprint * 256 + key.charCodeAt(at);
  }
  return fingerprint + 1;
}

/** Open addressing; at least twice as many slots as fingerprints. */
function put(slots: Float64Array, fingerprint: number): boolean {
  let at = fingerprint % slots.length;
  while (slots[at] !== 0) {
    if (slots[at] === fingerprint) return false;
    at = (at + 1) % slots.length;
  }
  slots[at] = fingerprint;
  return true;
}
