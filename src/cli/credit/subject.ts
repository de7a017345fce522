import { Option } from 'commander';
import type { Command } from 'commander';
import { PlainError } from '../../platform/base/plain-error.ts';
import {
  DOCUMENT_FORMS,
  DOCUMENT_TYPES,
  normaliseDocument,
} from '../../credit/registry/documents.ts';
import type { DocumentType } from '../../credit/registry/documents.ts';
import { readSurvivors } from '../../credit/registry/read-merges.ts';
import { findSubjects } from '../../credit/registry/read-subjects.ts';
import type { Vault } from '../../credit/registry/vault.ts';
import { command, like } from '../arguments.ts';
import type { Session } from '../session.ts';

export interface SubjectOptions {
  readonly json?: boolean;
  readonly crn?: string;
  readonly type: DocumentType;
  readonly number?: string;
}

const crnNumber = like({ pattern: '^\\d{1,18}$', form: 'a customer reference number' });

/** A command about one person: by reference, or by a document. */
export function subjectCommand(parent: Command, spec: string, summary: string): Command {
  return command(parent, spec, summary)
    .option('--crn <number>', 'customer reference number', crnNumber)
    .addOption(
      new Option('--type <type>', 'type of the document')
        .choices(DOCUMENT_TYPES)
        .default('nationalID'),
    )
    .option('--number <number>', 'number of the document, instead of --crn');
}

/**
 * For a subject that is merged into another, the other one. Throws: `PlainError` if nobody, or more
 * than one person, matches.
 */
export async function crnOf(
  session: Session,
  vault: Vault,
  options: SubjectOptions,
): Promise<bigint> {
  if (options.crn !== undefined) {
    const crn = BigInt(options.crn);
    return (await readSurvivors(session.pool, [crn])).get(crn) ?? crn;
  }
  if (options.number === undefined) throw new PlainError('--crn or --number is required.');
  const number = normaliseDocument(options.type, options.number);
  if (number === undefined) {
    throw new PlainError(`--number must be ${DOCUMENT_FORMS[options.type]}.`);
  }
  const found = await findSubjects(session.pool, vault, [{ type: options.type, number }]);
  const [subject] = found;
  if (subject === undefined) throw new PlainError('No subject has this document.');
  if (found.length > 1) {
    throw new PlainError(
      `This document belongs to several people on file: ${found.map(({ crn }) => crn).join(', ')}. Give --crn.`,
    );
  }
  return subject.crn;
}
