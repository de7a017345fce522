import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';

export const SCORE_KINDS: Readonly<Record<string, MessageDescriptor>> = {
  generic: msg`Generic score`,
  mobile: msg`Mobile-loan score`,
};
