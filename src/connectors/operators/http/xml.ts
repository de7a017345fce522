import { readXml as parseXml } from '../../../platform/base/xml.ts';
import type { XmlElement } from '../../../platform/base/xml.ts';

const LIMITS = { depth: 32, nodes: 5_000 };

type Node = Record<string, unknown>;

/**
 * An XML document as an object that expressions can read. Elements are fields without their
 * namespace prefix: a text if they hold nothing else, a list if they are repeated. Attributes begin
 * with `@`, and text next to elements or attributes is `#text`; no element can have such a name.
 * Document types are refused, and with them all entities that a document could define.
 * Undefined: the text is not well-formed, or too deep.
 */
export function readXml(text: string): object | undefined {
  const root = parseXml(text, LIMITS);
  if ('problem' in root) return undefined;
  const document: Node = {};
  add(document, root.name, contentOf(root));
  return document;
}

function contentOf({ attributes, children, text }: XmlElement): unknown {
  if (attributes.size === 0 && children.length === 0) return text;
  const node: Node = {};
  for (const [name, value] of attributes) add(node, `@${name.slice(name.indexOf(':') + 1)}`, value);
  for (const child of children) add(node, child.name, contentOf(child));
  if (text !== '') add(node, '#text', text);
  return node;
}

/** A repeated name becomes a list. */
function add(node: Node, name: string, value: unknown): void {
  const given = Object.hasOwn(node, name) ? node[name] : undefined;
  const all = given === undefined ? value : [...(Array.isArray(given) ? given : [given]), value];
  // Defined, not assigned, so that `__proto__` is an ordinary name.
  Object.defineProperty(node, name, {
    value: all,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
