import { describe, expect, it } from 'vitest';
import { speechMp3 } from '../../support/codecs.ts';
import { elevenLabsSession, type Got } from '../../support/elevenlabs-rig.ts';
import {
  ELEVENLABS_TRANSCRIPTS,
  type ElevenLabsTranscript,
  faultsOf,
  matches,
  readTranscript,
} from '../../support/elevenlabs-transcript.ts';
import { atOnce } from '../../support/memory-upstream.ts';

const MS_PER_CHARACTER = 50;
const PATIENCE_MS = 20_000;

/** Plays it to its end and answers with all that came; fails at the first line that does not. */
async function play(name: ElevenLabsTranscript): Promise<readonly Got[]> {
  const [first, ...lines] = readTranscript(name);
  if (first === undefined || !('upgrade' in first)) throw new Error('a transcript begins with an upgrade');
  const rig = elevenLabsSession(
    { path: first.upgrade.path, query: first.upgrade.query },
    atOnce((text) => speechMp3(text.length * MS_PER_CHARACTER)),
  );
  const openedAtMs = rig.live.clock.now();
  let seen = 0;
  const comes = async (what: string, has: () => boolean) => {
    for (let ms = 0; !has(); ms += 20) {
      if (ms > PATIENCE_MS) throw new Error(`${what} did not come`);
      await rig.run(20);
    }
  };
  for (const line of lines) {
    if ('atMs' in line && 'message' in line) {
      await rig.run(Math.max(0, openedAtMs + line.atMs - rig.live.clock.now()));
      rig.send(line.message);
    } else if ('closes' in line) await comes(`close ${line.closes}`, () => rig.closed?.code === line.closes);
    else if ('message' in line) {
      await comes(JSON.stringify(line.message), () => {
        const at = rig.got.findIndex(({ message }, index) => index >= seen && matches(line.message, message));
        if (at >= 0) seen = at + 1;
        return at >= 0;
      });
    }
  }
  expect(rig.live.faults).toEqual([]);
  return rig.got;
}

const BYTES_PER_MS: Record<ElevenLabsTranscript, number> = {
  livekit: 32,
  pipecat: 48,
  'pipecat-dialogue': 48,
  'stream-input': 8,
};

describe('a conversation in an ElevenLabs protocol', () => {
  it.each(ELEVENLABS_TRANSCRIPTS)('goes as it was written down: %s', async (name) => {
    const got = await play(name);
    expect(
      faultsOf(
        got.map(({ message }) => message),
        BYTES_PER_MS[name],
      ),
    ).toEqual([]);
  });
});
