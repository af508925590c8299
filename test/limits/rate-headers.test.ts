import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AnswerHeaders, readRateAdvice } from '../../src/limits/rate-headers.ts';

const date = 'Fri, 20 Nov 2026 10:00:00 GMT';
const unixS = Date.parse(date) / 1000;

describe('rate limit headers', () => {
  const read: readonly (readonly [string, AnswerHeaders, object])[] = [
    ['nothing', {}, {}],
    ['Retry-After', { 'retry-after': '7' }, { resetMs: 7_000 }],
    ['a date', { 'retry-after': 'Fri, 20 Nov 2026 10:00:42 GMT', date }, { resetMs: 42_000 }],
    [
      'both structured fields',
      { 'ratelimit-policy': '"default";q=60;w=60', ratelimit: '"default";r=12;t=34' },
      { limit: 60, windowMs: 60_000, remaining: 12, resetMs: 34_000 },
    ],
    ['a state alone', { ratelimit: '"default";r=0;t=3' }, { remaining: 0, resetMs: 3_000 }],
    [
      'the tightest of several policies, in one field or many',
      {
        'ratelimit-policy': ['"day";q=1000;w=3600', '"burst";q=100;w=60'],
        ratelimit: '"burst";r=99;t=60, "day";r=1;t=3000',
      },
      { limit: 1000, windowMs: 3_600_000, remaining: 1, resetMs: 3_000_000 },
    ],
    ['a name with odd signs', { 'ratelimit-policy': '"a, b; c";q=5;w=1' }, { limit: 5, windowMs: 1_000 }],
    ['a name that is a token', { 'ratelimit-policy': 'default;q=5;w=60' }, { limit: 5, windowMs: 60_000 }],
    [
      'a policy of another unit',
      { 'ratelimit-policy': '"b";q=5;w=60;qu="content-bytes", "c";q=4;qu="concurrent-requests"' },
      { concurrent: 4 },
    ],
    [
      'three fields of a number each',
      { 'ratelimit-limit': '100', 'ratelimit-remaining': '99', 'ratelimit-reset': '50' },
      { limit: 100, remaining: 99, resetMs: 50_000 },
    ],
    [
      'a limit with its policies',
      { 'ratelimit-limit': '10, 10;w=1, 50;w=60' },
      { limit: 10, windowMs: 1_000 },
    ],
    [
      'X- fields with a time of day',
      {
        'x-ratelimit-limit': '60',
        'x-ratelimit-remaining': '1',
        'x-ratelimit-reset': String(unixS + 20),
        date,
      },
      { limit: 60, remaining: 1, resetMs: 20_000 },
    ],
    [
      'the longer of two waits',
      { ratelimit: '"a";r=0;t=3', 'retry-after': '5' },
      { remaining: 0, resetMs: 5_000 },
    ],
    [
      'concurrency',
      { 'maximum-concurrent-requests': '5', 'current-concurrent-requests': '2' },
      { concurrent: 5 },
    ],
  ];
  it.each(read)('%s', (_, headers, advice) => {
    expect(readRateAdvice(headers)).toEqual(advice);
  });

  const ignored: readonly (readonly [string, AnswerHeaders])[] = [
    ['a limit of 0', { 'ratelimit-limit': '0' }],
    ['a limit beyond reason', { 'x-ratelimit-limit': '1000001' }],
    ['a limit that is no number', { 'x-ratelimit-limit': 'NaN' }],
    ['a negative one', { 'ratelimit-policy': '"a";q=-5;w=60' }],
    ['a fraction of a request', { 'ratelimit-policy': '"a";q=5.5;w=60' }],
    ['a window of a day', { 'ratelimit-policy': '"a";q=5;w=86400' }],
    ['a window of no time', { 'ratelimit-policy': '"a";q=5;w=0' }],
    ['a reset beyond an hour', { 'x-ratelimit-reset': '3601' }],
    ['a time of day without a date', { 'x-ratelimit-reset': String(unixS + 20) }],
    ['a time of day that has passed', { 'x-ratelimit-reset': String(unixS - 1), date }],
    ['a broken list', { 'ratelimit-policy': '"a;q=5;w=60' }],
    ['half of a list', { ratelimit: '"a";r=1;t=5, =' }],
    ['exponents', { 'ratelimit-limit': '1e3' }],
    ['a very long field', { 'ratelimit-policy': `"a";q=5;w=60${' '.repeat(2000)}` }],
    ['no places at all', { 'maximum-concurrent-requests': '0' }],
  ];
  it.each(ignored)('%s is ignored', (_, headers) => {
    expect(readRateAdvice(headers)).toEqual({});
  });

  it('a limit whose window lasts longer than a minute is not one per minute', () => {
    expect(readRateAdvice({ 'x-ratelimit-limit': '5000', 'x-ratelimit-reset': '1800' })).toEqual({
      resetMs: 1_800_000,
    });
  });
});

describe('hostile headers', () => {
  const NAMES = [
    'retry-after',
    'date',
    ...['ratelimit', 'ratelimit-policy', 'maximum-concurrent-requests'],
    ...['ratelimit', 'x-ratelimit'].flatMap((prefix) => [
      `${prefix}-limit`,
      `${prefix}-remaining`,
      `${prefix}-reset`,
    ]),
  ];
  const piece = fc.constantFrom(
    ...'"\\;,=*',
    ' ',
    '\t',
    'q=',
    'w=',
    'r=',
    't=',
    '"a"',
    '-1',
    '0',
    '60',
    '1e9',
    '9'.repeat(40),
    'NaN',
    date,
  );
  const text = fc.oneof(
    fc.string(),
    fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join('')),
    fc.integer().map(String),
  );
  const headers = fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(text, fc.array(text, { maxLength: 3 })));

  it('never give advice beyond its bounds, nor an error', () => {
    fc.assert(
      fc.property(headers, (given) => {
        const {
          limit = 1,
          windowMs = 1000,
          remaining = 0,
          resetMs = 0,
          concurrent = 1,
        } = readRateAdvice(given);
        expect(Number.isInteger(limit) && limit >= 1 && limit <= 1e6).toBe(true);
        expect(windowMs >= 1000 && windowMs <= 3.6e6).toBe(true);
        expect(Number.isInteger(remaining) && remaining >= 0).toBe(true);
        expect(resetMs >= 0 && resetMs <= 3.6e6).toBe(true);
        expect(Number.isInteger(concurrent) && concurrent >= 1).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

it('reads the dictionary of draft-07 with its policy', () => {
  const ratelimit = 'limit=100, remaining=99, reset=60';
  expect(readRateAdvice({ ratelimit, 'ratelimit-policy': '10;w=1, 100;w=60' })).toEqual({
    limit: 100,
    windowMs: 60_000,
    remaining: 99,
    resetMs: 60_000,
  });
  expect(readRateAdvice({ ratelimit: 'limit=100, remaining=x, reset=60' })).toEqual({});
  expect(readRateAdvice({ ratelimit, 'ratelimit-policy': '100;w=0' })).not.toHaveProperty('limit');
});

it.each([
  ['6s', 6_000],
  ['1m30s', 90_000],
  ['250ms', 250],
  ['0.5s', 500],
  ['12', 12_000],
  ['6s;', undefined],
  ['9h', undefined],
  [`${'1'.repeat(300)}s`, undefined],
])('reads requests that are counted beside tokens, to be reset in %s', (text, resetMs) => {
  const advice = readRateAdvice({
    'x-ratelimit-limit-requests': '60',
    'x-ratelimit-remaining-requests': '0',
    'x-ratelimit-reset-requests': text,
  });
  // A reset beyond the minute that is taken for granted says that the limit is of another window.
  const isLonger = resetMs !== undefined && resetMs > 61_000;
  expect(advice).toEqual({
    ...(isLonger ? {} : { limit: 60, remaining: 0 }),
    ...(resetMs === undefined ? {} : { resetMs }),
  });
});
