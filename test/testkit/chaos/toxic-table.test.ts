import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readToxic, TOXIC_HELP } from '../../../testkit/chaos/toxic-table.ts';

describe('readToxic', () => {
  it.each([
    ['down', { type: 'down', stream: 'downstream', toxicity: 1 }],
    [
      'latency:latency=5:jitter=2:stream=upstream@0.25',
      { type: 'latency', stream: 'upstream', toxicity: 0.25 },
    ],
    ['wrong_type:type=text/plain@0', { type: 'wrong_type', toxicity: 0 }],
    ['early_end:bytes=0:ending=close', { type: 'early_end' }],
    ['slicer:average_size=1', { type: 'slicer' }],
  ])('takes %s', (given, expected) => {
    expect(readToxic(given)).toMatchObject(expected);
  });

  it('takes all that its help shows', () => {
    for (const { syntax } of TOXIC_HELP) expect(readToxic(syntax.replace(/[[\]]/g, '')).toxicity).toBe(1);
  });

  it.each([
    ['', 'the toxic is ""; allowed: latency, down'],
    ['toString', 'the toxic is "toString"; allowed: latency, down'],
    ['latency:speed=1', 'an attribute of latency is "speed"; allowed: latency, jitter'],
    ['latency:5', 'an attribute of latency is "5"; allowed: NAME=VALUE'],
    ['latency:latency=soon', 'latency of latency is "soon"; allowed: a number from 0 to'],
    ['latency:latency=-1', 'latency of latency is "-1"; allowed: a number from 0 to'],
    ['bandwidth:rate=0', 'rate of bandwidth is 0; allowed: a number from 1 to'],
    ['down:timeout=1', 'an attribute of down is "timeout"; allowed: none'],
    ['down:stream=upstream', 'stream of down is "upstream"; allowed: downstream'],
    ['latency:stream=sideways', 'stream of latency is "sideways"; allowed: upstream, downstream'],
    ['wrong_type:type=nonsense', 'type of wrong_type is "nonsense"; allowed: a media type'],
    ['early_end:ending=bang', 'ending of early_end is "bang"; allowed: chunk or close'],
    ['down@1.5', 'toxicity of down is 1.5; allowed: a number from 0 to 1'],
    ['down@', 'toxicity of down is ""; allowed: a number from 0 to 1'],
    ['down@half', 'toxicity of down is "half"; allowed: a number from 0 to 1'],
  ])('refuses %j and says what is allowed', (given, message) => {
    expect(() => readToxic(given)).toThrow(message);
  });
});

describe('the help', () => {
  it('is the table of the documentation', () => {
    const page = new URL('../../../docs/testing-kit.md', import.meta.url);
    expect(existsSync(page)).toBe(true);
    const text = readFileSync(page, 'utf8');
    const documented = [...text.matchAll(/^\| `([a-z0-9_]+)` \|/gm)].map((match) => match[1]);
    expect(documented).toEqual(TOXIC_HELP.map(({ syntax }) => /^[a-z0-9_]+/.exec(syntax)![0]));
    for (const { syntax } of TOXIC_HELP)
      for (const [, attribute] of syntax.matchAll(/\[:([a-z_]+)=/g))
        expect(text).toContain(`\`${attribute}\``);
  });
});
