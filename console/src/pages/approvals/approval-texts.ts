import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react';
import { ROLE_NAMES } from '../../format/RoleName.tsx';
import { KIND_NAMES, RESOLUTION_NAMES } from '../cases/case-texts.ts';

/** Translates the titles of proposals and the labels of their rows, which the service says in English. */
export function useProposalWord(): (english: string) => string {
  const { i18n } = useLingui();
  return (english) => (Object.hasOwn(i18n.messages, english) ? i18n._(english) : english);
}

/** What a row says. Some say it with a word of the service. */
export function useText(): (label: string, text: string) => string {
  const { i18n } = useLingui();
  const words: Readonly<Record<string, Readonly<Record<string, MessageDescriptor>>>> = {
    Resolution: RESOLUTION_NAMES,
    'Kind of case': KIND_NAMES,
    Role: ROLE_NAMES,
  };
  return (label, text) => {
    const known = words[label]?.[text];
    return known === undefined ? text : i18n._(known);
  };
}

/** Announces that a setting was only proposed. */
export function useWaits(): string {
  const { i18n } = useLingui();
  return i18n._(msg`Another person has to approve it, on the page Approvals.`);
}
