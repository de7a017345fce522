import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { Static, TObject, TProperties } from 'typebox';
import { CREDIT_OPERATIONS } from '../credit/bureaus/bureau.ts';
import type { ReportDocument } from '../platform/documents/document.ts';
import { DOCUMENT_FORMATS, LANGUAGES } from '../platform/documents/document.ts';
import { DECISIONS } from '../credit/reports/words.ts';
import { NAMES_SUBJECT, ofSubject } from './credit-fields.ts';
import { finding, lenderFile, readHow } from './credit-imports.ts';
import { download, view } from './definition.ts';
import type { AnyDownload, Noun } from './definition.ts';
import { requireFile } from './deps.ts';
import type { StaffDeps } from './deps.ts';
import * as fields from './fields.ts';
import { inputOf, text, titled } from './fields.ts';
import { readDay } from '../platform/base/times.ts';
import { wireOf } from './wire.ts';

const core = async () => ({
  ...(await import('../credit/reports/drafts.ts')),
  ...(await import('../platform/documents/rendered.ts')),
  ...(await import('../credit/reports/subject-document.ts')),
  ...(await import('../credit/reports/subject-report.ts')),
  ...(await import('../parties/require-vendor.ts')),
});
type Core = Awaited<ReturnType<typeof core>>;

const language = Type.Enum([...LANGUAGES], {
  ...{ default: 'en', description: 'English or Swahili' },
});
const documentHow = {
  format: Type.Enum([...DOCUMENT_FORMATS], {
    ...{ default: 'text', description: 'form of the document' },
  }),
  language,
};

/** A document for people, as a file. */
function document<Fields extends TProperties>(
  said: Pick<AnyDownload, 'name' | 'summary' | 'route' | 'needsOne'>,
  own: Fields,
  make: (asked: {
    readonly core: Core;
    readonly input: Static<TObject<Fields & typeof documentHow>>;
    readonly deps: StaffDeps;
  }) => Promise<{ readonly made: ReportDocument; readonly filter?: object }>,
): AnyDownload {
  return download(core, {
    ...{ ...said, permission: 'credit.reports', input: inputOf({ ...own, ...documentHow }) },
    handle: async ({ core: loaded, input, deps }) => {
      const { made, filter } = await make({ core: loaded, input, deps });
      const { format } = input as Static<TObject<typeof documentHow>>;
      const { type, ending, content } = await loaded.rendered(made, format);
      const [, word = ''] = said.name.split('.');
      const name = `${word}-${deps.wireTime.format(made.madeAt).slice(0, 10)}.${ending}`;
      return { name, type, body: Readable.from([content]), ...(filter && { filter }) };
    },
  });
}

/** A letter about an answered enquiry of a vendor. */
const ofEnquiry = {
  vid: fields.vid({ description: 'the vendor that asked' }),
  reference: fields.line(64, { description: 'requestReference of the enquiry' }),
  operation: Type.Enum([...CREDIT_OPERATIONS], {
    ...{ default: 'generic-score', description: 'operation of the enquiry' },
  }),
};

type AboutEnquiry = Static<TObject<typeof ofEnquiry & typeof documentHow>>;

async function draftOf(loaded: Core, { vid, ...input }: AboutEnquiry, deps: StaffDeps) {
  const lender = await loaded.requireVendor(deps.pool, vid);
  const tools = { ...(await deps.credit()), wireTime: deps.wireTime, language: input.language };
  return { tools, of: { lender, requestReference: input.reference, operation: input.operation } };
}

/** Everything on file about a person as a document for the person. */
export const SUBJECT_DOCUMENT = document(
  {
    name: 'credit.subject-document',
    summary:
      'Everything on file about a person as a document for the person, with the score and its parts.',
    ...{ route: 'POST /credit/subject-document', needsOne: NAMES_SUBJECT },
  },
  ofSubject,
  async ({ core: loaded, input, deps }) => {
    const report = await loaded.reportOf(await deps.credit(), input);
    const { language: words, format } = input;
    return {
      made: loaded.subjectDocument(report, words, deps.wireTime),
      filter: { crn: String(report.crn), format, language: words },
    };
  },
);

const notices = Type.Object({
  notices: Type.Array(
    Type.Object({
      ...titled({ line: Type.Integer, account: text }),
      /** Not before that day. */
      submit_from: text({ title: 'Submit from' }),
      text: text({ title: 'Notice', wrapped: true }),
    }),
  ),
  /** Any of them may be about somebody whom nobody would then have told. */
  findings: Type.Array(finding, { title: 'Correct these lines and ask again' }),
});

/** Letters that Kenyan law and good practice require around credit information. */
export const CREDIT_LETTERS: Noun = {
  command: 'credit letter',
  summary: 'Drafts of letters: adverse action, pre-listing, consent receipt.',
  definitions: [
    document(
      {
        name: 'credit-letter.adverse-action',
        summary:
          'The notice that a lender sends when it decides against a customer because of an enquiry.',
        route: 'GET /credit/letters/adverse-action',
      },
      {
        ...ofEnquiry,
        decision: Type.Enum([...DECISIONS], {
          ...{ default: 'declined', description: 'what was decided' },
        }),
      },
      async ({ core: loaded, input, deps }) => {
        const { tools, of } = await draftOf(loaded, input, deps);
        return {
          made: await loaded.draftAdverseAction(tools, { ...of, decision: input.decision }),
        };
      },
    ),
    document(
      {
        name: 'credit-letter.consent-receipt',
        summary: 'What a customer’s consent was used for: who asked, when and why.',
        route: 'GET /credit/letters/consent-receipt',
      },
      ofEnquiry,
      async ({ core: loaded, input, deps }) => {
        const { tools, of } = await draftOf(loaded, input, deps);
        return { made: await loaded.draftConsentReceipt(tools, of) };
      },
    ),
    view(core, {
      name: 'credit-letter.pre-listing',
      summary:
        'Notices to the holders of accounts that are in default in a file. The lender sends them at least 30 days before it submits the file. Nothing is imported.',
      route: 'POST /credit/letters/pre-listing',
      permission: 'credit.reports',
      isLong: true,
      file: lenderFile,
      input: inputOf({
        ...readHow,
        lender_name: fields.displayName({
          description: 'name of the lender as its customers know it',
        }),
        language,
      }),
      output: notices,
      rows: 'notices',
      empty: 'no account in a line without errors is in default',
      failed: ({ findings }) => findings.length > 0,
      handle: async ({ core: loaded, input, deps }) => {
        const { template, sector, amounts, lender_name: lenderName } = input;
        const asked = {
          template,
          sector,
          amounts,
          lenderName,
          asOf: readDay(input.as_of, 'as_of'),
        };
        const tools = { ...deps, language: input.language };
        const { path } = requireFile(deps);
        const { notices: made, findings } = await loaded.draftPreListing(tools, path, asked);
        return { notices: wireOf(made), findings: findings.map((each) => ({ ...each })) };
      },
    }),
  ],
};
