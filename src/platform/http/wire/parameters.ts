import { HASH_FIELD } from '../../base/canonical.ts';

const PARAMETER_NAME = /^[A-Za-z][A-Za-z0-9_]*$/;

/** Rules for reading the parameters of one operation. */
export interface Parameters {
  /** Without `hash` if the operation is not signed. */
  readonly names: ReadonlySet<string>;
  /** Unknown names are ignored instead of refused. Only for operations without a signature. */
  readonly ignoresUnknown: boolean;
  readonly known: Pick<KnownNames, 'occurIn'>;
  /** Parameters whose values may contain characters that are otherwise never valid. */
  readonly anyText: ReadonlySet<string>;
}

/**
 * The parameter names of all operations. Each operation adds its own when its route is added, so
 * none can be forgotten.
 *
 * The signed text joins `name=value` without encoding, and does not say which operation it is for.
 * Because no value may contain `&<known name>=`, every such place in a text is the start of a
 * parameter: a text stands for one list of parameters, whichever operation reads it.
 */
export class KnownNames {
  readonly #names = new Set<string>([HASH_FIELD]);
  #pattern: RegExp | undefined;

  /** The parameters of a signed operation; `hash` is one of them. */
  signed(names: Iterable<string>, anyText: readonly string[] = []): Parameters {
    return this.#add([...names, HASH_FIELD], false, anyText);
  }

  /** The parameters of an operation without a signature. */
  unsigned(names: Iterable<string>): Parameters {
    return this.#add([...names], true);
  }

  /** The columns of a row in a file that is signed as a whole. */
  columns(names: Iterable<string>): Parameters {
    return this.#add([...names], false);
  }

  /** Finds `&<known name>=` in a value. */
  occurIn(value: string): boolean {
    if (!value.includes('&')) return false;
    this.#pattern ??= new RegExp(`&(?:${[...this.#names].join('|')})=`);
    return this.#pattern.test(value);
  }

  #add(
    names: readonly string[],
    ignoresUnknown: boolean,
    anyText: readonly string[] = [],
  ): Parameters {
    for (const name of names) {
      // Other characters in names would make the signed text ambiguous.
      if (!PARAMETER_NAME.test(name)) throw new TypeError(`“${name}” cannot be a parameter name`);
      this.#names.add(name);
    }
    this.#pattern = undefined;
    return { names: new Set(names), ignoresUnknown, known: this, anyText: new Set(anyText) };
  }
}
