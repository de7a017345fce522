import { expect, test } from 'vitest';
import { readXml } from '../../../../../src/connectors/operators/http/xml.ts';

test.each<[string, string, object]>([
  ['elements and text', '<a><b>1</b><c> x </c></a>', { a: { b: '1', c: 'x' } }],
  [
    'a declaration, comments and CDATA',
    '<?xml version="1.0"?><a>x<!-- y --><![CDATA[<z>]]></a>',
    { a: 'x<z>' },
  ],
  ['repeated elements as a list', '<a><b>1</b><b>2</b><b>3</b></a>', { a: { b: ['1', '2', '3'] } }],
  [
    'attributes, which no element can replace',
    '<a c="1">x<c>2</c></a>',
    { a: { '@c': '1', c: '2', '#text': 'x' } },
  ],
  [
    'names without their namespaces',
    '<s:a xmlns:s="urn:s"><s:b>1</s:b></s:a>',
    { a: { '@s': 'urn:s', b: '1' } },
  ],
  ['the five entities, and numbers', '<a>&amp;&lt;&gt;&quot;&apos;&#65;</a>', { a: '&<>"\'A' }],
  ['an empty element', '<a><b/></a>', { a: { b: '' } }],
  ['a token of 20 digits', '<a>00001111222233334444</a>', { a: '00001111222233334444' }],
])('reads %s', (_what, text, content) => {
  expect(readXml(text)).toEqual(content);
});

test.each<[string, string]>([
  ['no XML', 'OK'],
  ['nothing', ''],
  ['HTML', '<html><head><meta charset="x"></head></html>'],
  ['a document that is cut', '<a><b>1</b><c>2'],
  ['a document that is cut after the root', '<a>1</a'],
  ['a second root', '<a>1</a><a>2</a>'],
  ['text after the root', '<a>1</a>2'],
  ['crossed elements', '<a><b></a></b>'],
  ['an entity that is not of XML itself', '<a>&nbsp;</a>'],
  ['a document type', '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'],
  ['a document type that names a file', '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>'],
  ['deep elements', '<a>'.repeat(40) + '</a>'.repeat(40)],
  ['many elements', `<a>${'<b/>'.repeat(6_000)}</a>`],
  ['many attributes', `<a ${Array.from({ length: 6_000 }, (_, at) => `b${at}="1"`).join(' ')}/>`],
])('refuses %s', (_what, text) => {
  expect(readXml(text)).toBeUndefined();
});

test('names of every object are names like others', () => {
  const read = readXml(
    '<a><__proto__><admin>1</admin></__proto__><constructor>2</constructor></a>',
  );
  expect(Object.keys((read as { a: object }).a)).toEqual(['__proto__', 'constructor']);
  expect(({} as Record<string, unknown>)['admin']).toBeUndefined();
});
