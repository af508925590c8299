// Turns over real sockets while the first of two speech services fails in many ways, before, at and after its first audio. Both speak by the
// embedded engine's program, so that it is known which words were heard. Prints figures as JSON; ends with 1 if a turn was silent or a word lost.
//
//   node scripts/build.mjs --if-stale && node scripts/failover-trial.mjs [--turns 520] [--at-once 8] [--only KIND] [--seconds 3000] [--show 5]

import { mkdtempSync, rmSync } from 'node:fs';
import { register } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { asUpstream, nameIn, nameOf, openPair, textOf, waysOfFailing } from './failing-turns.mjs';
import { startServing } from './serving-gateway.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const { values } = parseArgs({
  options: {
    turns: { type: 'string', default: '520' },
    'at-once': { type: 'string', default: '8' },
    only: { type: 'string' },
    seconds: { type: 'string', default: '3000' },
    show: { type: 'string', default: '5' },
    captions: { type: 'string', default: 'words' },
    program: { type: 'string', default: join(ROOT, 'dist/main.js') },
  },
});
register(new URL('../test/support/typescript-hooks.mjs', import.meta.url));
const { openVoices, startBreakingService, wordsOf } = await import('../test/support/breaking-service.ts');
const { openProbe } = await import('../test/support/session-probe.ts');
const { VOICES } = await import('../src/engine/voices.ts');
const { seededNumbers } = await import('../src/base/seeded-numbers.ts');

const KINDS = waysOfFailing(seededNumbers(7, 0));
const kinds = Object.keys(KINDS).filter((kind) => values.only === undefined || kind.includes(values.only));
const ANNA = VOICES.find(({ gender }) => gender === 'Female').id;
const ADAM = VOICES.find(({ gender }) => gender === 'Male').id;

const voices = await openVoices();
const workers = Number(values['at-once']);
const { first, second, manners } = await openPair({ voices, startBreakingService, times: 4, voice: ANNA });

const dataDir = mkdtempSync(join(tmpdir(), 'voxgate-failover-'));
/**
 * A failure before the first speech may take a key out for minutes, so each has a service of its own as long as there are some; one
 * that still rests is not asked, and its turn does not count.
 */
const REFUSING = Array.from({ length: 31 - workers }, (_, n) => `refusing-${n}`);
let refusals = 0;
const { child, url } = await startServing(values.program, dataDir, {
  // Each worker has a first service of its own, so that the health of one is not that of all.
  VOXGATE_UPSTREAMS: JSON.stringify([
    ...Array.from({ length: workers }, (_, w) => asUpstream(`first-${w}`, first)),
    ...REFUSING.map((name) => asUpstream(name, first)),
    asUpstream('second', second),
  ]),
  VOXGATE_VOICES: JSON.stringify({
    voice: {
      ...Object.fromEntries(Array.from({ length: workers }, (_, w) => [`first-${w}`, ANNA])),
      ...Object.fromEntries(REFUSING.map((name) => [name, ANNA])),
      second: ADAM,
    },
  }),
  VOXGATE_BUSY_AT: '0',
});
const HEADERS = { headers: { authorization: 'Bearer any', 'x-user-id': 'trial' } };
const address = `${url.replace('http', 'ws')}/v1/session`;

/** Faults in a row are an outage; a turn that is well lies between them, of a text that was not kept from before. */
async function wellTurn(n, worker) {
  const probe = await openProbe(
    `${address}?format=raw&pace=burst&voice=voice&upstream=first-${worker}`,
    HEADERS,
  );
  probe.send({ type: 'speak', turn: 't', text: `All is well, ${nameOf(n)}.` });
  await probe.ended('t');
  probe.terminate();
}
async function turn(n, worker) {
  const kind = kinds[n % kinds.length];
  const name = nameOf(n);
  const text = textOf(n);
  const manner = KINDS[kind]();
  manners.set(name, manner);
  const broken = !kind.startsWith('after') ? REFUSING[refusals++ % REFUSING.length] : `first-${worker}`;
  const query = `format=raw&sampleRate=24000&voice=voice&captions=${values.captions}&upstream=${broken},second`;
  const probe = await openProbe(`${address}?${query}`, HEADERS);
  const askedAtMs = performance.now();
  probe.send({ type: 'speak', turn: 't', text });
  const ended = await Promise.race([
    probe.ended('t'),
    new Promise((done) =>
      setTimeout(() => done({ outcome: 'never', servedBy: [], sentMs: 0 }), 60_000).unref(),
    ),
  ]);
  const isOf = ({ text: said }) => nameIn(said) === name;
  const audio = probe.arrivals.find((each) => each.kind === 'audio');
  const servedBy = ended.servedBy ?? [];
  const parts = servedBy.flatMap(({ upstream, fromMs, toMs }) => {
    const request = (upstream === 'second' ? second : first).requests.findLast(isOf);
    return request === undefined ? [] : [{ request, heardMs: toMs - fromMs, upstream }];
  });
  const result = {
    n,
    kind,
    manner,
    outcome: ended.outcome,
    error: probe.events('error')[0]?.code,
    servedBy,
    switched: probe.events('switched'),
    firstAudioMs: audio === undefined ? undefined : audio.atMs - askedAtMs,
    underruns: probe.events('underrun'),
    firstAsked: first.requests.filter(isOf),
    secondAsked: second.requests.filter(isOf),
    captions: probe.events('caption').flatMap(({ words }) => words),
    words: wordsOf(parts),
    parts,
    askedAtMs,
    text,
  };
  // What the last one said is heard to its end.
  const last = parts.at(-1);
  result.endMs = last === undefined ? 0 : last.heardMs - last.request.truth().lengthMs;
  probe.terminate();
  return result;
}

const total = Number(values.turns);
const results = [];
let next = 0;
await Promise.all(
  Array.from({ length: workers }, async (_, worker) => {
    while (next < total && performance.now() < 1000 * Number(values.seconds)) {
      next += 1;
      const n = next - 1;
      await wellTurn(n, worker);
      results.push(await turn(n, worker));
    }
  }),
);

const share = (numbers, part) =>
  [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(part * numbers.length))];
const rounded = (ms) => (ms === undefined ? undefined : Math.round(ms));
const table = kinds.map((kind) => {
  const of = results.filter((each) => each.kind === kind);
  const asked = of.filter(({ firstAsked }) => firstAsked.length > 0);
  const sum = (read) => of.reduce((all, each) => all + read(each), 0);
  const firsts = asked.map(({ firstAudioMs }) => firstAudioMs).filter((ms) => ms !== undefined);
  return {
    kind,
    turns: of.length,
    asked: asked.length,
    joined: of.filter(({ servedBy }) => servedBy.length > 1).length,
    silent: of.filter(({ firstAudioMs, outcome }) => firstAudioMs === undefined || outcome !== 'complete')
      .length,
    lost: sum(({ words }) => words.lost),
    twice: Math.max(0, ...of.map(({ words }) => words.twice)),
    firstP50: rounded(share(firsts, 0.5)),
    firstP95: rounded(share(firsts, 0.95)),
    gaps: sum(({ underruns }) => underruns.length),
    gapMs: rounded(Math.max(0, ...of.flatMap(({ underruns }) => underruns.map(({ gapMs = 0 }) => gapMs)))),
    endOffMs: rounded(Math.max(0, ...of.map(({ endMs }) => Math.abs(endMs)))),
  };
});
console.table(table);
/** Of the words on both sides of a join. */
const joins = results.flatMap(({ n, kind, captions, switched: [to] }) => {
  const after = to === undefined ? -1 : captions.findIndex(({ startMs }) => startMs >= to.atMs);
  if (after < 1) return [];
  const [front, word] = [captions[after - 1], captions[after]];
  const again = captions.filter(({ charStart }, w) => charStart <= (captions[w - 1]?.charStart ?? -1)).length;
  return [{ n, kind, overlapMs: Math.max(0, front.endMs - word.startMs), again }];
});
console.log(
  JSON.stringify({
    joins: joins.length,
    overlapping: joins.filter(({ overlapMs }) => overlapMs > 0).length,
    overlapMs: share(
      joins.map(({ overlapMs }) => overlapMs),
      0.95,
    ),
    toldTwice: joins.filter(({ again }) => again > 0).length,
  }),
);
/** How far the start of each word that was told is from where it was heard, by how many words it is from the join. */
const wordErrors = results.flatMap(({ captions, parts, servedBy, text }) => {
  if (parts.length !== 2) return [];
  const length = [...text].length;
  const { words } = parts[1].request.truth();
  const join = length - words[0].beforeEnd;
  const order = captions.map(({ charStart }) => charStart).toSorted((a, b) => a - b);
  const joinAt = order.findIndex((charStart) => charStart >= join);
  return captions.flatMap(({ charStart, startMs }) => {
    const heard = servedBy.flatMap(({ fromMs }, at) => {
      const part = parts[at];
      const word = part?.request.truth().words.find(({ beforeEnd }) => beforeEnd === length - charStart);
      return word !== undefined && word.startMs <= part.heardMs ? [fromMs + word.startMs] : [];
    });
    if (heard.length === 0) return [];
    const offMs = Math.min(...heard.map((ms) => Math.abs(startMs - ms)));
    return [{ offMs, apart: order.indexOf(charStart) - joinAt }];
  });
});
const told = (isNear) => {
  const off = wordErrors.filter(({ apart }) => isNear(apart)).map(({ offMs }) => offMs);
  return {
    words: off.length,
    p50: rounded(share(off, 0.5)),
    p95: rounded(share(off, 0.95)),
    most: rounded(share(off, 1)),
  };
};
console.log(
  JSON.stringify({
    wordsBeforeJoin: told((apart) => apart < 0 && apart >= -3),
    wordsBehindJoin: told((apart) => apart >= 0 && apart < 3),
    otherWords: told((apart) => apart < -3 || apart >= 3),
  }),
);
/** From the request to the second until its first byte, which is as good as its first speech here. */
const refused = results.filter(({ kind }) => /^before: (connection|4|5|a page|no bytes)/.test(kind));
const delays = refused.flatMap(({ firstAudioMs, firstAsked: [a], secondAsked: [b] }) =>
  a && b ? [{ wholeMs: firstAudioMs - 60 - (b.firstByteAtMs - b.atMs), askMs: b.atMs - a.atMs }] : [],
);
const silent = results.filter(({ kind }) => /^before: (no answer|a head|slow)/.test(kind));
const waits = silent.flatMap(({ firstAsked: [a], secondAsked: [b] }) => (a && b ? [b.atMs - a.atMs] : []));
console.log(
  JSON.stringify({
    refusedP50: rounded(
      share(
        delays.map(({ wholeMs }) => wholeMs),
        0.5,
      ),
    ),
    refusedP95: rounded(
      share(
        delays.map(({ wholeMs }) => wholeMs),
        0.95,
      ),
    ),
    silentAskedP50: rounded(share(waits, 0.5)),
    silentAskedMax: rounded(share(waits, 1)),
  }),
);
const bad = results.filter(
  ({ words, outcome, endMs, firstAudioMs = 0 }) =>
    outcome !== 'complete' ||
    firstAudioMs > 10_000 ||
    words.lost > 0 ||
    words.twice > 1 ||
    Math.abs(endMs) > 40,
);
for (const each of bad.slice(0, Number(values.show))) {
  const { captions: _, parts, firstAsked, secondAsked, ...told } = each;
  console.log(
    JSON.stringify({
      ...told,
      ...Object.fromEntries(
        Object.entries({ firstAsked, secondAsked }).map(([name, requests]) => [
          name,
          requests.map(({ text, atMs, firstByteAtMs }) => ({
            text,
            atMs: rounded(atMs - each.askedAtMs),
            firstByteAtMs: rounded(firstByteAtMs === undefined ? undefined : firstByteAtMs - each.askedAtMs),
          })),
        ]),
      ),
      lengths: parts.map(({ request }) => request.truth().lengthMs),
    }),
  );
}
child.kill();
await Promise.all([first.close(), second.close()]);
await voices.close();
rmSync(dataDir, { recursive: true, force: true });
process.exit(table.some(({ silent, lost }) => silent + lost > 0) ? 1 : 0);
