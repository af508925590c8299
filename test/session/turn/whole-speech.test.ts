// Speech that breaks or is in doubt, through a whole session, with what keeps it whole in earnest.
import { describe, expect, it } from 'vitest';
import { createSpeechRecovery } from '../../../src/pipeline/whole-body/speech-recovery.ts';
import { createMemoryPhraseStore } from '../../../src/storage/memory-phrase-store.ts';
import { answer } from '../../support/body-faults.ts';
import { mp3Facts, speechMp3 } from '../../support/codecs.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { startSession } from '../../support/live-session.ts';

const TEXT = 'Good morning, and thank you for calling us today.';
const BODY = speechMp3(3000);
/** Where a whole frame ends, about so far into the body. */
const frameEnd = (share: number) => {
  const { frames } = mp3Facts(BODY);
  return frames.slice(0, Math.floor(frames.length * share)).reduce((sum, { bytes }) => sum + bytes.length, 0);
};

/** What is heard of the text when nothing happens to its body. */
async function undisturbed(): Promise<Uint8Array> {
  const live = startSession({ auto: (request) => answer(request, BODY) });
  live.send({ type: 'speak', turn: 'a', text: TEXT });
  await live.run(6000);
  return live.audioOf('a');
}

describe('a session', () => {
  it('sees that a body stalls, and plays on from another one with no gap', async () => {
    const kinds: string[] = [];
    const recovery = createSpeechRecovery({ onResume: (kind) => kinds.push(kind) });
    const live = startSession({
      recovery,
      auto: (request) => {
        const isFirst = live.upstream.requests.length === 1;
        answer(request, BODY, isFirst ? { fault: { atByte: 14_000, how: 'stall' } } : {});
      },
    });
    live.send({ type: 'speak', turn: 'a', text: TEXT });
    await live.run(400);
    expect(live.upstream.requests).toHaveLength(1);
    await live.run(6000);
    expect(live.upstream.requests.map(({ state }) => state)).toEqual(['aborted', 'ended']);
    expect(kinds).toEqual(['exact']);
    expect(live.said('ended')).toMatchObject([{ outcome: 'complete', requests: 2, resumes: 1 }]);
    expect(live.said('underrun')).toEqual([]);
    expect(Buffer.compare(live.audioOf('a'), await undisturbed())).toBe(0);
  });

  it('asks once more for a body that ends far too soon', async () => {
    const doubts: string[] = [];
    const kinds: string[] = [];
    const recovery = createSpeechRecovery({
      onDoubt: (doubt) => doubts.push(doubt),
      onResume: (kind) => kinds.push(kind),
    });
    const live = startSession({
      recovery,
      auto: (request) => {
        const isFirst = live.upstream.requests.length === 1;
        answer(request, BODY, isFirst ? { fault: { atByte: frameEnd(0.1), how: 'end' } } : {});
      },
    });
    live.send({ type: 'speak', turn: 'a', text: TEXT });
    await live.run(6000);
    expect([doubts, kinds]).toEqual([['breaks-off'], ['regenerated']]);
    expect(live.said('ended')).toMatchObject([{ outcome: 'complete', requests: 2, resumes: 1 }]);
    expect(Buffer.compare(live.audioOf('a'), await undisturbed())).toBe(0);
  });

  it('replaces a kept phrase that it has come to doubt: the third play asks for nothing', async () => {
    const recovery = { ...createSpeechRecovery(), soundOfEnd: () => undefined };
    let length: 'short' | 'whole' = 'short';
    const live = startSession({
      recovery,
      // What is learned of a voice is learned from bodies that were proved to be whole.
      upstreamOf: (upstream) => ({
        async open(request, options) {
          const body = await upstream.open(request, options);
          return length === 'short' ? body : { ...body, toldLength: { bytes: () => BODY.length } };
        },
      }),
      phrases: createMemoryPhraseStore(8e6, createFakeClock()),
      preset: { cache: 'on', seed: 1 },
      auto: (request) =>
        answer(request, BODY, length === 'short' ? { fault: { atByte: frameEnd(0.35), how: 'end' } } : {}),
    });
    const requestsOf = async (turn: string, text: string) => {
      live.send({ type: 'speak', turn, text });
      await live.run(6000);
      return live.said('ended', turn)[0]!.requests;
    };
    const phrase = 'Alpha bravo charlie delta echo foxtrot';
    expect(await requestsOf('first', phrase)).toBe(1);
    length = 'whole';
    // Other texts show how slowly this voice speaks.
    for (let n = 0; n < 14; n++)
      await requestsOf(`other ${n}`, `Number ${'abcdefghijklmn'[n]} papa quebec romeo`);
    expect(await requestsOf('second', phrase)).toBe(1);
    expect(await requestsOf('third', phrase)).toBe(0);
    expect(live.said('ended', 'third')).toMatchObject([{ outcome: 'complete', cached: true }]);
  });
});
