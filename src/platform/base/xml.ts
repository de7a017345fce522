import sax from 'sax';
import type { SAXParser } from 'sax';
import { nextTurn } from './turns.ts';

export interface XmlElement {
  /** Without its namespace prefix. */
  readonly name: string;
  /** Where its start tag ends, the first line being 1. */
  readonly line: number;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly XmlElement[];
  /** Its own text without that of its children, trimmed. */
  readonly text: string;
}

export interface XmlProblem {
  readonly line: number;
  readonly problem: string;
}

export interface XmlLimits {
  /** Elements inside each other. */
  readonly depth: number;
  /** Elements and attributes, without those of elements that were taken. */
  readonly nodes: number;
}

/** True: the element is dealt with, and not kept. @param path the names of the elements that it is in. */
export type TakeElement = (element: XmlElement, path: readonly string[]) => boolean;

interface OpenElement extends XmlElement {
  readonly children: OpenElement[];
  text: string;
}

/** `strictEntities`: only those that XML has itself. The types do not know this option. */
const OPTIONS = { strictEntities: true, position: true };

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

/**
 * The root element of an XML document. A document type is refused, and with it every entity that a
 * document could define.
 */
export function readXml(content: string, limits: XmlLimits): XmlElement | XmlProblem {
  const reader = openXml(limits, () => false);
  reader.write(content.replace(/^\ufeff/, ''));
  return reader.end();
}

/** Bytes, or characters, that are read before other work has its turn. */
const READ_AT_ONCE = 32 * 1024;

/**
 * The root element of a large XML document, as `readXml` returns it, read in turns.
 * @param content bytes are UTF-8.
 * @param take gets each element at its end.
 */
export async function readLargeXml(
  content: Buffer | string,
  limits: XmlLimits,
  take: TakeElement = () => false,
): Promise<XmlElement | XmlProblem> {
  const reader = openXml(limits, take);
  for (const part of partsOf(content)) {
    if (!reader.write(part)) break;
    await nextTurn();
  }
  return reader.end();
}

function* partsOf(content: Buffer | string): Generator<string> {
  const decoder = new TextDecoder();
  for (let at = 0; at < content.length; at += READ_AT_ONCE) {
    const end = at + READ_AT_ONCE;
    yield typeof content === 'string'
      ? content.slice(at, end)
      : decoder.decode(content.subarray(at, end), { stream: true });
  }
}

interface XmlReader {
  /** Returns false after a problem. */
  readonly write: (content: string) => boolean;
  readonly end: () => XmlElement | XmlProblem;
}

function openXml(limits: XmlLimits, take: TakeElement): XmlReader {
  const parser = sax.parser(true, OPTIONS);
  const rootOf = buildTree(parser, limits, take);
  let problem: XmlProblem | undefined;
  const attempt = (step: () => void): boolean => {
    if (problem !== undefined) return false;
    try {
      step();
    } catch (error) {
      // sax puts its position on further lines.
      const [text = ''] = (error as Error).message.split('\n');
      problem = { line: parser.line + 1, problem: `the XML is not valid: ${text}` };
    }
    return problem === undefined;
  };
  return {
    write: (content) => attempt(() => void parser.write(content)),
    end: () => {
      attempt(() => void parser.close());
      return problem ?? rootOf() ?? { line: 1, problem: 'the XML has no element' };
    },
  };
}

/** Lets the parser build the tree, whose root is there once it has begun. */
function buildTree(
  parser: SAXParser,
  limits: XmlLimits,
  take: TakeElement,
): () => XmlElement | undefined {
  const open: OpenElement[] = [];
  const path: string[] = [];
  /** The number of nodes before each open element. */
  const before: number[] = [];
  let root: OpenElement | undefined;
  let nodes = 0;
  const addText = (more: string): void => {
    const element = open.at(-1);
    if (element !== undefined) element.text += more;
  };
  const handlers: Partial<SAXParser> = {
    onerror: (error) => {
      throw error;
    },
    ondoctype: () => refuse('a document type is not allowed'),
    onopentag: ({ name, attributes }) => {
      before.push(nodes);
      nodes += 1 + Object.keys(attributes).length;
      if (open.length >= limits.depth) refuse('too many elements inside each other');
      if (nodes > limits.nodes) refuse('too many elements and attributes');
      if (open.length === 0 && root !== undefined) refuse('there is a second root element');
      const element: OpenElement = {
        name: localName(name),
        line: parser.line + 1,
        attributes: attributesOf(attributes),
        children: [],
        text: '',
      };
      open.at(-1)?.children.push(element);
      root ??= element;
      open.push(element);
      path.push(element.name);
    },
    ontext: addText,
    oncdata: addText,
    onclosetag: () => {
      const element = open.pop();
      path.pop();
      const nodesBefore = before.pop();
      if (element === undefined) return;
      element.text = element.text.trim();
      if (!take(element, path)) return;
      open.at(-1)?.children.pop();
      nodes = nodesBefore ?? nodes;
    },
  };
  Object.assign(parser, handlers);
  return () => root;
}

function refuse(problem: string): never {
  throw new Error(problem);
}

function attributesOf(given: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const entries = Object.entries(given);
  if (entries.length === 0) return NO_ATTRIBUTES;
  return new Map(entries.map(([name, value]) => [name, String(value)]));
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** The children with this name. */
export function childrenOf(element: XmlElement | undefined, name: string): XmlElement[] {
  return element?.children.filter((child) => child.name === name) ?? [];
}

/** The first element on a path of names. */
export function elementAt(
  element: XmlElement | undefined,
  ...path: readonly string[]
): XmlElement | undefined {
  let found = element;
  for (const name of path) found = found?.children.find((child) => child.name === name);
  return found;
}

/** The text of the first element on a path of names; undefined if it is missing or empty. */
export function textAt(
  element: XmlElement | undefined,
  ...path: readonly string[]
): string | undefined {
  const text = elementAt(element, ...path)?.text;
  return text === '' ? undefined : text;
}
