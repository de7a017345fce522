import { Type } from 'typebox';
import type { Static, TObject, TProperties, TSchema } from 'typebox';
import { view } from './definition.ts';
import type { AnyView, Asked, Loader, View } from './definition.ts';
import { inputOf, next, paging } from './fields.ts';
import { idCursor, invalidCursor, pageOf, readTimeCursor, timeCursor } from './pages.ts';

/** How a list is read on: the wing's page for a cursor, and the cursor of a row. */
export interface Places<Page, Place> {
  /** Throws: `invalid_field`. */
  readonly pageAt: (cursor: string | undefined, limit: number) => Page;
  readonly cursorOf: (place: Place) => string;
}

/** After the id of a row. */
export const BY_ID: Places<{ readonly after: string | undefined; readonly limit: number }, string> =
  {
    pageAt: (cursor, limit) => ({
      after: cursor === undefined ? undefined : idCursor(cursor),
      limit,
    }),
    cursorOf: (id) => id,
  };

interface Moment {
  readonly at: Date;
  readonly id: string;
}

/** After the time and the id of a row: newest first. */
export const BY_TIME: Places<
  { readonly before: Moment | undefined; readonly limit: number },
  Moment
> = {
  pageAt: (cursor, limit) => ({
    before: cursor === undefined ? undefined : readTimeCursor(cursor),
    limit,
  }),
  cursorOf: ({ at, id }) => timeCursor(at, id),
};

/** Throws: `invalid_field`. */
function partsOf(form: RegExp, cursor: string): readonly string[] {
  const found = form.exec(cursor);
  if (found === null) throw invalidCursor();
  return found.slice(1);
}

/** After the parts of a text that only such a list has. */
export const byPlace = <After>(
  form: RegExp,
  read: (parts: readonly string[]) => After,
): Places<
  { readonly after: After | undefined; readonly limit: number },
  readonly (string | number | bigint)[]
> => ({
  pageAt: (cursor, limit) => ({
    ...{ after: cursor === undefined ? undefined : read(partsOf(form, cursor)), limit },
  }),
  cursorOf: (parts) => parts.join(' '),
});

/** After a text that only one row has. */
export const BY_TEXT = byPlace(/^(.*)$/s, ([text = '']) => text);

type Base<Core> = Omit<
  View<Core, TObject, TObject>,
  'input' | 'output' | 'rows' | 'first' | 'total' | 'filterOf' | 'failed' | 'handle'
>;
type AskedFor<Core, Input extends TProperties> = Asked<Core, Static<TObject<Input>>>;

interface List<
  Core,
  Input extends TProperties,
  Name,
  Item extends TSchema,
  Row,
  Page,
  Place,
> extends Base<Core> {
  /** Besides cursor and limit. */
  readonly input?: Input;
  /** As many rows as a page has if nobody says how many. */
  readonly page?: number;
  readonly rows: Name;
  readonly row: Item;
  readonly read: (asked: AskedFor<Core, Input>, page: Page) => Promise<readonly Row[]>;
  readonly placeOf: (row: Row) => Place;
  readonly show: (
    shown: readonly Row[],
    asked: AskedFor<Core, Input>,
  ) => Shown<Item> | Promise<Shown<Item>>;
}
type Shown<Item extends TSchema> = readonly Static<Item>[];

/** A view of a list that is read page after page. */
export function list<
  Core,
  Page,
  Place,
  Name extends string,
  Item extends TSchema,
  Row,
  Input extends TProperties = Record<string, never>,
>(
  core: Loader<Core>,
  { pageAt, cursorOf }: Places<Page, Place>,
  declared: List<Core, Input, Name, Item, Row, Page, Place>,
): AnyView {
  const { input = {}, page = 100, row, read, placeOf, show, ...of } = declared;
  return view<Core, TObject, TObject>(core, {
    ...of,
    input: inputOf({ ...input, ...paging(page) }),
    output: Type.Object({ [of.rows]: Type.Array(row), next }),
    handle: async (given) => {
      const asked = given as unknown as AskedFor<Core, Input>;
      const { cursor, limit } = given.input as { readonly cursor?: string; readonly limit: number };
      const found = await read(asked, pageAt(cursor, limit + 1));
      const { shown, next: more } = pageOf(found, limit, (last) => cursorOf(placeOf(last)));
      return { [of.rows]: await show(shown, asked), next: more };
    },
  });
}

/** The answer of a list. */
export type PageOf<Name extends string, Item extends TSchema> = {
  [Each in Name]: Static<Item>[];
} & { next: string | null };
