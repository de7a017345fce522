import { describe, expect, test } from 'vitest';
import {
  findChange,
  lostAfter,
  wasReplaced,
} from '../../../../src/platform/history/compare-history.ts';
import type { Beat, HistoryRecord } from '../../../../src/platform/history/compare-history.ts';

const AT = new Date('2026-03-01T12:00:00Z');
const SERVER = { systemIdentifier: '7000', timeline: 3 };

function record(given: Partial<HistoryRecord> = {}): HistoryRecord {
  return {
    ...SERVER,
    epoch: 2,
    beats: 100n,
    epochBeats: 50n,
    seemedComplete: false,
    synchronous: false,
    seenAt: AT,
    ...given,
  };
}

function known(given: Partial<Beat> = {}): Beat {
  return { epoch: 2, beats: 100n, seenAt: AT, ...given };
}

test('the database that was last used has not changed', () => {
  expect(findChange(record(), SERVER, [])).toBeUndefined();
  expect(findChange(record(), SERVER, [known(), known({ beats: 3n })])).toBeUndefined();
});

test('a server that does not say what it is has not changed', () => {
  const silent = { systemIdentifier: null, timeline: null };
  expect(findChange(record(), silent, [known()])).toBeUndefined();
  expect(findChange(record(silent), SERVER, [known()])).toBeUndefined();
});

describe('a change', () => {
  test('another timeline, another cluster, or both count as a change', () => {
    expect(findChange(record(), { ...SERVER, timeline: 4 }, [])).toMatchObject({
      what: 'timeline 3 is now 4',
      lostFrom: AT,
      epoch: 3,
    });
    expect(findChange(record(), { ...SERVER, systemIdentifier: '8' }, [])?.what).toBe(
      'it is in another cluster',
    );
    // A snapshot from before an earlier restore.
    expect(findChange(record({ timeline: 4 }), SERVER, [])?.what).toContain('timeline 4 is now 3');
  });

  test('a lost beat counts as a change', () => {
    const lost = findChange(record(), SERVER, [known({ beats: 101n })]);
    expect(lost).toMatchObject({ what: 'it lacks what it had', seemsComplete: false, epoch: 3 });
    expect(findChange(record(), SERVER, [known({ epoch: 5, beats: 1n })])?.epoch).toBe(6);
  });
});

describe('nothing seems to be lost', () => {
  const promoted = { ...SERVER, timeline: 4 };
  const synchronous = record({ synchronous: true });

  test('nothing seems lost after a promotion with synchronous replication if the last beat is there', () => {
    expect(findChange(synchronous, promoted, [known()])?.seemsComplete).toBe(true);
    const earlier = known({ beats: 99n, seenAt: new Date(AT.getTime() - 60_000) });
    expect(findChange(synchronous, promoted, [earlier])?.seemsComplete).toBe(true);
  });

  test.each([
    ['without synchronous replication', record(), promoted, [known()]],
    ['if nobody outside knows the last beat', synchronous, promoted, []],
    [
      'if what is known is too old to tell',
      synchronous,
      promoted,
      [known({ beats: 90n, seenAt: new Date(AT.getTime() - 60_001) })],
    ],
    ['if a beat is missing', synchronous, promoted, [known(), known({ beats: 101n })]],
    [
      'if something is missing that was acknowledged after the last beat',
      synchronous,
      promoted,
      [known(), lostAfter(known())],
    ],
    ['on an earlier timeline', record({ synchronous: true, timeline: 5 }), promoted, [known()]],
    ['in another cluster', synchronous, { ...promoted, systemIdentifier: '8' }, [known()]],
  ])('something may be lost %s', (_, before, server, beats) => {
    expect(findChange(before, server, beats)?.seemsComplete).toBe(false);
  });

  test('until another process knows of a beat that was lost with the change', () => {
    const after = record({ epoch: 3, beats: 105n, epochBeats: 100n, seemedComplete: true });
    expect(findChange(after, SERVER, [known({ beats: 100n })])).toBeUndefined();
    expect(findChange(after, SERVER, [known({ beats: 101n })])).toMatchObject({
      what: 'it lacks what it had',
      seemsComplete: false,
    });
    expect(findChange(after, SERVER, [known(), lostAfter(known())])?.seemsComplete).toBe(false);
    // If it was known that something was lost, this is no news.
    const lossy = { ...after, seemedComplete: false };
    expect(findChange(lossy, SERVER, [known({ beats: 101n })])).toBeUndefined();
  });
});

describe('that another process has acted on a change', () => {
  const remembered = { ...known(), ...SERVER };
  const next = record({ epoch: 3, epochBeats: 99n, beats: 200n });

  test.each([
    ['a beat of its own was lost', true, next, SERVER],
    ['no beat of its own was lost', false, { ...next, epochBeats: 100n }, SERVER],
    ['the timeline is another one', true, record(), { ...SERVER, timeline: 4 }],
    ['the cluster is another one', true, record(), { ...SERVER, systemIdentifier: '8' }],
    ['nothing has changed', false, record({ beats: 200n }), SERVER],
    ['the server does not say', false, record(), { systemIdentifier: null, timeline: null }],
  ])('a process sees by what it remembers: %s', (_, isReplaced, now, server) => {
    expect(wasReplaced(remembered, now, server)).toBe(isReplaced);
  });
});
