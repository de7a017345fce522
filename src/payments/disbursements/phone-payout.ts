import { strict } from '../../platform/base/json-fields.ts';
import { Type } from 'typebox';
import type { Static } from 'typebox';
import { compiled } from '../../platform/base/compiled.ts';
import type { Mac } from '../../platform/base/mac.ts';
import { PlainError } from '../../platform/base/plain-error.ts';
import { kind } from '../../proposals/kind.ts';
import type { AnyKind } from '../../proposals/kind.ts';
import { alikeLines, listAlike, PHONE_PAYOUT } from '../payouts/payout.ts';
import { confirmedPhone } from '../payouts/phones.ts';
import {
  DISBURSEMENT,
  disbursementFields,
  planDisbursement,
  readDisbursement,
  requireDisbursement,
} from './disbursement.ts';
import type { DisbursementFacts, DisbursementPlan } from './disbursement.ts';

const content = strict({ ...disbursementFields, phone: Type.String({ pattern: '^[0-9]{12}$' }) });
type Content = Static<typeof content>;

interface Facts extends DisbursementFacts {
  /** The one that two people set for the vendor; null: none. */
  readonly confirmed: string | null;
  readonly alike: readonly string[];
}

/** Money from a vendor’s float to the vendor’s own phone, which an operator sends. */
export const phonePayoutKind = ({ ledgerMac }: { readonly ledgerMac: Mac }): AnyKind =>
  kind<Content, Facts, DisbursementPlan>({
    ...DISBURSEMENT,
    name: PHONE_PAYOUT,
    title: 'Payout to the vendor’s phone',
    content: compiled(content),
    about: ({ vid, cents }) => `${vid} ${cents}`,
    describe: ({ vid, cents, phone, evidence }) => [
      { label: 'Vendor', text: vid },
      { label: 'Amount', cents },
      { label: 'Phone number', text: phone },
      { label: 'Evidence', text: evidence },
    ],
    read: async (db, of, how) => ({
      ...(await readDisbursement(db, of, how)),
      confirmed: await confirmedPhone(db, ledgerMac, of.vendorId),
      alike: await listAlike(db, { ...of, proposalId: how.proposalId }),
    }),
    remarks: ({ alike }) => alikeLines(alike),
    check: (facts, of, proposal) => {
      if (facts.confirmed !== of.phone) {
        const now = facts.confirmed ?? 'none';
        throw new PlainError(`The vendor’s phone for payouts is another one now: ${now}.`, {
          field: 'phone',
        });
      }
      requireDisbursement(facts, of, proposal?.proposedAt ?? null);
    },
    plan: (facts, { content: of }) => planDisbursement(facts, of, of.phone),
  });
