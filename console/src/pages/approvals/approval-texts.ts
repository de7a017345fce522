import type { MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import { useLingui } from '@lingui/react';
import { ROLE_NAMES } from '../../format/RoleName.tsx';
import { KIND_NAMES, RESOLUTION_NAMES } from '../cases/case-texts.ts';

const PROPOSALS: Readonly<Record<string, MessageDescriptor>> = {
  case_resolution: msg`Resolution of a case`,
  house_entry: msg`Entry about a float`,
  house_journal: msg`Journal`,
  payout: msg`Payout to the vendor’s bank`,
  payout_made: msg`Payout that was made without a proposal`,
  operator_statement: msg`Statement of an operator`,
  bank_statement: msg`Statement of a bank`,
  vendor_secret: msg`New key or secret of a vendor`,
  price_setting: msg`Price`,
  operator_setting: msg`Setting of an operator, a biller or a route`,
  money_in_setting: msg`Setting of money in`,
  party_setting: msg`Setting of a vendor or a collector`,
  payout_return: msg`Return of a payout that is not made`,
  receipt: msg`Receipt without a vendor`,
  receipt_move: msg`Receipt of another vendor`,
  collection: msg`Income in a collector’s name`,
  credit_merge: msg`References of one person`,
  credit_dispute: msg`Close a dispute`,
  credit_account: msg`Account of a customer`,
  credit_life: msg`Death of a customer`,
  credit_case: msg`Close the case`,
  credit_import: msg`Import a lender’s file`,
  credit_rule: msg`Suppression rule`,
  credit_scorecard: msg`Change of scorecard`,
  person: msg`Person who signs in`,
  quarantine_release: msg`End of the quarantine without statements`,
};

/** What is proposed, in words. */
export function useProposalName(): (kind: string) => string {
  const { i18n } = useLingui();
  return (kind) => {
    const name = PROPOSALS[kind];
    return name === undefined ? kind : i18n._(name);
  };
}

/** Labels of the rows of proposals. One without a translation is shown as the service says it. */
const LABELS: Readonly<Record<string, MessageDescriptor>> = {
  'Sends payments again without the statements of': msg`Sends payments again without the statements of`,
  'May be missing from the ledger': msg`May be missing from the ledger`,
  Vendor: msg`Vendor`,
  Login: msg`Login`,
  Role: msg`Role`,
  'Chose the password': msg`Chose the password`,
  Change: msg`Change`,
  Hides: msg`Hides`,
  'Hides no longer': msg`Hides no longer`,
  'Answers that contained it': msg`Answers that contained it`,
  Amount: msg`Amount`,
  'Bank account': msg`Bank account`,
  Evidence: msg`Evidence`,
  'Reference of the bank': msg`Reference of the bank`,
  Payout: msg`Payout`,
  Receipt: msg`Receipt`,
  'Credited as collected income': msg`Credited as collected income`,
  'Has been reported by its collector': msg`Has been reported by its collector`,
  'Closed without a vendor': msg`Closed without a vendor`,
  Reference: msg`Reference`,
  'Customer paid': msg`Customer paid`,
  'Taken from': msg`Taken from`,
  'Reported alike': msg`Reported alike`,
  'Money moved': msg`Money moved`,
  Debit: msg`Debit`,
  Credit: msg`Credit`,
  'Consumed by earlier payments, also booked': msg`Consumed by earlier payments, also booked`,
  Balance: msg`Balance`,
  Booked: msg`Booked`,
  'The vendor owes us': msg`The vendor owes us`,
  'Transfer that the approval permits': msg`Transfer that the approval permits`,
  'Booked with the bank’s reference': msg`Booked with the bank’s reference`,
  'Transfer that is not made any more': msg`Transfer that is not made any more`,
  Operator: msg`Operator`,
  Source: msg`Source`,
  File: msg`File`,
  From: msg`From`,
  To: msg`To`,
  'Lists every movement': msg`Lists every movement`,
  'Payments that become paid': msg`Payments that become paid`,
  'Payments that fail; their amounts return to the float': msg`Payments that fail; their amounts return to the float`,
  'Opening balance that is booked': msg`Opening balance that is booked`,
  'Top-ups that are booked': msg`Top-ups that are booked`,
  'Charges that are booked': msg`Charges that are booked`,
  Movements: msg`Movements`,
  'Payments that it does not list': msg`Payments that it does not list`,
  'Cases that are opened': msg`Cases that are opened`,
  'Lines compared with the bank': msg`Lines compared with the bank`,
  'Waits for people': msg`Waits for people`,
  'Known already': msg`Known already`,
  'Contradicts what is known': msg`Contradicts what is known`,
  'Was taken back': msg`Was taken back`,
  'Returned by the bank: a case is opened': msg`Returned by the bank: a case is opened`,
  'Money that went out': msg`Money that went out`,
  'Money that went out and came back': msg`Money that went out and came back`,
  Secret: msg`Secret`,
  Replaces: msg`Replaces`,
  'Seconds for which the replaced one stays valid': msg`Seconds for which the replaced one stays valid`,
  'Permits a new secret of the vendor': msg`Permits a new secret of the vendor`,
  Fee: msg`Fee`,
  'Price of an operator': msg`Price of an operator`,
  Price: msg`Price`,
  'Later prices': msg`Later prices`,
  'Payments that exist': msg`Payments that exist`,
  'Payments that were sent': msg`Payments that were sent`,
  Biller: msg`Biller`,
  Route: msg`Route`,
  Name: msg`Name`,
  Connector: msg`Connector`,
  Address: msg`Address`,
  'Calls at once': msg`Calls at once`,
  'Instructions per second': msg`Instructions per second`,
  'Key of an operator': msg`Key of an operator`,
  Fingerprint: msg`Fingerprint`,
  'Former merchant accounts': msg`Former merchant accounts`,
  'Reaches the same merchant account': msg`Reaches the same merchant account`,
  'Payments without a result': msg`Payments without a result`,
  'They are asked about': msg`They are asked about`,
  Category: msg`Category`,
  Minimum: msg`Minimum`,
  Maximum: msg`Maximum`,
  'Phone number': msg`Phone number`,
  'Validates accounts': msg`Validates accounts`,
  'Format of accounts': msg`Format of accounts`,
  'Name of accounts': msg`Name of accounts`,
  Amounts: msg`Amounts`,
  Position: msg`Position`,
  Weight: msg`Weight`,
  'Limit of a day': msg`Limit of a day`,
  Status: msg`Status`,
  'Key of a source': msg`Key of a source`,
  Kind: msg`Kind`,
  Collector: msg`Collector`,
  'Key of a collector': msg`Key of a collector`,
  'May collect for': msg`May collect for`,
  Signature: msg`Signature`,
  'Account number': msg`Account number`,
  'Automatic top-up': msg`Automatic top-up`,
  Below: msg`Below`,
  'Pause in seconds': msg`Pause in seconds`,
  Target: msg`Target`,
  'At most at once': msg`At most at once`,
  Sector: msg`Sector`,
  'Duplicate check': msg`Duplicate check`,
  'Duplicate window': msg`Duplicate window`,
  References: msg`References`,
  Enquiries: msg`Enquiries`,
  'Status text': msg`Status text`,
  Webhook: msg`Webhook`,
  'Private networks': msg`Private networks`,
  'Stopped at present': msg`Stopped at present`,
  Resolution: msg`Resolution`,
  'Kind of case': msg`Kind of case`,
  Case: msg`Case`,
  Payment: msg`Payment`,
  'Reference of the operator': msg`Reference of the operator`,
  'Message to the vendor': msg`Message to the vendor`,
  Posted: msg`Posted`,
  'Settled as paid': msg`Settled as paid`,
  'Settled as failed': msg`Settled as failed`,
  'The vendor sees': msg`The vendor sees`,
  'The vendor still owes, as a new case': msg`The vendor still owes, as a new case`,
  'Not booked': msg`Not booked`,
  'Not in our books': msg`Not in our books`,
};

export function useLabel(): (label: string) => string {
  const { i18n } = useLingui();
  return (label) => {
    const known = LABELS[label];
    return known === undefined ? label : i18n._(known);
  };
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
