import { Help } from 'commander';
import type { Argument, HelpConfiguration, Option } from 'commander';

/** The description of a longer option starts on the next line, so that no description gets narrow. */
const MAX_TERM_COLUMNS = 30;

/** Layout of the help of every command. */
export const HELP_LAYOUT: HelpConfiguration = {
  minWidthToWrap: 20,
  padWidth: (command, helper) =>
    Math.min(Help.prototype.padWidth.call(helper, command, helper), MAX_TERM_COLUMNS),
  formatItem: (term, termWidth, description, helper) => {
    const format = Help.prototype.formatItem.bind(helper);
    return helper.displayWidth(term) <= termWidth
      ? format(term, termWidth, description, helper)
      : `${format(term, termWidth, '', helper)}\n${format('', termWidth, description, helper)}`;
  },
  optionDescription: describe,
  argumentDescription: describe,
};

function describe(parameter: Option | Argument): string {
  const { description, argChoices: choices } = parameter;
  const initial = defaultOf(parameter);
  const notes = [
    ...(choices === undefined ? [] : [`one of ${choices.join(', ')}`]),
    ...(initial === '' ? [] : [`default: ${initial}`]),
  ];
  if (notes.length === 0) return description;
  return `${description} (${notes.join('; ')})`.trimStart();
}

/** Empty if there is no default that says something: without values, a list is an empty list. */
function defaultOf({
  defaultValue: value,
  defaultValueDescription: text,
}: Option | Argument): string {
  if (text !== undefined) return text;
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}
