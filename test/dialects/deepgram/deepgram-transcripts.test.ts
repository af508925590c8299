// What LiveKit and pipecat say, at their own times, to the codec on a real session.
import { describe, expect, it } from 'vitest';
import { speechMp3 } from '../../support/codecs.ts';
import { readTranscript, replay, TRANSCRIPTS } from '../../support/deepgram-transcript.ts';
import { atOnce } from '../../support/memory-upstream.ts';
import { liveRig, type Version } from '../deepgram-rig.ts';

/** Twenty characters a second. */
const speech = (text: string) => speechMp3(Math.max(200, text.length * 50));

describe.each(TRANSCRIPTS)('%s on the codec', (name) => {
  it('is answered as it was', async () => {
    const transcript = readTranscript(name);
    const { pathname, search } = new URL(transcript.upgrade, 'http://gateway');
    const version = pathname.split('/')[1] as Version;
    const rig = liveRig(version, search.slice(1), { auto: atOnce(speech) });
    const startedAtMs = rig.live.clock.now();
    await replay(transcript, {
      async send(message, atMs) {
        await rig.live.run(Math.max(0, startedAtMs + atMs - rig.live.clock.now()));
        rig.send(message);
      },
      arrived: () =>
        rig.sent
          .map((each) => (each.kind === 'audio' ? ('audio' as const) : each.message))
          .filter((each, at, all) => each !== 'audio' || all[at - 1] !== 'audio'),
      closedWith: () => rig.closed[0],
      async until(isThere) {
        for (let ms = 0; !isThere(); ms += 20) {
          if (ms > 20_000) throw new Error(`nothing comes behind ${rig.order().join(' ')}`);
          await rig.live.run(20);
        }
      },
    });
    expect(rig.live.faults).toEqual([]);
    expect(rig.live.upstream.live).toEqual([]);
  });
});
