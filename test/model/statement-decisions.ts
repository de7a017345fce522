import { encodeReference } from '../../src/parties/reference.ts';
import { HOUSE } from '../../src/payments/cases/cases-store.ts';
import type { CaseRow } from '../../src/payments/cases/read-cases.ts';
import { MemoryBooks, postingResolutions, VENDOR } from './memory-books.ts';
import type { Subject } from './memory-books.ts';
import { act, AMOUNT_CENTS, DAYS, keptCents, LOST } from './operator-model.ts';
import type { Fate, OperatorModel, Step } from './operator-model.ts';

const MOST_DECISIONS = 200;

/** One run of a model operator against books in memory. */
export class MemoryRun {
  readonly model: OperatorModel = { listed: [], highestCents: new Map() };
  readonly log: string[] = [];
  readonly books: MemoryBooks;
  readonly #subjects: readonly Subject[];
  readonly #ours: readonly Fate[];

  constructor(ours: readonly Fate[]) {
    this.#ours = ours;
    this.#subjects = Array.from({ length: ours.length + LOST }, (_, index) => {
      const paymentId = `00000000-0000-7000-8000-00000000000${index}`;
      const reference = encodeReference(VENDOR, paymentId);
      return { paymentId, reference, amountCents: AMOUNT_CENTS, isLost: index >= ours.length };
    });
    this.books = new MemoryBooks(this.#subjects);
    for (const [index, subject] of this.#subjects.entries()) {
      const fate = ours[index];
      if (fate) this.books.settle(subject, fate);
    }
  }

  do(step: Step): void {
    act(this.model, step);
    if (step.kind === 'import') this.importDays(step.day);
    if (step.kind === 'resolve') this.resolveCases(step.picks, step.count);
  }

  importDays(last: number): void {
    for (let day = 0; day <= last; day += 1) this.#importDay(day);
  }

  #importDay(day: number): void {
    const lines = this.model.listed.flatMap((movement, index) => {
      const subject = this.#subjects[movement.of];
      if (movement.day !== day || subject === undefined) return [];
      const { reference, paymentId: account } = subject;
      const { type: kind, name: operatorReference, amountCents } = movement;
      const at = new Date(day * 1_000 + index);
      return [
        {
          kind,
          at,
          operatorReference,
          reference,
          billerCode: 'kplc',
          account,
          amountCents,
          line: 0,
        },
      ];
    });
    if (lines.length === 0) return;
    const verdicts = this.books.importStatement(
      lines.map((line, index) => ({ ...line, line: index + 1 })),
    );
    const shown = this.model.listed
      .filter((one) => one.day === day)
      .map(({ name, of, amountCents }) => `${name} of ${of} ${amountCents}`);
    this.log.push(`day ${day}: ${shown.join(', ')} ${JSON.stringify(verdicts)}`);
  }

  resolveCases(picked: readonly number[], count: number): void {
    let used = 0;
    const next = (below: number): number => (picked[used++ % picked.length] ?? 0) % below;
    for (let done = 0; done < count; done += 1) {
      const { open } = this.books;
      if (open.length === 0) return;
      if (done > MOST_DECISIONS) this.#fail('there is always another case');
      const row = open[next(open.length)];
      if (row !== undefined) this.#resolveOne(row, next);
    }
  }

  #resolveOne(row: CaseRow, next: (below: number) => number): void {
    const possible = postingResolutions(row);
    const first = next(possible.length);
    const ordered = [...possible.slice(first), ...possible.slice(0, first), 'keep_books'];
    const resolution = ordered.find((one) => this.books.resolve(row, one));
    const { movement, paid_cents, listed_before_cents } = row.facts;
    const facts = JSON.stringify({ movement, paid_cents, listed_before_cents });
    this.log.push(`${row.kind} of ${row.paymentId?.slice(-1)} ${facts}: ${resolution}`);
  }

  end(picks: readonly number[]): void {
    this.importDays(DAYS - 1);
    this.resolveCases(picks, Number.POSITIVE_INFINITY);
    for (const [index, subject] of this.#subjects.entries()) {
      const highest = this.model.highestCents.get(index) ?? AMOUNT_CENTS;
      const most = highest > AMOUNT_CENTS ? highest : AMOUNT_CENTS;
      const charged = this.books.charged(subject);
      if (charged > most) this.#fail(`the vendor is charged ${charged} for payment ${index}`);
    }
    const booked = this.books.balance(VENDOR) + this.books.balance(HOUSE);
    const kept = keptCents(this.model, this.#ours);
    if (booked !== kept) this.#fail(`the books have ${booked}, the operator has ${kept}`);
  }

  #fail(text: string): never {
    throw new Error([...this.log, text].join('\n'));
  }
}
