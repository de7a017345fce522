import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseAllDocuments } from 'yaml';
import { VARIABLES } from '../../src/environment.ts';
import type { Variable } from '../../src/environment.ts';
import { ROOT } from './dockerfile.ts';

export const DEPLOY = path.join(ROOT, 'deploy');

export function readDeploy(file: string): string {
  return readFileSync(path.join(DEPLOY, file), 'utf8');
}

/** Names of the files below `deploy` that match. */
export function deployFiles(pattern: string): string[] {
  return globSync(pattern, { cwd: DEPLOY }).toSorted();
}

/** The documents of a YAML text. Throws if it is not strict YAML. */
export function readYaml(text: string): unknown[] {
  return parseAllDocuments(text, { merge: true }).map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw problem;
    return document.toJS() as unknown;
  });
}

/** `NAME=value` lines, as systemd and compose read them. */
export function readAssignments(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
}

/** Variables that the service does not know, or whose value it would refuse; empty values count as absent. */
export function wrongVariables(environment: Readonly<Record<string, string>>): string[] {
  const known: Readonly<Record<string, Variable>> = VARIABLES;
  return Object.entries(environment).flatMap(([name, value]) => {
    const variable = known[name];
    if (variable === undefined) return `${name} does not exist`;
    if (value === '' || variable.form.read(value) !== undefined) return [];
    return `${name}: ${value} is not allowed`;
  });
}
