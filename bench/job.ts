// How fast a long text becomes a file: one job from its creation to its record as completed, through a gateway that
// speaks with its embedded engine, as `voxgate serve` has both by default, and what its process needs in memory for it.

import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { openGateway } from './lab/lab.ts';
import { monotonicMs } from './lab/monotonic.ts';
import { createSeededRandom } from './lab/seeded-random.ts';

const LOOK_EVERY_MS = 100;
/** What a gateway needs when it has been started and nothing has been asked of it. */
const IDLE_MS = 3000;
/** A job of this length that takes longer than its own sound is broken. */
const LONGEST_MS = 60 * 60_000;
/** A warm-up, so that what is compiled and loaded once is not a job's. */
const WARM_UP_CHARACTERS = 500;
const MIB = 1024 * 1024;
const OWNER = 'bench';

const SUBJECTS = [
  'The harbour',
  'A narrow street',
  'Her old neighbour',
  'The morning train',
  'A quiet garden',
];
const VERBS = ['lies behind', 'was built beside', 'remembers', 'leads past', 'has outlived'];
const OBJECTS = [
  'the market square',
  'two stone bridges',
  'a row of lime trees',
  'the river',
  'every winter',
];

/** Sentences in a made-up order, the same for the same seed; `characters` long, the last sentence cut. */
function textOf(characters: number, seed: number): string {
  const random = createSeededRandom(seed);
  const one = (words: readonly string[]) => words[Math.floor(random.share() * words.length)]!;
  let text = '';
  for (let sentences = 1; text.length < characters; sentences += 1)
    text += `${one(SUBJECTS)} ${one(VERBS)} ${one(OBJECTS)}.${sentences % 6 === 0 ? '\n' : ' '}`;
  return text.slice(0, characters);
}

type Told = {
  readonly id: string;
  readonly status: string;
  readonly phase: string;
  readonly progress: number;
  readonly output: { readonly duration?: number; readonly fileSize?: number };
  readonly error: { readonly message: string } | null;
};

async function run({ numbers, format, signal, progress }: BenchRun): Promise<BenchResult> {
  const gateway = await openGateway({ seed: numbers.seed, service: 'on' }, ['--ask-per-minute', '0']);
  const ask = async (path: string, body?: unknown): Promise<Told> => {
    const answer = await fetch(`${gateway.url}/api/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: 'Bearer bench', 'x-user-id': OWNER, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal,
    });
    const told = (await answer.json()) as Told & { readonly errorMessage?: string };
    if (!answer.ok) throw new Error(`/api/v1/${path} answered ${answer.status}: ${told.errorMessage}`);
    return told;
  };

  /** Makes it, and tells how long each phase took and what the process needed at most, bytes. */
  const make = async (text: string, voice: string) => {
    const beganAtMs = monotonicMs();
    let now = await ask('tts', { model: 'VoxDialog', text, voice, outputFormat: format, seed: numbers.seed });
    let mostBytes = 0;
    let mostChildrenBytes = 0;
    let mostTogether = 0;
    let spokenMs = Number.NaN;
    while (now.status === 'waiting' || now.status === 'running') {
      if (monotonicMs() - beganAtMs > LONGEST_MS) throw new Error('the job does not end');
      const usage = await gateway.usage();
      mostBytes = Math.max(mostBytes, usage.residentBytes);
      mostChildrenBytes = Math.max(mostChildrenBytes, usage.childrenBytes);
      mostTogether = Math.max(mostTogether, usage.residentBytes + usage.childrenBytes);
      now = await ask(`tts/${now.id}`);
      if (now.phase === 'finishing' && Number.isNaN(spokenMs)) spokenMs = monotonicMs() - beganAtMs;
      progress(`job: ${now.phase}, ${Math.round(now.progress * 100)} %`);
      await pause(LOOK_EVERY_MS, undefined, { signal });
    }
    if (now.status !== 'completed') throw new Error(`the job ended as ${now.status}: ${now.error?.message}`);
    return {
      tookMs: monotonicMs() - beganAtMs,
      spokenMs,
      mostBytes,
      mostChildrenBytes,
      mostTogether,
      soundMs: now.output.duration! * 1000,
      fileBytes: now.output.fileSize!,
    };
  };

  try {
    const [voice] = (await ask('voices')) as unknown as readonly { readonly id: string }[];
    await pause(IDLE_MS, undefined, { signal });
    const idle = await gateway.usage();
    await make(textOf(WARM_UP_CHARACTERS, numbers.seed), voice!.id);
    const before = await gateway.usage();
    const made = await make(textOf(numbers.characters, numbers.seed), voice!.id);
    const after = await gateway.usage();

    const figures = {
      timesRealTime: made.soundMs / made.tookMs,
      soundSeconds: made.soundMs / 1000,
      tookSeconds: made.tookMs / 1000,
      speakingSeconds: made.spokenMs / 1000,
      finishingSeconds: (made.tookMs - made.spokenMs) / 1000,
      processorSeconds: (after.cpuMs - before.cpuMs) / 1000,
      idleMiB: idle.residentBytes / MIB,
      peakOverIdleMiB: (made.mostBytes - idle.residentBytes) / MIB,
      childrenOverIdleMiB: (made.mostChildrenBytes - idle.childrenBytes) / MIB,
      togetherOverIdleMiB: (made.mostTogether - idle.residentBytes - idle.childrenBytes) / MIB,
      fileMiB: made.fileBytes / MIB,
    };
    const row = (name: string, figure: number, digits: number) => [name, figure.toFixed(digits)];
    return {
      title: `A job of ${numbers.characters} characters as ${format}, spoken by the embedded engine`,
      columns: ['', ''],
      rows: [
        row('times real time', figures.timesRealTime, 1),
        row('sound, s', figures.soundSeconds, 1),
        row('from creation to completed, s', figures.tookSeconds, 1),
        row('  of these speaking', figures.speakingSeconds, 1),
        row('  of these making the file', figures.finishingSeconds, 1),
        row('processor, s', figures.processorSeconds, 1),
        row('memory when idle, MiB', figures.idleMiB, 0),
        row('most above that, MiB', figures.peakOverIdleMiB, 0),
        row('most above idle of programs that it starts (ffmpeg), MiB', figures.childrenOverIdleMiB, 0),
        row('most above idle of all together, MiB', figures.togetherOverIdleMiB, 0),
      ],
      notes: [
        "Memory is the resident set of the gateway's process, engine included, looked at ten times a second.",
        'Programs that it starts (speech, ffmpeg) are looked at as often; what they share is counted for each.',
      ],
      figures,
      faults: [],
    };
  } finally {
    await gateway.close();
  }
}

export const job: Bench = {
  summary: 'a long text to a finished file: times real time, memory of the process',
  defaults: { characters: 20_000, seed: 1 },
  format: 'mp3',
  run,
};
