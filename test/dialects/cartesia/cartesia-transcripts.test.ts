import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import { cartesiaDialect } from '../../../src/dialects/cartesia/cartesia-dialect.ts';
import { speechMp3 } from '../../support/codecs.ts';
import type { MemoryRequest } from '../../support/memory-upstream.ts';
import { soundOf, startLiveClient, upgradeTo } from '../cartesia-fixture.ts';
import {
  CARTESIA_TRANSCRIPTS,
  type CartesiaTranscript,
  faultsOf,
  firstOfEachKind,
} from '../cartesia-transcript.ts';

const MS_PER_CHARACTER = 50;

async function replay({ answers, acts }: CartesiaTranscript) {
  const speak = (request: MemoryRequest) => {
    request.send(speechMp3(answers === 'stalls' ? 2000 : request.body.text.length * MS_PER_CHARACTER));
    if (answers !== 'stalls') request.end();
  };
  const client = startLiveClient({
    auto(request) {
      if (answers === 429) request.fail(new AppError('upstream_rate_limited', 'Too many requests.'));
      else if (answers === 'later') client.live.clock.after(4000, () => speak(request));
      else speak(request);
    },
  });
  let nowMs = 0;
  for (const { atMs, message } of acts) {
    await client.run(atMs - nowMs);
    nowMs = atMs;
    if (message === undefined) client.live.session.close();
    else client.send(message);
  }
  const isGone = acts.at(-1)?.message === undefined;
  await (isGone ? client.live.run(12_000) : client.run(12_000));
  return client;
}

describe('cartesia transcripts on the codec', () => {
  it('are there of both clients', () => {
    const clients = new Set(CARTESIA_TRANSCRIPTS.map(({ name }) => name.split('-')[0]));
    expect(clients).toEqual(new Set(['livekit', 'pipecat']));
  });

  for (const transcript of CARTESIA_TRANSCRIPTS) {
    it(`${transcript.name} goes as it is written down`, async () => {
      const headers = Object.entries(transcript.upgrade.headers).map(([name, value]) => [name, [value]]);
      const entry = cartesiaDialect.enter(upgradeTo(transcript.upgrade.query, Object.fromEntries(headers)));
      expect(entry?.caller).toEqual({ apiKey: transcript.refuses === undefined ? 'KEY' : 'WRONG' });
      if (transcript.refuses !== undefined) return;
      const { messages, live } = await replay(transcript);
      expect(firstOfEachKind(messages)).toMatchObject(transcript.expected);
      expect(faultsOf(transcript, messages)).toEqual([]);
      expect([live.upstream.live, live.faults, live.clock.timers]).toEqual([[], [], 0]);
      for (const { context_id: id } of messages.filter(
        ({ type, cancelled }) => type === 'done' && !cancelled,
      )) {
        const said = transcript.acts.flatMap(({ message }) =>
          message !== undefined &&
          'transcript' in message &&
          'context_id' in message &&
          message.context_id === id
            ? [String(message.transcript)]
            : [],
        );
        // 24 kHz, two bytes a sample.
        const heardMs = soundOf(messages, id!).length / 48;
        expect(heardMs).toBeGreaterThanOrEqual(said.join('').trim().length * MS_PER_CHARACTER * 0.95);
      }
    });
  }
});
