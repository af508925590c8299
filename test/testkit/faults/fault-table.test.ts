import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAULT_HELP, readFault } from '../../../testkit/faults/fault-table.ts';

const shareOf = (given: string) => {
  const reading = readFault(given);
  return reading.ok ? reading.fault.share : reading.wrong;
};

describe('readFault', () => {
  it.each([
    'limit=clock:60',
    'limit=strict:1:none',
    'limit=bucket:100000:date:08',
    'limit=first:5:none:x',
    'limit=first:5:seconds:x-unix',
    'limit-change=0:1',
    'limit-change=120:30',
    'in-flight=1',
    'status=503',
    'wrong-type',
    'first-byte=0',
    'stall=0',
    'stall=500:2000',
    'drip=1',
    'reset=0',
    'short=1000',
    'endless',
    'garbage',
    'seed-ignored',
    'seed-per-key',
    'model-update=60',
    'model-update=0:seconds',
    'model-update=100:requests',
  ])('takes %s, for all requests or for a share of them', (given) => {
    expect(shareOf(given)).toBe(1);
    expect(shareOf(`${given}@0.25`)).toBe(0.25);
  });

  it.each([
    ['', 'limit, limit-change, in-flight'],
    ['slow', 'limit, limit-change, in-flight'],
    ['constructor', 'limit, limit-change, in-flight'],
    ['limit', 'limit=clock|first|sliding|strict|bucket:PER_MINUTE'],
    ['limit=first', 'limit=clock'],
    ['limit=hourly:5', 'limit=clock'],
    ['limit=first:0', 'limit=clock'],
    ['limit=first:5:soon', 'limit=clock'],
    ['limit=first:5:none:07', 'limit=clock'],
    ['limit=first:5:none:08:1', 'limit=clock'],
    ['limit-change=5', 'limit-change=AFTER_SECONDS:PER_MINUTE'],
    ['limit-change=5:0', 'limit-change=AFTER_SECONDS:PER_MINUTE'],
    ['limit-change=5:1:1', 'limit-change=AFTER_SECONDS:PER_MINUTE'],
    ['seed-per-key=1', 'seed-per-key'],
    ['model-update', 'model-update=AFTER'],
    ['model-update=5:hours', 'model-update=AFTER[:seconds|requests]'],
    ['status=200', 'status=CODE'],
    ['status=600', 'status=CODE'],
    ['short=-1', 'short=BYTES'],
    ['short=1e3', 'short=BYTES'],
    ['short=1:2', 'short=BYTES'],
    ['short=', 'short=BYTES'],
    ['drip=0', 'drip=BYTES'],
    ['stall=1:2:3', 'stall=AFTER_MS'],
    ['garbage=1', 'garbage'],
    ['garbage@0', 'a share above 0 and at most 1'],
    ['garbage@1.1', 'a share above 0 and at most 1'],
    ['garbage@', 'a share above 0 and at most 1'],
    ['garbage@half', 'a share above 0 and at most 1'],
  ])('refuses %j and says what is allowed', (given, allowed) => {
    const wrong = String(shareOf(given));
    expect(wrong.startsWith(JSON.stringify(given))).toBe(true);
    expect(wrong).toContain(`allowed: `);
    expect(wrong).toContain(allowed);
  });

  it('has a word of help for each', () => {
    for (const { syntax, summary } of FAULT_HELP) {
      expect(syntax).toMatch(/^[a-z-]+[0-9]*(\[?=|$)/);
      expect(summary.length).toBeGreaterThan(10);
    }
  });

  it('is the table of the documentation', () => {
    const page = readFileSync(new URL('../../../docs/engine.md', import.meta.url), 'utf8');
    const section = page.split('## Faults on purpose')[1]!.split('\n## ')[0]!;
    const documented = [...section.matchAll(/^\| `([a-z-]+)/gm)].map((match) => match[1]);
    expect(documented).toEqual(FAULT_HELP.map(({ syntax }) => /^[a-z-]+/.exec(syntax)![0]));
  });
});
