import { Argument, InvalidArgumentError, Option } from 'commander';
import type { Command } from 'commander';
import { propertiesOf, routeOf } from '../../staff/definition.ts';
import type { Definition, Property, Spelt } from '../../staff/definition.ts';
import { wholeNumber } from '../arguments.ts';
import { REPEATABLE } from '../choices.ts';

/** The input of a definition as arguments and options of a command. */

type Values = Readonly<Record<string, unknown>>;
type Named = readonly [name: string, property: Property];

/** Adds them. The returned function reads what was given. */
export function addInput(added: Command, of: Definition): (given: readonly unknown[]) => Values {
  const all = propertiesOf(of.input);
  const places = all.filter((each) => isArgument(of, each));
  for (const [name, { description, enum: choices }] of places) {
    const argument = new Argument(placeText(of, name), description);
    added.addArgument(choices === undefined ? argument : argument.choices(choices.map(String)));
  }
  const { file: sent } = of;
  if (sent !== undefined) added.argument(`<${sent.name}>`, sent.description);
  const named = all.filter((each) => !isArgument(of, each));
  for (const each of named) addOptions(added, of, each);
  return (given) => {
    const options = added.opts<Values>();
    return Object.fromEntries(
      [
        ...places.map(([name], index) => [name, given[index]] as const),
        ...(sent === undefined ? [] : [[sent.name, given[places.length]] as const]),
        ...named.map(([name, property]) => [name, valueOf(name, property, options)] as const),
      ].filter(([, value]) => value !== undefined),
    );
  };
}

const isArgument = (of: Definition, [name, { argument }]: Named): boolean =>
  argument === true || routeOf(of).names.includes(name);

const isRequired = (of: Definition, name: string): boolean =>
  ((of.input as { required?: readonly string[] }).required ?? []).includes(name);

const placeText = (of: Definition, name: string): string =>
  isRequired(of, name) ? `<${name}>` : `[${name}]`;

const longOf = (name: string, { option = name }: Property): string => option.replaceAll('_', '-');

/** Commander’s name of an option. */
const keyOf = (long: string): string =>
  long.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

/** The field as the command calls it: `--bank-account`, `<payout>`. */
export function labelOf(of: Definition, field: string): string {
  const found = propertiesOf(of.input).find(([name]) => name === field);
  if (of.file?.name === field) return `<${field}>`;
  if (found === undefined) return `--${field.replaceAll('_', '-')}`;
  if (isArgument(of, found)) return `<${field}>`;
  const [name, property] = found;
  const { spelt } = property;
  if (spelt !== undefined) return spelt.map(({ option }) => `--${option}`).join(', ');
  return `--${longOf(name, property)}`;
}

/** The field with the options that stand for one of its values: `--vid, --close`. */
export function choicesOf(of: Definition, field: string): string {
  const { shorthands = {} } = Object.fromEntries(propertiesOf(of.input))[field] ?? {};
  return [labelOf(of, field), ...Object.keys(shorthands).map((short) => `--${short}`)].join(', ');
}

function addOptions(added: Command, of: Definition, [name, property]: Named): void {
  const { description, shorthands = {}, spelt, default: usual } = property;
  const { enum: choices, type, minimum = 0, maximum = 999_999_999 } = notNull(property);
  const isMandatory = isRequired(of, name) && usual === undefined;
  if (spelt !== undefined) {
    for (const each of spelt) added.addOption(speltOption(each, type, isMandatory, description));
    return;
  }
  const long = longOf(name, property);
  const placeholder = property.placeholder ?? long;
  const flags = type === 'boolean' ? `--${long}` : `--${long} <${placeholder}>`;
  const option = new Option(flags, textOf(description, usual));
  if (choices !== undefined) option.choices(choices.map(String));
  if (type === 'integer') option.argParser(wholeNumber(minimum, maximum));
  if (isMandatory) option.makeOptionMandatory();
  // True without it: what says no is shown.
  added.addOption(type === 'boolean' && usual === true ? option.hideHelp() : option);
  for (const [short, given] of Object.entries(shorthands)) {
    const says = typeof given === 'string' ? given : given.says;
    const shorthand = new Option(`--${short}`, says);
    added.addOption(short === `no-${long}` ? shorthand : shorthand.conflicts(keyOf(long)));
  }
}

/** What a value is that is not null, which only a shorthand says. */
const notNull = (property: Property): Property =>
  property.anyOf?.find(({ type }) => type !== 'null') ?? property;

/** Commander stores `--no-x` as an x of false. */
const isGiven = (short: string, options: Values): boolean =>
  short.startsWith('no-')
    ? options[keyOf(short.slice(3))] === false
    : options[keyOf(short)] === true;

/** A default is filled in by `perform`, so that it is one on every surface. */
function textOf(description = '', usual: unknown): string {
  const isSaid = usual === undefined || typeof usual === 'boolean';
  if (isSaid) return description;
  return `${description} (default: ${typeof usual === 'string' ? usual : JSON.stringify(usual)})`;
}

/** An option that can be repeated: each adds an item to a list, or a member to an object. */
function speltOption(
  { option: long, placeholder, read, form, says }: Spelt,
  type: string | undefined,
  isMandatory: boolean,
  description = '',
): Option {
  const option = new Option(`--${long} <${placeholder}>`, says ?? description);
  REPEATABLE.add(option);
  if (isMandatory) option.makeOptionMandatory();
  return option.argParser((text, before: unknown) => {
    const item = read(text);
    if (item === undefined) throw new InvalidArgumentError(`It must be ${form}.`);
    if (type === 'object') {
      const twice = Object.keys(item as object).find((name) => Object.hasOwn(before ?? {}, name));
      if (twice !== undefined) throw new InvalidArgumentError(`${twice} is given twice.`);
      return { ...(before as object | undefined), ...(item as object) };
    }
    return [...((before ?? []) as readonly unknown[]), item];
  });
}

function valueOf(name: string, property: Property, options: Values): unknown {
  const { spelt, shorthands = {}, type } = property;
  if (spelt === undefined) {
    const found = Object.entries(shorthands).find(([short]) => isGiven(short, options));
    if (found === undefined) return options[keyOf(longOf(name, property))];
    const [short, given] = found;
    return typeof given === 'string' ? short : given.value;
  }
  const given = spelt
    .map(({ option }) => options[keyOf(option)])
    .filter((each) => each !== undefined);
  if (given.length === 0) return undefined;
  return type === 'object' ? Object.assign({}, ...given) : given.flat(2);
}
