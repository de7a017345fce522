/** Parameters of the enquiries. Names and values are those of the service's specification. */
export interface Enquiry {
  /** Your own unique reference of this enquiry: letters and digits. */
  readonly requestReference: string;
  /** 1 to 12. */
  readonly reportReason: number;
  readonly name1?: string;
  readonly name2?: string;
  readonly name3?: string;
  readonly name4?: string;
  /** `YYYY-MM-DD` */
  readonly dateOfBirth?: string;
  readonly nationalID?: string;
  readonly passportNo?: string;
  readonly serviceID?: string;
  readonly alienID?: string;
  readonly taxID?: string;
  readonly postalTown?: string;
  readonly postalCountry?: string;
  readonly telephoneWork?: string;
  readonly telephoneHome?: string;
  readonly telephoneMobile?: string;
  readonly physicalAddress?: string;
  readonly physicalTown?: string;
  readonly physicalCountry?: string;
  readonly consentReference?: string;
  /** `YYYY-MM-DD` */
  readonly consentDate?: string;
}

export interface ScoreEnquiry extends Enquiry {
  /** 1: my sector, 2: all sectors. */
  readonly reportSector: number;
}

/** Numbers, as text. */
export interface SectorPair {
  readonly mySector: string;
  readonly otherSectors: string;
}

export interface Profile {
  readonly crn: string;
  readonly alsoKnownAs: readonly string[];
  readonly dateOfBirth: string;
  readonly fullName: string;
  readonly nationalID: string;
  readonly otherNames: string;
  readonly salutation: string;
  readonly surname: string;
  /** `true` or `false` */
  readonly deceased: string;
  /** `true`: a name on file is another than in the enquiry, as after a marriage; check the document. */
  readonly nameDiffers: string;
}

interface EnquiryAnswer {
  readonly text: string;
  readonly requestReference: string;
  readonly remarks: readonly string[];
  readonly source: string;
  readonly computed_here: readonly string[];
}

export interface IdDecision extends EnquiryAnswer {
  readonly profile: Profile & { readonly gender: string; readonly nationality: string };
  readonly summary: { readonly creditActive: string };
}

interface Score {
  readonly grade: string;
  readonly probability: string;
  readonly reasonCodeAARC1: string;
  readonly reasonCodeAARC2: string;
  readonly reasonCodeAARC3: string;
  readonly reasonCodeAARC4: string;
}

/** Fields as the specification and `docs/reference/credit-fields.md` describe them; amounts are decimal text. */
export interface GenericScore extends EnquiryAnswer {
  readonly profile: Profile;
  readonly summary: Readonly<Record<string, SectorPair>>;
  readonly account_list: readonly Readonly<Record<string, string>>[];
  readonly phone_list: readonly Readonly<Record<string, string>>[];
  readonly score: Score & { readonly positiveScore: string };
  readonly notice: string;
}

export interface MobileLoanScore extends EnquiryAnswer {
  readonly profile: Profile;
  readonly summary: Readonly<Record<string, SectorPair>> & {
    readonly lastMobileLoanListingDate: { readonly otherSectors: string | null };
  };
  readonly account_list: readonly Readonly<Record<string, string>>[];
  readonly phone_list: readonly Readonly<Record<string, string>>[];
  readonly score: Score & { readonly mobiLoansScore: string };
  readonly notice: string;
}

/** A row of a batch. Names are those of an enquiry. */
export type BatchCustomer = Pick<
  Enquiry,
  | 'requestReference'
  | 'name1'
  | 'name2'
  | 'name3'
  | 'name4'
  | 'nationalID'
  | 'passportNo'
  | 'serviceID'
  | 'alienID'
  | 'taxID'
  | 'dateOfBirth'
  | 'consentReference'
  | 'consentDate'
>;

export interface ScoreBatch {
  readonly batchReference: string;
  readonly batchId: string;
  /** `PROCESSING` or `DONE`. */
  readonly status: string;
  readonly product: string;
  readonly sha256: string;
  readonly rows: number;
  readonly answered: number;
  readonly refused: number;
  readonly postedTime: Date;
  readonly text: string;
}

export interface ScoreBatchRow {
  readonly row: number;
  readonly requestReference: string | null;
  /** `ANSWERED`, `REFUSED` or `WAITING`. */
  readonly result: string;
  readonly crn: string | null;
  /** `true`: a name on file is another than in the row. */
  readonly nameDiffers: string | null;
  readonly grade: string | null;
  readonly score: string | null;
  readonly probability: string | null;
  readonly reasonCodeAARC1: string | null;
  readonly reasonCodeAARC2: string | null;
  readonly reasonCodeAARC3: string | null;
  readonly reasonCodeAARC4: string | null;
  readonly scorecard: string | null;
  /** `true`: not made from what became of real loans, so its scores are examples. */
  readonly scorecardIsExample: string | null;
  readonly code: string | null;
  readonly text: string | null;
  readonly field: string | null;
}

export interface ScoreBatchResult extends ScoreBatch {
  readonly notice: string;
  readonly results: readonly ScoreBatchRow[];
}

export interface Watch {
  readonly requestReference: string;
  readonly text: string;
}
