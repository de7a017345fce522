import { BaseSequencer } from 'vitest/node';
import type { TestSpecification } from 'vitest/node';

/** Their tests start processes and wait, so they take longer than the size of their files suggests. */
const SLOW = /\/test\/(?:clients|conformance|e2e|faults|model|simulation)\//;

/** Slow files first, so that no worker is left with one at the end. Projects stay together. */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not of an array
    const sorted = await super.sort(files);
    const isSlow = ({ moduleId }: TestSpecification): boolean => SLOW.test(moduleId);
    const projects = Map.groupBy(sorted, ({ project }) => project.name);
    return [...projects.values()].flatMap((own) => [
      ...own.filter(isSlow),
      ...own.filter((file) => !isSlow(file)),
    ]);
  }
}
