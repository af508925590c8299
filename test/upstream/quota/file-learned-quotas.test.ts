import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Log, silentLog } from '../../../src/base/log.ts';
import { firstKnowledge } from '../../../src/limits/quota-knowledge.ts';
import { openFileLearnedQuotas } from '../../../src/upstream/quota/file-learned-quotas.ts';

const DAY_MS = 24 * 3_600_000;
const NOW_MS = 1_763_000_000_000;
let folder: string;
let warnings: string[];
const log: Log = { ...silentLog, warn: (event) => warnings.push(event) };

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'voxgate-quotas-'));
  warnings = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

const entry = (quota: string, learnedAtUnixMs = NOW_MS) => ({
  quota,
  known: firstKnowledge(60),
  learnedAtUnixMs,
  sentAtUnixMs: [NOW_MS - 1, NOW_MS],
});
const open = () => openFileLearnedQuotas({ folder, service: 'one', log, unixMs: () => NOW_MS });
const path = () => join(folder, 'learned-quotas-one.json');

it('reads what it wrote, all of it, and leaves nothing else in the folder', () => {
  expect(open().load()).toEqual([]);
  const phase = { loMs: 1.5, hiMs: 2, periods: 3, confirmed: true };
  const full = {
    ...entry('b'),
    known: {
      ...firstKnowledge(undefined),
      phase,
      refutedLimit: 9,
      concurrent: 2,
      answerMs: 120,
      suspicion: { accepted: 7, atMs: NOW_MS, of: 'count' as const, tried: 3 },
    },
  };
  open().save([entry('a'), full]);
  expect(open().load()).toEqual([entry('a'), full]);
  expect(readdirSync(folder)).toEqual(['learned-quotas-one.json']);
  expect(warnings).toEqual([]);
});

it('makes its folder, and forgets what is older than a week', () => {
  folder = join(folder, 'deeper');
  open().save([entry('old', NOW_MS - 7 * DAY_MS - 1), entry('new', NOW_MS - 6 * DAY_MS)]);
  expect(
    open()
      .load()
      .map(({ quota }) => quota),
  ).toEqual(['new']);
  folder = join(folder, '..');
});

it('passes over what was learned later than now, but for clocks that were set', () => {
  open().save([entry('soon', NOW_MS + 59_000), entry('later', NOW_MS + 61_000)]);
  expect(
    open()
      .load()
      .map(({ quota }) => quota),
  ).toEqual(['soon']);
});

it.each([
  '',
  '{',
  'null',
  '[]',
  '{"version":2,"quotas":[]}',
  '{"version":1,"quotas":[{"quota":"a"}]}',
  JSON.stringify({ version: 1, quotas: [{ ...entry('a'), known: { ...firstKnowledge(60), limit: -1 } }] }),
  JSON.stringify({ version: 1, quotas: [entry('a')] }).slice(0, -5),
])('passes over %s', (text) => {
  writeFileSync(path(), text);
  expect(open().load()).toEqual([]);
  expect(warnings).toEqual(['learned_quotas_ignored']);
  open().save([entry('a')]);
  expect(JSON.parse(readFileSync(path(), 'utf8'))).toMatchObject({ version: 1 });
});

it('never throws, not even where nothing can be written', () => {
  writeFileSync(join(folder, 'a-file'), '');
  const learned = openFileLearnedQuotas({
    folder: join(folder, 'a-file'),
    service: 'one',
    log,
    unixMs: () => NOW_MS,
  });
  learned.save([entry('a')]);
  expect(learned.load()).toEqual([]);
  expect(warnings).toEqual(['learned_quotas_not_saved', 'learned_quotas_ignored']);
});
