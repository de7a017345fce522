import { expect, test } from 'vitest';
import { asSentence } from '../../../console/src/format/as-sentence.ts';

test.each([
  ['Declined', 'Declined.'],
  ['The account is closed.', 'The account is closed.'],
  ['Which account?', 'Which account?'],
])('an operator’s text ends as a sentence: %s', (text, sentence) => {
  expect(asSentence(text)).toBe(sentence);
});
