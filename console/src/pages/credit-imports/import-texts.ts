import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';

export const TEMPLATES: Readonly<Record<string, MessageDescriptor>> = {
  mobile: msg`Mobile template, 31 columns`,
  individual: msg`Individual template, 45 columns`,
  consumer: msg`Consumer template, about 70 columns`,
};

export const AMOUNT_UNITS: Readonly<Record<string, MessageDescriptor>> = {
  shillings: msg`Shillings`,
  cents: msg`Cents`,
};

/** Files that lenders send. */
export const LENDER_FILES = '.csv,.txt,.xlsx,text/csv';
