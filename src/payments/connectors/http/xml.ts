import sax from 'sax';
import type { Tag } from 'sax';

/** Elements inside each other. */
const MAX_DEPTH = 32;
/** Elements and attributes. */
const MAX_NODES = 5_000;

/** Only the five entities of XML itself; the library’s types do not know the option. */
const OPTIONS = { strictEntities: true, position: false };

type Node = Record<string, unknown>;

/**
 * An XML document as an object that expressions can read. Elements are fields without their
 * namespace prefix: a text if they hold nothing else, a list if they are repeated. Attributes begin
 * with `@`, and text next to elements or attributes is `#text`; no element can have such a name.
 * Document types are refused, and with them all entities that a document could define.
 * Undefined: the text is not well-formed, or too deep.
 */
export function readXml(text: string): object | undefined {
  const root: Node = {};
  const open: { name: string; node: Node; text: string }[] = [];
  let nodes = 0;
  const count = (): void => {
    nodes += 1;
    if (nodes > MAX_NODES || open.length > MAX_DEPTH) throw new Error('too large');
  };
  const addText = (more: string): void => {
    const element = open.at(-1);
    if (element !== undefined) element.text += more;
  };
  const parser = Object.assign(sax.parser(true, OPTIONS), {
    onerror: (error: Error) => {
      throw error;
    },
    ondoctype: () => {
      throw new Error('a document type');
    },
    onopentag: ({ name, attributes }: Tag) => {
      if (open.length === 0 && nodes > 0) throw new Error('a second root');
      const node: Node = {};
      open.push({ name: localName(name), node, text: '' });
      count();
      for (const [attribute, value] of Object.entries(attributes)) {
        count();
        add(node, `@${localName(attribute)}`, value);
      }
    },
    ontext: addText,
    oncdata: addText,
    onclosetag: () => {
      const element = open.pop();
      if (element !== undefined) add(open.at(-1)?.node ?? root, element.name, contentOf(element));
    },
  });
  try {
    parser.write(text).close();
  } catch {
    return undefined;
  }
  return nodes === 0 ? undefined : root;
}

function contentOf({ node, text }: { readonly node: Node; readonly text: string }): unknown {
  const trimmed = text.trim();
  if (Object.keys(node).length === 0) return trimmed;
  if (trimmed !== '') add(node, '#text', trimmed);
  return node;
}

/** The second value of a name makes it a list. */
function add(node: Node, name: string, value: unknown): void {
  const given = Object.hasOwn(node, name) ? node[name] : undefined;
  const all = given === undefined ? value : [...(Array.isArray(given) ? given : [given]), value];
  // Defined, not assigned: a name such as `__proto__` is a name like others.
  Object.defineProperty(node, name, {
    value: all,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
