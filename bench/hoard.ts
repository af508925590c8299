// The most that one session may hoard: as many turns as it may have, each with the longest text of one script, sent until it
// is refused; told as memory for each session, once the collector has been through it, against the bound that is documented.

import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { systemClock } from '../src/base/clock.ts';
import { WordTimeline } from '../src/captions/word-timeline.ts';
import { chapterRequests } from '../src/text/request-text.ts';
import { spokenWords } from '../src/text/spoken-words.ts';
import { saidSegments } from '../src/text/turn-text.ts';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { hardText, longestHardText } from './lab/hard-texts.ts';
import { keptMemory } from './lab/kept-memory.ts';
import { MESSAGE_BYTES, MUTE_LIMITS, type MuteSession, openMuteSessions } from './lab/mute-sessions.ts';

const SCRIPTS = [
  'prose',
  'short words',
  'blank lines',
  'links begun',
  'Chinese',
  'Chinese, short',
  'kana',
  'Thai',
  'Hindi',
  'Arabic',
  'emoji',
  'initials',
] as const;
const MIB = 1024 * 1024;
/** Turns of the event loop in which what has been sent is cut. */
const SETTLING_TURNS = 400;
/** More appends than a turn takes. */
const MAX_APPENDS = 8;

const settled = async () => {
  for (let turn = 0; turn < SETTLING_TURNS; turn += 1) await turnOfLoop();
};

const isRefused = (session: MuteSession) => [...session.said.keys()].some((name) => name.startsWith('error'));

/** Says all that is taken, as whole texts or bit by bit. */
async function fill(session: MuteSession, script: string, way: 'speak' | 'append'): Promise<void> {
  const units = way === 'speak' ? MUTE_LIMITS.textChars : MUTE_LIMITS.pendingTextChars;
  for (let turn = 0; turn < MUTE_LIMITS.turnsInFlight; turn += 1) {
    const of = longestHardText(script, MESSAGE_BYTES - 1000, units);
    if (way === 'speak') session.receive(JSON.stringify({ type: 'speak', turn: `t${turn}`, text: of }));
    else
      for (let piece = 0; piece < MAX_APPENDS && !isRefused(session); piece += 1)
        session.receive(
          JSON.stringify({ type: 'append', turn: `t${turn}`, text: of.slice(0, units / MAX_APPENDS) }),
        );
    await turnOfLoop();
  }
}

/** Memory of all words of the longest text, bytes, and what was kept for them at first. */
function wordBytes(script: string): number {
  const text = longestHardText(script, MESSAGE_BYTES - 1000, MUTE_LIMITS.textChars);
  const said = { text, from: { unit: 0, point: 0 }, speakers: [] };
  const timeline = new WordTimeline(60);
  for (const step of chapterRequests(saidSegments(said, { language: undefined, markup: 'strip' })))
    if (step !== 'more') timeline.addRequest(spokenWords(step.parts.map(({ segment }) => segment)));
  return timeline.bytes();
}

async function run({ numbers, progress }: BenchRun): Promise<BenchResult> {
  const sessions = await openMuteSessions(systemClock);
  const boundBytes = MUTE_LIMITS.textBytes;
  const rows: (readonly string[])[] = [];
  const figures: Record<string, number> = { boundMiB: boundBytes / MIB };
  const faults: string[] = [];
  try {
    // What is compiled and remembered once is no session's.
    const warm = sessions.open();
    for (const script of SCRIPTS)
      warm.receive(JSON.stringify({ type: 'speak', turn: script, text: hardText(script, 3000) }));
    await settled();
    warm.close();
    for (const script of SCRIPTS)
      for (const way of ['speak', 'append'] as const) {
        progress(`hoard: ${script}, ${way}`);
        const before = keptMemory();
        const open: MuteSession[] = [];
        for (let n = 0; n < numbers.sessions; n += 1) {
          const session = sessions.open();
          await fill(session, script, way);
          open.push(session);
        }
        await settled();
        const after = keptMemory();
        const each =
          (after.heapBytes + after.externalBytes - before.heapBytes - before.externalBytes) / open.length;
        const told = open.reduce((sum, session) => sum + session.bufferedBytes(), 0) / open.length;
        const words = way === 'speak' ? wordBytes(script) : 0;
        const first = open[0]!;
        const refusals = [...first.said].filter(([name]) => name.startsWith('error'));
        for (const session of open) session.close();
        await settled();
        rows.push([
          script,
          way,
          (each / MIB).toFixed(2),
          (told / MIB).toFixed(2),
          way === 'speak' ? (words / MIB).toFixed(2) : '–',
          refusals.map(([name, count]) => `${count} ${name.slice(6)}`).join(', ') || '–',
        ]);
        figures[`${script.replaceAll(/[^a-z]+/gi, '_')}_${way}_MiB`] = each / MIB;
        if (each > boundBytes) faults.push(`${script}, ${way}: ${(each / MIB).toFixed(2)} MiB a session`);
        if (words > boundBytes)
          faults.push(`${script}: the words of one text take ${(words / MIB).toFixed(2)} MiB`);
      }
  } finally {
    sessions.close();
  }
  return {
    title: `What the texts of one session hoard, of ${numbers.sessions} sessions with ${MUTE_LIMITS.turnsInFlight} turns each`,
    columns: [
      'script',
      'sent by',
      'MiB a session',
      'told by bufferedBytes',
      'all words of one text',
      'refused',
    ],
    rows,
    notes: [
      `The bound for texts is ${boundBytes / MIB} MiB (VOXGATE_TEXT_BYTES); audio and unsent bytes have bounds of their own.`,
    ],
    figures,
    faults,
  };
}

export const hoard: Bench = {
  summary: 'the most that the texts of one session take in memory, for several scripts, against the bound',
  defaults: { sessions: 4 },
  run,
};
