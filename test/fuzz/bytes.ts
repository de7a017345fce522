import type { Random } from '../simulation/random.ts';

/** Texts that break readers: structure of the formats, limits of ranges, characters with a meaning. */
const TOKENS = [
  ...[
    '&',
    '=',
    '%',
    '%00',
    '%zz',
    '+',
    ';',
    '?',
    '#',
    '\r\n',
    '\n',
    '\0',
    '\t',
    '"',
    "'",
    '\\',
    ',',
  ],
  ...['{', '}', '[', ']', ':', 'null', 'true', '-', '1e999', '-0', '0x1', '1'.repeat(400)],
  ...['&amount=5&', '&hash=', '__proto__', 'constructor', '"a":{"b":', '[['.repeat(200)],
  ...['\u202e', '\ufeff', 'é', 'e\u0301', '🙂', '\ud7ff', '\\ud800', '\\u0000', '\u2028'],
  ...['\r\n\r\n', 'Content-Length: 5\r\n', 'Transfer-Encoding: chunked\r\n', '0\r\n\r\n'],
  ...['Content-Type: multipart/form-data; boundary=x\r\n', '--x--', 'X-Signature: v2\r\n'],
  ...["' or 1=1 --", '$1', '${7*7}', '../../etc/passwd', '<script>', '%s%n'],
].map((token) => Buffer.from(token));
const BAD_UTF8 = [[0xc0, 0x80], [0xff], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]];
const INTERESTING = [...TOKENS, ...BAD_UTF8.map((bytes) => Buffer.from(bytes))];

const MAX_CHANGES = 6;
const LONGEST_SPAN = 64;

/** One to six changes at random places. */
export function mutate(bytes: Buffer, random: Random): Buffer {
  let changed: Buffer = Buffer.from(bytes);
  for (let left = random.whole(1, MAX_CHANGES); left > 0; left -= 1) {
    changed = changeOnce(changed, random);
  }
  return changed;
}

function changeOnce(bytes: Buffer, random: Random): Buffer {
  const at = random.whole(0, bytes.length);
  const end = Math.min(bytes.length, at + random.whole(1, LONGEST_SPAN));
  const [before, span, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, end),
    bytes.subarray(end),
  ];
  switch (random.whole(0, 7)) {
    case 0: {
      const flipped = Buffer.from(bytes);
      if (at < flipped.length) flipped[at] = (flipped[at] ?? 0) ^ (1 << random.whole(0, 7));
      return flipped;
    }
    case 1: {
      const overwritten = Buffer.from(bytes);
      if (at < overwritten.length) overwritten[at] = random.whole(0, 255);
      return overwritten;
    }
    case 2:
      return Buffer.concat([before, after]);
    case 3:
      return Buffer.concat([before, span, span, after]);
    case 4:
      return Buffer.concat([before, random.pick(INTERESTING), bytes.subarray(at)]);
    case 5:
      return Buffer.concat([before, random.pick(INTERESTING), after]);
    case 6:
      return random.chance(0.2) ? Buffer.from(before) : Buffer.concat([after, before]);
    default: {
      const from = random.whole(0, bytes.length);
      return Buffer.concat([before, bytes.subarray(from, from + LONGEST_SPAN), after]);
    }
  }
}
