// How surely a body that ends properly and too early is told from a whole one. Speech of our engine, flite and festival is
// cut so that it ends properly (endings/body-forms.mjs) and given to the compiled program's own `relayWholeBody`, which asks for it again, gets the same
// cut, and has to say that the speech is not whole; whole bodies have to be taken for whole at the first request.
// Prints a table and a line of JSON; ends with 1 if an aim is missed.
//
//   node scripts/build.mjs --if-stale && node scripts/endings-trial.mjs [--dist DIR] [--full]
//
//   --sentences N   of each language, voice and speed of our engine (1; with --full 11)
//   --foreign N     sentences of each foreign voice and speed (6; with --full 16)
//   --cuts N        of each speech (2; with --full 3), anywhere between 5 and 95 % of its frames
//   --kinds A,B     of own, dialogue, foreign;  --languages A,B  only these
//   --body FORM     as mp3 (the default), wav, pcm, mulaw, alaw or opus
//   --by-sound      without a local engine, as in the image `gateway`: level and pace alone
//   --late          with one that always answers too late
//   --seed N        draws the cuts (1);  --misses N prints so many of the cuts that were not noticed (0)

import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { BODY_FORMS, bodyOf } from './endings/body-forms.mjs';
import { spokenForeign } from './endings/foreign-at-speed.mjs';
import { createJudge } from './endings/judge.mjs';
import { foreignVoices } from './word-times/foreign-voices.mjs';
import { planDialogues, planOwn, speakOwn } from './word-times/own-speech.mjs';
import { openProgram } from './word-times/program.mjs';
import { openTurn } from './word-times/turn.mjs';

const ROOT = resolve(import.meta.dirname, '..');
const SPEEDS = [0.7, 0.85, 1, 1.2, 1.4];
const MIN_WORDS = 5;
/** Whole speeches of a voice after which it is known. */
const TURNS_TO_KNOW = 10;
const AIMS = { firstTurn: 95, known: 99, doubted: 0.3 };

const { values } = parseArgs({
  options: {
    dist: { type: 'string', default: resolve(ROOT, 'dist') },
    full: { type: 'boolean', default: false },
    sentences: { type: 'string' },
    foreign: { type: 'string' },
    cuts: { type: 'string' },
    kinds: { type: 'string', default: 'own,dialogue,foreign' },
    languages: { type: 'string' },
    body: { type: 'string', default: 'mp3' },
    'by-sound': { type: 'boolean', default: false },
    late: { type: 'boolean', default: false },
    seed: { type: 'string', default: '1' },
    misses: { type: 'string', default: '0' },
  },
});
if (!BODY_FORMS.includes(values.body)) throw new Error(`--body is one of ${BODY_FORMS.join(', ')}`);
const by = values.late ? 'late' : values['by-sound'] ? 'sound' : 'reference';
const countOf = (name, usual, full) => Number(values[name] ?? (values.full ? full : usual));
const isWanted = (kind) => values.kinds.split(',').includes(kind);
const languages = values.languages?.split(',');
const cutsEach = countOf('cuts', 2, 3);

const program = await openProgram(resolve(values.dist));
const draw = program.seededNumbers(Number(values.seed), 0);
const judge = createJudge(program, by);

async function* speeches() {
  const own = isWanted('own') ? planOwn(program, ROOT, countOf('sentences', 1, 11), languages) : [];
  const dialogues = isWanted('dialogue')
    ? planDialogues(program, ROOT, countOf('sentences', 1, 11), languages)
    : [];
  for (const plan of [...own, ...dialogues]) {
    const speech = await speakOwn(program, plan);
    if (speech !== undefined) yield speech;
  }
  if (!isWanted('foreign')) return;
  for (const voice of foreignVoices().filter(({ language }) => languages?.includes(language) ?? true))
    yield* spokenForeign(program, ROOT, voice, SPEEDS, countOf('foreign', 6, 16));
}

const empty = () => ({
  whole: 0,
  doubted: 0,
  cuts: 0,
  strange: 0,
  first: 0,
  known: 0,
  knownCuts: 0,
  partly: 0,
  partlyNoticed: 0,
});
const groups = new Map();
const tallyOf = (name) => {
  if (!groups.has(name)) groups.set(name, empty());
  return groups.get(name);
};
const kindOf = ({ kind, name }) => (kind === 'foreign' ? name.split(':')[0] : kind);
const missed = [];
/** What is known of each voice after whole speeches of it, and of the service after speeches of other voices. */
const known = new Map();
const service = judge.newRecovery();
let newVoices = 0;
const voiceKey = ({ name, language }) => `${name} ${language}`;

for await (const speech of speeches()) {
  const turn = await openTurn(program, speech);
  if (turn === undefined || turn.words.length < MIN_WORDS) continue;
  const tallies = [tallyOf('all'), tallyOf(kindOf(speech))];
  const add = (field, more = 1) => {
    for (const tally of tallies) tally[field] += more;
  };
  const { type, whole: wholeBytes, heardMs, cut: cutAt } = bodyOf(program, values.body, speech.bytes);
  const record = known.get(voiceKey(speech)) ?? { turns: 0, recovery: judge.newRecovery() };
  known.set(voiceKey(speech), record);
  for (let cut = 0; cut < cutsEach; cut += 1) {
    const part = 0.05 + 0.9 * draw();
    const body = { type, bytes: cutAt(part) };
    const endMs = heardMs(part);
    const last = speech.truthMs.findLast((ms) => ms !== undefined);
    if (last === undefined) continue;
    const losesWord = last >= endMs;
    const isStrangeNoticed = (await judge.relay(speech, turn, body, judge.newRecovery())) !== 'whole';
    newVoices += 1;
    const asNew = { ...turn, outgoing: { ...turn.outgoing, voice: `new ${newVoices}` } };
    const isFirstNoticed = (await judge.relay(speech, asNew, body, service)) !== 'whole';
    if (!losesWord) {
      add('partly');
      add('partlyNoticed', isFirstNoticed ? 1 : 0);
      continue;
    }
    add('cuts');
    add('first', isFirstNoticed ? 1 : 0);
    add('strange', isStrangeNoticed ? 1 : 0);
    if (record.turns >= TURNS_TO_KNOW) {
      const isNoticed = (await judge.relay(speech, turn, body, record.recovery)) !== 'whole';
      add('knownCuts');
      add('known', isNoticed ? 1 : 0);
      if (!isNoticed)
        missed.push([speech.name, speech.speed, speech.whole.text, Math.round(endMs), Math.round(last)]);
    } else if (!isFirstNoticed)
      missed.push([speech.name, speech.speed, speech.whole.text, Math.round(endMs), Math.round(last)]);
  }
  const whole = await judge.relay(speech, turn, { type, bytes: wholeBytes }, record.recovery);
  record.turns += 1;
  add('whole');
  add('doubted', whole === 'whole' ? 0 : 1);
  if (whole !== 'whole') missed.push(['doubted', speech.name, speech.speed, speech.whole.text ?? 'dialogue']);
}
await program.close();

const percent = (part, all) => (all === 0 ? '–' : `${((100 * part) / all).toFixed(2)} %`);
console.log(
  'speech        whole  doubted        cuts   noticed: first of all   first of a voice   after ten turns   in the last word',
);
for (const [name, tally] of groups)
  console.log(
    name.padEnd(12),
    String(tally.whole).padStart(6),
    `${tally.doubted} (${percent(tally.doubted, tally.whole)})`.padStart(13),
    String(tally.cuts).padStart(9),
    percent(tally.strange, tally.cuts).padStart(20),
    percent(tally.first, tally.cuts).padStart(19),
    `${percent(tally.known, tally.knownCuts)} of ${tally.knownCuts}`.padStart(20),
    `${percent(tally.partlyNoticed, tally.partly)} of ${tally.partly}`.padStart(22),
  );
for (const miss of missed.slice(0, Number(values.misses))) console.log('missed:', ...miss);
const all = groups.get('all') ?? empty();
console.log(
  JSON.stringify({
    trial: 'endings',
    body: values.body,
    by,
    groups: Object.fromEntries(groups),
  }),
);
const reached =
  100 * all.first >= AIMS.firstTurn * all.cuts &&
  100 * all.known >= AIMS.known * all.knownCuts &&
  100 * all.doubted <= AIMS.doubted * all.whole;
if (!reached && by === 'reference') process.exitCode = 1;
