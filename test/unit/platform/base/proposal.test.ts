import { describe, expect, test } from 'vitest';
import { requireText } from '../../../../src/platform/base/proposal.ts';

describe('text for people', () => {
  test.each(['Letter 7', '7', 'Élan', 'رسالة', '٣', '信'])('%s is accepted', (text) => {
    expect(requireText(` ${text} `, 'note')).toBe(text);
  });

  test.each(['', '   ', '…', '-', '\u200b', '?!'])('“%s” says nothing', (text) => {
    expect(() => requireText(text, 'note')).toThrow(
      expect.objectContaining({ message: 'It must have a letter or a digit.', field: 'note' }),
    );
  });
});
