// Calls on every kind of leg over real sockets, in real time, while the first of two speech services fails in many ways; every second one is
// interrupted behind the join. A simulated far side records what is heard, which is held against what the services said and the gateway tells.
// Prints figures; ends with 1 if a word is lost, more is told as heard than was, or a gap is not told.
//
//   node scripts/build.mjs --if-stale && node scripts/calls-outage-trial.mjs [--calls 50] [--at-once 4] [--legs twilio,audiosocket] [--only after] [--show 5]

import { randomUUID } from 'node:crypto';
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
    calls: { type: 'string', default: '50' },
    'at-once': { type: 'string', default: '4' },
    legs: { type: 'string' },
    only: { type: 'string', default: 'after' },
    show: { type: 'string', default: '5' },
    program: { type: 'string', default: join(ROOT, 'dist/main.js') },
  },
});
register(new URL('../test/support/typescript-hooks.mjs', import.meta.url));
const { openVoices, startBreakingService, wordsOf } = await import('../test/support/breaking-service.ts');
const { openProbe } = await import('../test/support/session-probe.ts');
const { decodedMp3 } = await import('../test/support/decoded-mp3.ts');
const { placeOf, recordingOf } = await import('../test/support/words-in-recording.ts');
const { codecs } = await import('../test/support/codecs.ts');
const { CARRIERS } = await import('../testkit/carriers/carriers.ts');
const { dialCarrier } = await import('../testkit/carriers/dial-carrier.ts');
const { freePort } = await import('../testkit/carriers/free-port.ts');
const { VOICES } = await import('../src/engine/voices.ts');
const { seededNumbers } = await import('../src/base/seeded-numbers.ts');

const pause = (ms) => new Promise((done) => setTimeout(done, ms));
const draw = seededNumbers(11, 0);
const KINDS = waysOfFailing(draw);
const kinds = Object.keys(KINDS).filter((kind) => kind.includes(values.only));
const legs = values.legs?.split(',') ?? Object.keys(CARRIERS);
const total = Number(values.calls);
const workers = Number(values['at-once']);
const ANNA = VOICES.find(({ gender }) => gender === 'Female').id;
const ADAM = VOICES.find(({ gender }) => gender === 'Male').id;
/** Of the engine's sound. */
const ENGINE_HZ = 24_000;

const voices = await openVoices();
// Little faster than a listener needs it, so that a failure is soon heard.
const { first, second, manners } = await openPair({ voices, startBreakingService, times: 2, voice: ANNA });

const dataDir = mkdtempSync(join(tmpdir(), 'voxgate-calls-'));
const audioSocketPort = await freePort();
/** Each call has a first service that others have not just seen fail. */
const FIRSTS = Array.from({ length: 31 }, (_, n) => `first-${n}`);
const { child, url } = await startServing(values.program, dataDir, {
  VOXGATE_UPSTREAMS: JSON.stringify([
    ...FIRSTS.map((name) => asUpstream(name, first)),
    asUpstream('second', second),
  ]),
  VOXGATE_VOICES: JSON.stringify({
    voice: { ...Object.fromEntries(FIRSTS.map((name) => [name, ANNA])), second: ADAM },
  }),
  VOXGATE_AUDIOSOCKET_PORT: String(audioSocketPort),
  VOXGATE_WORD_TIMES: 'always',
  VOXGATE_BUSY_AT: '0',
});
const origin = url.replace('http', 'ws');
/** As the local user, whose an AudioSocket is. */
const openSession = (query) => openProbe(`${origin}/v1/session?voice=voice&${query}`);

/** A fault behind a turn that was well is no outage. */
async function wellTurn(n, service) {
  const probe = await openSession(`format=raw&pace=burst&upstream=${service}`);
  probe.send({ type: 'speak', turn: 't', text: `All is well, ${nameOf(n)}.` });
  await probe.ended('t');
  probe.terminate();
}

/** How long this process, and so the far side, was held up at most, ms. */
let heldUpMs = 0;
let lookedAtMs = performance.now();
setInterval(() => {
  heldUpMs = Math.max(heldUpMs, performance.now() - lookedAtMs - 10);
  lookedAtMs = performance.now();
}, 10).unref();

const TURN_MS = 60_000;
async function callOn(n) {
  const round = Math.floor(n / legs.length);
  const [leg, kind] = [legs[n % legs.length], kinds[(n + round) % kinds.length]];
  const isCut = round % 2 === 1;
  const service = FIRSTS[n % FIRSTS.length];
  const manner = KINDS[kind]();
  const cutAfterMs = 150 + 1_800 * draw();
  await wellTurn(n, service);
  manners.set(nameOf(n), manner);

  const carrier = CARRIERS[leg];
  const probe = await openSession(`captions=words&upstream=${service},second`);
  const token = leg === 'audiosocket' ? randomUUID() : (await probe.event('ready')).attachToken;
  probe.send({ type: 'attach', leg: { token } });
  const address =
    leg === 'audiosocket' ? `tcp://127.0.0.1:${audioSocketPort}` : `${origin}/v1/legs/${leg}/${token}`;
  const call = await dialCarrier(carrier, address, { callId: `call-${n}`, token });
  // `leg_not_found` would come within this.
  await Promise.race([probe.event('attached'), pause(12_000)]);
  const heardMs = () => call.report().heardMs;
  heldUpMs = 0;
  probe.send({ type: 'speak', turn: 't', text: textOf(n) });
  let isOver = false;
  const result = await Promise.race([
    (async () => {
      if (isCut) {
        await probe.event('started');
        await Promise.race([probe.event('switched'), probe.event('heard')]);
        const atMs = probe.events('switched')[0]?.atMs ?? 0;
        while (heardMs() < atMs + cutAfterMs && !isOver) await pause(10);
        probe.send({ type: 'cancel', turn: 't' });
      }
      const ended = await probe.ended('t');
      return ended.outcome === 'failed' ? {} : { ended, heard: await probe.event('heard') };
    })(),
    pause(TURN_MS).then(() => ({})),
  ]);
  isOver = true;
  // What lies at the far side is heard.
  await pause(400);
  const { faults, playout } = call;
  const said = {
    n,
    leg,
    kind,
    isCut,
    manner,
    ...result,
    faults: [...faults],
    heldUpMs,
    switched: probe.events('switched'),
    underruns: probe.events('underrun'),
    error: probe.events('error')[0]?.code,
    blocks: [...playout.heard],
  };
  call.hangUp();
  probe.terminate();
  return said;
}

/** As it was heard: where nothing was played there is silence. */
function recorded(leg, blocks) {
  const { audio } = CARRIERS[leg];
  const samples = [];
  for (const block of blocks) {
    const silent = Math.round(((block.atMs - blocks[0].atMs) * audio.sampleRate) / 1000) - samples.length;
    // Times are rounded.
    if (silent > 1) samples.push(...new Float32Array(silent));
    samples.push(...recordingOf(audio, [block]));
  }
  return Float32Array.from(samples);
}
function resampled(sound, toRate) {
  const blocks = [];
  const stage = codecs.sound.resample({ fromRate: ENGINE_HZ, toRate }, (block) => blocks.push(block.slice()));
  stage.push(sound);
  stage.flush();
  return Float32Array.from(blocks.flatMap((block) => [...block]));
}
/** Peaks; quieter than all of speech but where it fades. */
const QUIET = 0.01;
const loudEnd = (sound) => sound.findLastIndex((sample) => Math.abs(sample) >= QUIET) + 1;
/** The longest silence between two sounds, samples. */
function longestQuiet(sound) {
  let [most, loudAt] = [0, -1];
  sound.forEach((sample, at) => {
    if (Math.abs(sample) < QUIET) return;
    if (loudAt >= 0) most = Math.max(most, at - loudAt);
    loudAt = at;
  });
  return most;
}

/** How much a word in the recording is like that word as it was sent; how far it may be from its place, and from its end, ms. */
const [MIN_LIKENESS, REACH_MS, WHOLE_WITHIN_MS] = [0.8, 45, 30];
/** A message, and what a leg fills it up with: gaps and positions are not told closer. */
const FILLED_MS = 60;
function judge(said) {
  const { n, leg, ended, heard, blocks, switched, underruns, isCut } = said;
  if (ended === undefined) return { ...said, problems: ['was not heard'] };
  const text = textOf(n);
  const rate = CARRIERS[leg].audio.sampleRate;
  const msOf = (samples) => (samples * 1000) / rate;
  const samplesOf = (ms) => Math.round((ms * rate) / 1000);
  const recording = recorded(leg, blocks);
  const toldGapMs = underruns.reduce((sum, { gapMs }) => sum + gapMs, 0);
  const servedBy = ended.servedBy ?? [];
  const parts = servedBy.map(({ upstream, fromMs, toMs }) => {
    const { requests } = upstream === 'second' ? second : first;
    const request = requests.findLast(({ text: asked }) => nameIn(asked) === nameOf(n));
    const { manner } = request;
    const heardMs = toMs - fromMs;
    const saidMs = manner.does === 'turns' ? Math.min(heardMs, manner.fromMs) : heardMs;
    return { request, fromMs, heardMs, saidMs, sound: resampled(decodedMp3(request.mp3), rate) };
  });
  /** Of each part, in ms of the turn. */
  const wordsIn = ({ request, fromMs, saidMs, sound }) =>
    request.truth().words.map(({ startMs, endMs, beforeEnd }) => ({
      beforeEnd,
      startMs: fromMs + startMs,
      endMs: fromMs + endMs,
      isWhole: endMs <= saidMs + WHOLE_WITHIN_MS,
      sound: sound.subarray(samplesOf(startMs), samplesOf(endMs)),
    }));
  const sent = parts.flatMap(wordsIn);
  /** How much later than in the turn a word is in the recording: what was silent before, and gaps. */
  let delayMs;
  let [beginsMs, untoldMs, earlyMs] = [0, 0, 0];
  const found = new Set();
  for (const word of sent.filter(({ isWhole }) => isWhole)) {
    const look = (fromMs, toMs) => {
      const [from, to] = [fromMs, toMs].map((ms) => Math.max(0, samplesOf(word.startMs + ms)));
      return placeOf(recording, word.sound, from, to);
    };
    const wasMs = delayMs ?? 0;
    let place = look(wasMs - REACH_MS, wasMs + REACH_MS);
    if (place.likeness < MIN_LIKENESS)
      place = look(wasMs, delayMs === undefined ? 1_500 : wasMs + toldGapMs + 500);
    if (place.likeness < MIN_LIKENESS) continue;
    const isMs = msOf(place.at) - word.startMs;
    if (delayMs === undefined) beginsMs = isMs;
    else earlyMs = Math.max(earlyMs, wasMs - isMs);
    delayMs = isMs;
    untoldMs = Math.max(untoldMs, isMs - beginsMs - toldGapMs);
    found.add(word.beforeEnd);
  }
  delayMs ??= 0;
  /** Of the turn, where its last sound is in the recording. */
  const endMs = msOf(loudEnd(recording)) - delayMs;
  const all = parts[0].request.truth().words;
  if (all.length !== text.split(' ').length) throw new Error(`Not every word is told of: ${text}`);
  const toldLength = [...heard.spokenText].length;
  const isTold = ({ beforeEnd }) => [...text].length - beforeEnd < toldLength;
  /** Where it was said at last. */
  const lastOf = ({ beforeEnd }) => sent.findLast((word) => word.beforeEnd === beforeEnd);
  const isOver = (word) => lastOf(word).isWhole && lastOf(word).endMs <= endMs;
  const wanted = isCut ? all.filter((word) => isTold(word) && isOver(word)) : all;
  const expected = parts.flatMap(({ sound, heardMs, saidMs }) => [
    ...sound.subarray(0, samplesOf(saidMs)),
    // What else the service has sent in the place of speech.
    ...new Float32Array(samplesOf(heardMs - saidMs)),
  ]);
  const figures = {
    joined: servedBy.length > 1,
    lost: Math.max(
      isCut ? 0 : wordsOf(parts).lost,
      wanted.filter(({ beforeEnd }) => !found.has(beforeEnd)).length,
    ),
    more: all.filter((word) => isTold(word) && lastOf(word).startMs > endMs + WHOLE_WITHIN_MS).length,
    less: all.filter((word) => !isTold(word) && isOver(word)).length,
    /** More than has come to be heard; less than there is sound. */
    moreMs: heard.playedMs + delayMs - msOf(recording.length),
    lessMs: endMs - heard.playedMs,
    toldGapMs,
    untoldMs: Math.max(untoldMs, msOf(longestQuiet(recording) - longestQuiet(expected)) - toldGapMs),
    earlyMs,
    switchOffMs: Math.max(
      0,
      ...switched.map(({ atMs, to }) =>
        Math.abs((servedBy.find(({ upstream }) => upstream === to)?.fromMs ?? atMs) - atMs),
      ),
    ),
  };
  const isWhole = heard.spokenText === text && heard.remainingText === '';
  const checks = {
    [`ended ${ended.outcome}`]: ended.outcome !== (isCut ? 'cancelled' : 'complete'),
    'a word was lost': figures.lost > 0,
    'more was told than heard': figures.more > 0 || figures.moreMs > FILLED_MS,
    'less was told than heard': (!isCut && !isWhole) || figures.less > 1,
    // A far side that was held up hears later.
    'a gap was not told': figures.untoldMs > FILLED_MS + said.heldUpMs,
    'sound is missing': figures.earlyMs > FILLED_MS,
    '`switched` is not where another one speaks': figures.switchOffMs > 1,
    [said.faults[0]]: said.faults.length > 0,
  };
  return { ...said, ...figures, problems: Object.keys(checks).filter((check) => checks[check]) };
}

const said = [];
let next = 0;
await Promise.all(
  Array.from({ length: workers }, async () => {
    while (next < total) {
      next += 1;
      said.push(await callOn(next - 1));
    }
  }),
);
// What takes time is done when nobody plays.
const results = said.map(judge);
const most = (of, name) => Math.round(Math.max(0, ...of.map((each) => each[name] ?? 0)));
const sum = (of, name) => of.reduce((all, each) => all + Number(each[name] ?? 0), 0);
const rowOf = (of) => ({
  calls: of.length,
  cut: sum(of, 'isCut'),
  joined: sum(of, 'joined'),
  lost: sum(of, 'lost'),
  more: sum(of, 'more'),
  less: sum(of, 'less'),
  moreMs: most(of, 'moreMs'),
  lessMs: most(of, 'lessMs'),
  toldGapMs: most(of, 'toldGapMs'),
  untoldMs: most(of, 'untoldMs'),
  earlyMs: most(of, 'earlyMs'),
  switchOffMs: most(of, 'switchOffMs'),
  heldUpMs: most(of, 'heldUpMs'),
  problems: of.filter(({ problems }) => problems.length > 0).length,
});
const rowsBy = (names, by) =>
  Object.fromEntries(names.map((name) => [name, rowOf(results.filter((each) => each[by] === name))]));
console.table(rowsBy(legs, 'leg'));
console.table(rowsBy(kinds, 'kind'));
console.log(JSON.stringify(rowOf(results)));
const bad = results.filter(({ problems }) => problems.length > 0);
for (const { blocks: _, ...told } of bad.slice(0, Number(values.show))) console.log(JSON.stringify(told));
child.kill();
await Promise.all([first.close(), second.close()]);
await voices.close();
rmSync(dataDir, { recursive: true, force: true });
process.exit(bad.length > 0 ? 1 : 0);
