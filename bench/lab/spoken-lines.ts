// Speech for a bench in which it matters what is said: sentences as an assistant on the phone says them, spoken by the
// embedded engine before anything is measured. A turn is made of some of them, so the fake upstream, which is given
// them too, can answer any turn with its own speech at no cost.

import { launchEmbeddedEngine } from '../../src/app/start.ts';
import { Mp3FrameParser } from '../../src/audio/mp3/mp3-frame-parser.ts';
import { silentLog } from '../../src/base/log.ts';
import type { SeededRandom } from './seeded-random.ts';

export type SpokenLine = {
  readonly text: string;
  /** A whole stream, base64: what is made here goes to another process as JSON. */
  readonly mp3: string;
  /** The same speech as µ-law at 8000 Hz. */
  readonly mulaw: string;
  readonly ms: number;
};

const TEXTS = [
  'Good morning, this is the harbour office.',
  'Thank you for waiting, and I am sorry that it took so long.',
  'The next ferry to Bergen leaves at a quarter to ten from pier three.',
  'Shall I keep two seats for you, or would you rather wait for the evening boat?',
  'I have found your booking, but the name on it is spelled differently.',
  'Could you please tell me the last four digits of your customer number?',
  'Your parcel was handed to a neighbour yesterday afternoon.',
  'We can send somebody to look at the heating on Thursday between nine and eleven.',
  'That is no trouble at all.',
  'The doctor has one appointment left this week, on Friday at half past eight.',
  'You will get a message with the address and a small map in a few minutes.',
  'Unfortunately the kitchen closes at ten, so a table at nine would be better.',
  'The invoice from March is still open, and a reminder was sent last week.',
  'If you press the green button for five seconds, the lamp should begin to blink.',
  'Please hold the line while I ask my colleague in the workshop.',
  'Your new card is on its way and should be with you by Wednesday.',
  'There are road works near the bridge, so please allow a little more time.',
  'Is there anything else that I can do for you today?',
  'The room has a view of the garden, and breakfast is included.',
  'We open again on Monday morning at eight.',
] as const;

const DEADLINE_MS = 10_000;

/** Sound in a constant-rate stream, from its frames. */
export function framesOf(mp3: Uint8Array): { readonly frames: Uint8Array[]; readonly frameMs: number } {
  const frames: Uint8Array[] = [];
  let frameMs = Number.NaN;
  const parser = new Mp3FrameParser({
    onFrame({ bytes, header }) {
      frames.push(bytes.slice());
      frameMs = (header.samplesPerFrame * 1000) / header.sampleRate;
    },
    onTag() {},
  });
  parser.push(mp3);
  parser.flush();
  return { frames, frameMs };
}

/** Rejects, saying what to install, where there is no embedded engine. */
export async function speakLines(seed: number, signal: AbortSignal): Promise<readonly SpokenLine[]> {
  const launched = launchEmbeddedEngine({ enginePerMinute: 0, logLevel: 'silent', log: silentLog });
  try {
    const engine = await launched.started;
    const lines: SpokenLine[] = [];
    for (const text of TEXTS) {
      const ask = async (sound: object) => {
        const answer = await fetch(`${engine.url}/api/v1/tts/stream`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${engine.key.apiKey}`,
            'x-user-id': engine.key.userId,
            'content-type': 'application/json',
          },
          body: JSON.stringify({ model: 'VoxDialog', text, voice: engine.femaleVoice, seed, ...sound }),
          signal: AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]),
        });
        if (!answer.ok) throw new Error(`the embedded engine answered ${answer.status}`);
        return Buffer.from(await answer.arrayBuffer());
      };
      const mp3 = await ask({});
      const mulaw = await ask({ outputFormat: 'mulaw', sampleRate: 8000 });
      const { frames, frameMs } = framesOf(mp3);
      const ms = frames.length * frameMs;
      lines.push({ text, mp3: mp3.toString('base64'), mulaw: mulaw.toString('base64'), ms });
    }
    return lines;
  } finally {
    await launched.close();
  }
}

/** So many of the lines, in a random order, that they take `seconds` or a little more. */
export function turnOf(lines: readonly SpokenLine[], seconds: number, random: SeededRandom): string {
  const texts: string[] = [];
  for (let ms = 0; ms < seconds * 1000; ) {
    const line = lines[Math.floor(random.share() * lines.length)]!;
    texts.push(line.text);
    ms += line.ms;
  }
  return texts.join(' ');
}

/** The lines that a text is made of, in order; undefined when there is anything else in it. */
export function linesOf<T extends { readonly text: string }>(
  text: string,
  lines: readonly T[],
): readonly T[] | undefined {
  const found: T[] = [];
  for (let rest = text.trim(); rest !== ''; ) {
    const line = lines.find((known) => rest.startsWith(known.text));
    if (line === undefined) return undefined;
    found.push(line);
    rest = rest.slice(line.text.length).trimStart();
  }
  return found;
}
