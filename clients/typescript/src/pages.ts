import type { Page, Paging } from './self-service-types.ts';
import { sleep } from './transport.ts';

/** The most that the service sends at once, so that reading everything takes the fewest requests. */
const LARGEST_PAGE = 200;

/** After an empty page: a list of events that is followed has no end, and is asked for again and again. */
const EMPTY_PAUSE_MS = 500;

/** A list. Iterate over it for all items, which reads page after page, or read single pages. */
export class Pages<Item, Read extends Page<Item> = Page<Item>> implements AsyncIterable<Item> {
  readonly #read: (paging: Paging & { readonly cursor?: string | undefined }) => Promise<Read>;

  /** @internal */
  constructor(read: (paging: Paging & { readonly cursor?: string | undefined }) => Promise<Read>) {
    this.#read = read;
  }

  /** The first page or, with a `cursor`, the one that continues a page with this `nextCursor`. */
  async page(cursor?: string, { limit }: Paging = {}): Promise<Read> {
    return await this.#read({ cursor, limit });
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    let cursor: string | undefined;
    do {
      const page = await this.#read({ cursor, limit: LARGEST_PAGE });
      yield* page.items;
      cursor = page.nextCursor ?? undefined;
      if (cursor !== undefined && page.items.length === 0) await sleep(EMPTY_PAUSE_MS);
    } while (cursor !== undefined);
  }
}
