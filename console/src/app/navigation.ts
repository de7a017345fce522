import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { LinkProps } from '@tanstack/react-router';
import {
  Activity,
  Banknote,
  ChartColumn,
  Gauge,
  EyeOff,
  FileOutput,
  FileSpreadsheet,
  FileText,
  FileUp,
  KeyRound,
  ListTree,
  Wallet,
  ClipboardCheck,
  BookOpen,
  FileSearch,
  GitCompareArrows,
  HandCoins,
  House,
  Landmark,
  Network,
  NotebookPen,
  Percent,
  Plug,
  ReceiptText,
  RefreshCw,
  Scale,
  ScrollText,
  Server,
  Store,
  UserSearch,
  Users,
} from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import type { Permission } from '../../../src/parties/people/permissions.ts';

export interface NavigationItem {
  readonly to: NonNullable<LinkProps['to']>;
  readonly title: MessageDescriptor;
  /** Paths of pages that are reached from it and are not below its own. */
  readonly also?: readonly string[];
  /** In the narrow bar of telephones, if the title is too long for it. */
  readonly short?: MessageDescriptor;
  readonly icon: LucideIcon;
  /** Without it a person does not see the item. */
  readonly permission: Permission;
  /** Pressed after `g`. */
  readonly key: string;
  /** A number after the title: proposals of others that the person may decide. */
  readonly badge?: 'approvals';
}

export interface NavigationGroup {
  /** Undefined: the first group has no title. */
  readonly title: MessageDescriptor | undefined;
  readonly items: readonly NavigationItem[];
}

/** The pages by group. The first four that a person may see are in the bar of narrow screens. */
// oxfmt-ignore
export const NAVIGATION: readonly NavigationGroup[] = [
  {
    title: undefined,
    items: [
      { to: '/', title: msg`Home`, icon: House, permission: 'home.read', key: 'h' },
      { to: '/payments', title: msg`Payments`, icon: ReceiptText, permission: 'payments.read', key: 'p' },
      { to: '/pay', title: msg`Pay a bill`, icon: Banknote, permission: 'payments.create', key: 'n' },
      { to: '/bulk', title: msg`Files of payments`, short: msg`Files`, icon: FileSpreadsheet, permission: 'payments.create', key: 'f' },
      { to: '/account', title: msg`Account`, icon: Wallet, permission: 'account.read', key: 'm' },
      { to: '/integration', title: msg`Integration`, icon: KeyRound, permission: 'account.integrate', key: 'i' },
      { to: '/requests', title: msg`Requests`, icon: ListTree, permission: 'account.integrate', key: 'q' },
      { to: '/cases', title: msg`Cases`, icon: Scale, permission: 'cases.read', key: 'c' },
      { to: '/approvals', title: msg`Approvals`, icon: ClipboardCheck, permission: 'approvals.read', key: 'w', badge: 'approvals' },
      { to: '/reconciliation', title: msg`Reconciliation`, icon: GitCompareArrows, permission: 'reconciliation.read', key: 'r', also: ['/statements'] },
      { to: '/invoices', title: msg`Invoices`, icon: FileText, permission: 'statement.read', key: '4' },
    ],
  },
  {
    title: msg`Network`,
    items: [
      { to: '/vendors', title: msg`Vendors`, icon: Store, permission: 'vendors.read', key: 'v' },
      { to: '/billers', title: msg`Billers`, icon: Plug, permission: 'billers.read', key: 'b', also: ['/prices', '/prefixes'] },
      { to: '/operators', title: msg`Operators`, icon: Network, permission: 'billers.read', key: 'o' },
    ],
  },
  {
    title: msg`Finance`,
    items: [
      { to: '/ledger', title: msg`Ledger`, icon: BookOpen, permission: 'finance.read', key: 'l' },
      { to: '/profit', title: msg`Profit and balance sheet`, short: msg`Profit`, icon: ChartColumn, permission: 'finance.read', key: '5' },
      { to: '/journals', title: msg`Journals and payouts`, icon: NotebookPen, permission: 'finance.read', key: 'j' },
      { to: '/summary-journals', title: msg`Summary journals`, icon: FileOutput, permission: 'finance.read', key: '6' },
      { to: '/margin', title: msg`Fees and margins`, icon: Percent, permission: 'finance.read', key: 'd' },
      { to: '/receivables', title: msg`Receivables`, icon: HandCoins, permission: 'finance.read', key: 'k' },
      { to: '/vat', title: msg`VAT`, icon: Landmark, permission: 'finance.read', key: 'y' },
      { to: '/top-ups', title: msg`Automatic top-ups`, icon: RefreshCw, permission: 'finance.read', key: 't' },
    ],
  },
  {
    title: msg`Credit`,
    items: [
      { to: '/credit', title: msg`Enquiries`, icon: FileSearch, permission: 'enquiries.read', key: 'e' },
      { to: '/credit/imports', title: msg`Lenders’ files`, icon: FileUp, permission: 'credit.read', key: 'x' },
      { to: '/credit/cases', title: msg`People and disputes`, icon: UserSearch, permission: 'credit.read', key: '2', also: ['/credit/disputes', '/credit/proposals'] },
      { to: '/credit/rules', title: msg`Suppression rules`, icon: EyeOff, permission: 'credit.read', key: 'z' },
      { to: '/credit/scorecards', title: msg`Scorecards`, icon: Gauge, permission: 'credit.read', key: '3' },
      { to: '/credit/monitoring', title: msg`Credit monitoring`, icon: Activity, permission: 'credit.read', key: '1' },
    ],
  },
  {
    title: msg`Administration`,
    items: [
      { to: '/people', title: msg`People`, icon: Users, permission: 'people.read', key: 'u' },
      { to: '/audit', title: msg`Audit log`, icon: ScrollText, permission: 'audit.read', key: 'a' },
      { to: '/system', title: msg`System`, icon: Server, permission: 'system.read', key: 's', also: ['/jobs'] },
    ],
  },
];

/** The item that a page belongs to: the one with the longest part of its path. */
export function currentItem(
  groups: readonly NavigationGroup[],
  path: string,
): NavigationItem | undefined {
  const starts = groups
    .flatMap(({ items }) => items)
    .flatMap((item) => [item.to, ...(item.also ?? [])].map((start) => ({ item, start })))
    .filter(({ start }) => path === start || path.startsWith(`${start}/`));
  return starts.toSorted((a, b) => b.start.length - a.start.length)[0]?.item;
}

/** What a person with these permissions sees. */
export function navigationFor(permissions: readonly Permission[]): readonly NavigationGroup[] {
  return NAVIGATION.map(({ title, items }) => ({
    title,
    items: items.filter(({ permission }) => permissions.includes(permission)),
  })).filter(({ items }) => items.length > 0);
}

/** Whether a page of the navigation is not for a person with these permissions. */
export function isForbidden(path: string, permissions: readonly Permission[]): boolean {
  const items = NAVIGATION.flatMap((group) => group.items);
  const item = items.find(({ to }) => to === path);
  return item !== undefined && !permissions.includes(item.permission);
}
