import { Type } from 'typebox';
import { expect, test } from 'vitest';
import { sealedCursors } from '../../../../src/platform/http/sealed-cursors.ts';
import type { Viewer } from '../../../../src/staff/viewer.ts';
import { createCursors } from '../../../../src/platform/http/cursors.ts';

const cursors = createCursors({ current: Buffer.alloc(32, 1), previous: undefined }, 'tests');
const cursor = Type.Optional(Type.String());
const GET = { path: '/payments', query: Type.Object({ status: cursor, cursor }) };
const POST = { path: '/payments/search', body: Type.Object({ cursor }) };
const viewer = (vid?: string) =>
  ({ vendor: vid === undefined ? undefined : { vid } }) as unknown as Viewer;
const POSITION = '2026-01-05T00:00:00.000Z 9999999999999';

function pagesOf(route: Parameters<typeof sealedCursors>[0]) {
  const pages = sealedCursors(route, cursors);
  if (pages === undefined) throw new Error('the route has no cursor');
  return pages;
}

function asked(query: object, params: object = {}) {
  return { params, query, body: {} };
}

function sealed(query: object = {}, from = viewer('acme')): string {
  const { next } = pagesOf(GET).seal({ items: [], next: POSITION }, asked(query), from) as {
    readonly next: string;
  };
  return next;
}

test('a cursor shows nothing, and is opened for the same people, list and filter', () => {
  expect(Buffer.from(sealed(), 'base64url').toString('latin1')).not.toContain('2026');
  const again = asked({ status: 'FAILED', from: 'x', cursor: sealed({ status: 'FAILED' }) });
  expect(pagesOf(GET).open(again, viewer('acme')).query).toMatchObject({ cursor: POSITION });
});

test.each([
  ['a position', asked({ cursor: POSITION }), viewer('acme')],
  [
    'an encoded position',
    asked({ cursor: Buffer.from(POSITION).toString('base64url') }),
    viewer('acme'),
  ],
  ['a cursor of another vendor', asked({ cursor: sealed() }), viewer('other')],
  ['a cursor of staff', asked({ cursor: sealed({}, viewer()) }), viewer('acme')],
  ['a cursor of another filter', asked({ cursor: sealed({ status: 'FAILED' }) }), viewer('acme')],
  ['a cursor of another subject', asked({ cursor: sealed() }, { vid: 'acme' }), viewer('acme')],
  ['a list of cursors', asked({ cursor: [sealed()] }), viewer('acme')],
  ['a long text', asked({ cursor: 'x'.repeat(100_000) }), viewer('acme')],
])('%s is refused', (_what, request, by) => {
  expect(() => pagesOf(GET).open(request, by)).toThrow(
    expect.objectContaining({ code: 'invalid_field', field: 'cursor' }),
  );
});

test('a cursor in a body is sealed as well, and other routes have none', () => {
  const pages = pagesOf(POST);
  const first = { params: {}, query: {}, body: { search: 'x' } };
  const { next } = pages.seal({ next: POSITION }, first, viewer()) as { readonly next: string };
  const second = { ...first, body: { search: 'x', cursor: next } };
  expect(pages.open(second, viewer()).body).toEqual({ search: 'x', cursor: POSITION });
  expect(pages.seal({ next: null }, first, viewer())).toEqual({ next: null });
  expect(sealedCursors({ path: '/x', query: Type.Object({}) }, cursors)).toBeUndefined();
});
