// A call on every kind of leg while the speech service breaks off in mid-speech and another one goes on: the recording at the platform holds
// every word, and what the bot is told was heard is what was recorded. In simulated time; speech of the embedded engine.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VOICES } from '../../src/engine/voices.ts';
import { audioSocketLeg } from '../../src/legs/audiosocket-leg.ts';
import { LEGS } from '../../src/legs/legs.ts';
import { CARRIERS } from '../../testkit/carriers/carriers.ts';
import { openVoices, type Voices } from '../support/breaking-service.ts';
import { decodedMp3 } from '../support/decoded-mp3.ts';
import { createFailingServices } from '../support/failing-services.ts';
import { startPhoneCall } from '../support/phone-call.ts';
import { recordingOf, wordsInRecording } from '../support/words-in-recording.ts';

const KINDS = [...LEGS, audioSocketLeg];
const TEXT = 'Please hold the line while I look for your name. There are three people before you.';
const ENGINE_RATE = 24_000;
/** A message, and what a leg fills it up with. */
const FILLED_MS = 60;

let voices: Voices;
beforeAll(async () => {
  voices = await openVoices();
}, 60_000);
afterAll(() => voices.close());

async function call(kind: string, breaksAtMs: number, cutMs?: number) {
  const carrier = CARRIERS[kind]!;
  const failing = createFailingServices({
    voices,
    first: { voice: VOICES[0]!.id },
    second: { voice: VOICES[5]!.id, gainDb: -6 },
  });
  const made = await startPhoneCall({
    services: failing.services,
    leg: KINDS.find((leg) => leg.kind === kind)!,
    side: carrier.side(),
    rules: carrier.rules,
  });
  const { live } = made;
  failing.startsAt(live.clock);
  failing.breaksAt(breaksAtMs);
  live.send({ type: 'speak', turn: 't', text: TEXT });
  if (cutMs !== undefined) {
    await failing.run(live, cutMs);
    live.send({ type: 'cancel', turn: 't' });
  }
  for (let s = 0; s < 30 && live.said('heard', 't').length === 0; s += 1) await failing.run(live, 500);
  await failing.run(live, 500);
  const [ended] = live.said('ended', 't');
  const [heard] = live.said('heard', 't');
  const recording = recordingOf(carrier.audio, made.carrier.playout.heard);
  const recordedMs = (recording.length * 1000) / carrier.audio.sampleRate;
  const parts = (ended!.servedBy ?? []).map(({ upstream, fromMs, toMs }) => {
    const request = failing.requests.find(({ by }) => by === upstream)!;
    const sound = decodedMp3(request.mp3);
    const { words } = request.truth();
    return { sound, soundRate: ENGINE_RATE, words, fromMs, toMs: Math.min(toMs, recordedMs) };
  });
  const counts = wordsInRecording(recording, carrier.audio.sampleRate, parts);
  const all = failing.requests[0]!.truth().words.map(({ beforeEnd }) => beforeEnd);
  return { made, ended: ended!, heard: heard!, recordedMs, counts, all };
}

describe.each(KINDS.map(({ kind }) => kind))(
  'a call on a leg of %s whose speech service breaks off',
  (kind) => {
    it('hears every word, and is told to have heard what was recorded', async () => {
      const { made, ended, heard, recordedMs, counts, all } = await call(kind, 1_700);
      expect(ended.servedBy?.map(({ upstream }) => upstream)).toEqual(['first', 'second']);
      expect(all.filter((word) => !counts.has(word))).toEqual([]);
      expect(heard).toMatchObject({ spokenText: TEXT, remainingText: '' });
      expect(Math.abs(heard.playedMs - recordedMs)).toBeLessThanOrEqual(FILLED_MS);
      expect([...made.carrier.faults, ...made.live.faults]).toEqual([]);
    }, 60_000);
  },
);
