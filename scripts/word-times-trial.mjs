// How exactly the gateway finds words in audio: speech whose true word times are known, ours and that of synthesisers
// that are not, is timed by the compiled program's own parts, whole and as in a live turn (in simulated time), and held
// against the truth, which the timing never sees. Prints a table and a line of JSON; ends with 1 if an aim is missed.
// Ctrl-C ends it early, with the figures so far.
//
//   node scripts/build.mjs --if-stale && node scripts/word-times-trial.mjs [--dist DIR] [--full]
//
//   --sentences N      of each language, voice and speed (2; with --full 200, which is 24,000 speeches and an hour)
//   --dialogues N      of each language (2; with --full 20)
//   --foreign N        sentences of each foreign voice (12; with --full 200)
//   --languages A,B    only these
//   --kinds A,B        of own, dialogue, foreign
//   --fallback         without a local engine to hold the speech against: pauses and weights
//   --speed-factor X   how much faster than it plays the upstream delivers (2)
//   --first-byte-ms N  when it begins to, behind the request (25)
//   --moments N        at which the heard text is asked for, at least (500); --seed N draws them (1)
//   --worst N          names the speeches with the largest errors (0)

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { missedAims } from './word-times/aims.mjs';
import { foreignVoices, speakForeignVoice } from './word-times/foreign-voices.mjs';
import { planDialogues, planOwn, refuseItself, speakOwn } from './word-times/own-speech.mjs';
import { openProgram } from './word-times/program.mjs';
import { timeStreamed } from './word-times/streamed-pass.mjs';
import { TABLE_HEAD, tableLine } from './word-times/table.mjs';
import { createTally } from './word-times/tally.mjs';
import { timeWhole } from './word-times/whole-pass.mjs';
import { createWorst } from './word-times/worst.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const PROGRESS_MS = 10_000;

const { values } = parseArgs({
  options: {
    dist: { type: 'string', default: resolve(ROOT, 'dist') },
    full: { type: 'boolean', default: false },
    fallback: { type: 'boolean', default: false },
    sentences: { type: 'string' },
    dialogues: { type: 'string' },
    foreign: { type: 'string' },
    languages: { type: 'string' },
    kinds: { type: 'string', default: 'own,dialogue,foreign' },
    'speed-factor': { type: 'string', default: '2' },
    'first-byte-ms': { type: 'string', default: '25' },
    moments: { type: 'string', default: '500' },
    seed: { type: 'string', default: '1' },
    worst: { type: 'string', default: '0' },
  },
});
const countOf = (name, usual, full) => Number(values[name] ?? (values.full ? full : usual));
const isWanted = (kind) => values.kinds.split(',').includes(kind);
const languages = values.languages?.split(',');
const pace = { speedFactor: Number(values['speed-factor']), firstByteMs: Number(values['first-byte-ms']) };

const program = await openProgram(resolve(values.dist));
const groups = new Map();
const dropped = {};
const worst = createWorst(Number(values.worst));
/** What each voice sounds like, learned from speech to speech as the timing's thread does. */
const voices = new Map();
const drop = (reason) => {
  dropped[reason] = (dropped[reason] ?? 0) + 1;
};

const own = [
  ...(isWanted('own') ? planOwn(program, ROOT, countOf('sentences', 2, 200), languages) : []),
  ...(isWanted('dialogue') ? planDialogues(program, ROOT, countOf('dialogues', 2, 20), languages) : []),
];
const foreign = isWanted('foreign')
  ? foreignVoices().filter(({ language }) => languages?.includes(language) ?? true)
  : [];
const perForeignVoice = countOf('foreign', 12, 200);
const planned = own.length + foreign.length * perForeignVoice;

/** Speeches that are made while another is measured. */
const AHEAD = 2;

/** The same in the same order, some of it before it is asked for. */
async function* ahead(source) {
  const coming = [];
  try {
    for (;;) {
      while (coming.length <= AHEAD) {
        const next = source.next();
        next.catch(() => {}); // told when its turn comes
        coming.push(next);
      }
      const { value, done } = await coming.shift();
      if (done) return;
      yield value;
    }
  } finally {
    await source.return();
  }
}

async function* speeches() {
  for (const plan of own) {
    const speech = await speakOwn(program, plan);
    if (speech === undefined) drop('requests');
    else yield speech;
  }
  for (const voice of foreign) yield* speakForeignVoice(program, ROOT, voice, perForeignVoice, drop);
}

const KINDS = ['own', 'dialogue', 'foreign'];

/** The groups that a speech counts in, the whole kind first. */
function groupsOf({ kind, language, name, speed }) {
  if (kind === 'own') return [kind, `own ${language}`, `own voice ${name}`, `own speed ${speed}`];
  return kind === 'dialogue' ? [kind] : [kind, `${name} ${language}`];
}

/** Moments of each speech, so many that all have as many as were asked for although some sentences are not spoken. */
const momentsEach = Math.ceil((1.5 * Number(values.moments)) / planned);
const drawn = program.seededNumbers(Number(values.seed), 0);
const drawMoments = (all) =>
  Array.from({ length: momentsEach }, () => Math.min(all - 1, Math.floor(drawn() * all)));

const beganMs = performance.now();
let measured = 0;
let toldMs = beganMs;
function tellProgress() {
  measured += 1;
  const nowMs = performance.now();
  if (nowMs - toldMs < PROGRESS_MS) return;
  toldMs = nowMs;
  console.error(`${measured} of at most ${planned} speeches, ${((nowMs - beganMs) / 1000).toFixed(0)} s`);
}

async function measure(speech) {
  const key = `${speech.voice} ${speech.voice2 ?? ''}`;
  const voice = voices.get(key) ?? { known: { mean: undefined, onsetMs: undefined } };
  voices.set(key, voice);
  const before = { ...voice };
  program.references.length = 0;
  const { words, references } = await timeWhole(program, speech, voice, !values.fallback);
  refuseItself(speech.spokenAs, program.references);
  const streamed = await timeStreamed(
    program,
    speech,
    before,
    values.fallback ? undefined : references,
    pace,
  );
  const drawnMoments = drawMoments(streamed.moments.length);
  const result = { truthMs: speech.truthMs, words, ...streamed, drawn: drawnMoments };
  worst.look(speech, result);
  for (const [rank, group] of groupsOf(speech).entries()) {
    if (!groups.has(group)) groups.set(group, { kind: speech.kind, rank, tally: createTally() });
    groups.get(group).tally.add(result);
  }
}

let isStopped = false;
process.once('SIGINT', () => {
  isStopped = true;
});
try {
  for await (const speech of ahead(speeches())) {
    await measure(speech);
    tellProgress();
    if (isStopped) break;
  }
} finally {
  await program.close();
}

const ordered = [...groups].sort(
  ([, a], [, b]) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || a.rank - b.rank,
);
const figures = new Map(ordered.map(([group, { kind, tally }]) => [group, { kind, ...tally.figures() }]));
console.log(TABLE_HEAD);
for (const [group, found] of figures) console.log(tableLine(group, found.kind, found));
for (const [group, { blind }] of figures) {
  if (!KINDS.includes(group)) continue;
  const off = `${blind.medianMs.toFixed(0)} ms off in the median, 95 % ${blind.p95Ms.toFixed(0)} or less`;
  console.log(`${group}: ${blind.words} words went out before any audio had been timed, ${off}`);
}
if (Object.keys(dropped).length > 0) console.log(`not spoken: ${JSON.stringify(dropped)}`);
for (const line of worst.lines()) console.log(line);

const missed = [...figures]
  .filter(([group]) => KINDS.includes(group))
  .flatMap(([group, found]) => missedAims(found.kind, found).map((what) => `${group}: ${what}`));
for (const what of missed) console.log(`missed: ${what}`);
const seconds = Math.round((performance.now() - beganMs) / 1000);
console.log(
  JSON.stringify(
    {
      reference: values.fallback ? 'none' : 'local engine',
      ...pace,
      seconds,
      dropped,
      missed,
      groups: Object.fromEntries(figures),
    },
    (_, value) => (typeof value === 'number' ? Math.round(value * 100) / 100 : value),
  ),
);
// Without a local engine the figures are for information.
process.exitCode = missed.length > 0 && !values.fallback ? 1 : 0;
