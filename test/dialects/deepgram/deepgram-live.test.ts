// Both codecs on a real session with a fake clock: where they lean on what the session does by itself.
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/base/app-error.ts';
import { speechMp3 } from '../../support/codecs.ts';
import { atOnce } from '../../support/memory-upstream.ts';
import { CLEAR, CLOSE, FLUSH, interruptAt, liveRig, type Sent, speak } from '../deepgram-rig.ts';

const answering = (ms: number) => ({ auto: atOnce(() => speechMp3(ms)) });
const bytesOf = (sent: readonly Sent[]) =>
  sent.reduce((sum, each) => sum + (each.kind === 'audio' ? each.bytes.length : 0), 0);
const codes = (rig: ReturnType<typeof liveRig>) => rig.messages('Warning').map((message) => message.code);

describe('a speech whose text pauses for half a minute', () => {
  it('is flushed once on /v1/speak, when the rest has been spoken too', async () => {
    const rig = liveRig('v1', 'encoding=mulaw', answering(500));
    rig.send(speak('Let me look that up. '));
    await rig.live.run(30_000);
    expect(rig.order()).toEqual(['Metadata', 'audio']);
    const first = bytesOf(rig.sent);
    rig.send(speak('Here it is.'), FLUSH);
    await rig.live.run(5000);
    expect(rig.order()).toEqual(['Metadata', 'audio', 'Flushed']);
    expect(bytesOf(rig.sent)).toBe(2 * first);
  });

  it('is one speech on /v2/speak, also in what was heard of it', async () => {
    const rig = liveRig('v2', 'model=anna&encoding=mulaw&voxgate_lead_ms=200', answering(2000));
    rig.send(speak('Let me look that up. '));
    await rig.live.run(30_000);
    rig.send(speak('Here it is, my dear.'));
    await rig.live.run(2200);
    const [sentMs] = [bytesOf(rig.sent) / 8];
    rig.send(interruptAt(Math.round(sentMs - 200)));
    const [report] = rig.messages('SpeechInterrupted');
    expect(rig.order().filter((type) => type !== 'Warning')).toEqual([
      ...['Connected', 'SpeechStarted', 'audio', 'SpeechInterrupted'],
    ]);
    expect(`${String(report!.text_spoken)}${String(report!.text_remaining)}`).toBe(
      'Let me look that up. Here it is, my dear.',
    );
    expect(String(report!.text_spoken)).toMatch(/^Let me look that up\. Here/);
    expect(report!.text_remaining).not.toBe('');
  });

  it('loses nothing that comes while the session is still speaking what it took to be all', async () => {
    const rig = liveRig('v1', 'encoding=mulaw', answering(25_000));
    rig.send(speak('One two three. '));
    await rig.live.run(22_000);
    rig.send(speak('Four five six.'), FLUSH);
    await rig.live.run(60_000);
    expect(rig.live.upstream.requests.map(({ body }) => body.text.trim())).toEqual([
      'One two three.',
      'Four five six.',
    ]);
    expect(rig.messages('Error')).toEqual([]);
    expect(rig.messages('Flushed')).toHaveLength(1);
    expect(bytesOf(rig.sent) / 8).toBeGreaterThan(49_000);
  });
});

describe('a greeting', () => {
  it('is a speech of its own on /v2/speak, before those of the client', async () => {
    const rig = liveRig('v2', 'model=anna&encoding=mulaw', answering(500));
    rig.live.session.handle({ type: 'speak', turn: 'greeting', text: 'Welcome.' });
    rig.send(speak('One.'), FLUSH);
    await rig.live.run(3000);
    expect(rig.order().slice(1)).toEqual([
      ...['SpeechStarted', 'audio', 'SpeechMetadata'],
      ...['SpeechStarted', 'audio', 'Flushed', 'SpeechMetadata'],
    ]);
    expect(codes(rig)).toEqual([]);
  });

  it('is cleared like any other on /v1/speak', async () => {
    const rig = liveRig('v1', 'encoding=mulaw', answering(5000));
    rig.live.session.handle({ type: 'speak', turn: 'greeting', text: 'Welcome.' });
    await rig.live.run(500);
    rig.send(CLEAR);
    const at = rig.sent.length;
    await rig.live.run(3000);
    expect(rig.order()).toEqual(['Metadata', 'audio', 'Cleared']);
    expect(rig.sent).toHaveLength(at);
  });
});

describe('text that holds nothing to say', () => {
  it('is a short silence, so that no client takes it for a failure', async () => {
    const rig = liveRig('v1', 'encoding=linear16');
    rig.send(speak(' 😀 … '), FLUSH);
    await rig.live.run(1000);
    expect(rig.order()).toEqual(['Metadata', 'audio', 'Flushed']);
    expect(bytesOf(rig.sent) % 2).toBe(0);
  });
});

describe('a speech service that fails', () => {
  it('costs one speech, and the next is whole', async () => {
    const rig = liveRig('v2', 'model=anna&encoding=mulaw', {
      auto(request) {
        if (request.body.text.includes('One'))
          return request.fail(new AppError('upstream_rate_limited', 'Too many.'));
        request.send(speechMp3(300));
        request.end();
      },
    });
    rig.send(speak('One.'), FLUSH, speak('Two.'), FLUSH);
    await rig.live.run(3000);
    expect(rig.order().slice(1)).toEqual([
      ...['Error', 'SpeechStarted', 'Flushed', 'SpeechMetadata'],
      ...['SpeechStarted', 'audio', 'Flushed', 'SpeechMetadata'],
    ]);
    expect(rig.messages('Error')).toMatchObject([{ voxgate_code: 'upstream_rate_limited', retryable: true }]);
  });
});

describe('pacing', () => {
  it('stays two seconds ahead of the listener, and says Flushed and closes when the last of it is sent', async () => {
    const rig = liveRig('v1', 'encoding=mulaw', answering(6000));
    rig.send(speak('One two three.'), FLUSH, CLOSE);
    await rig.live.run(1000);
    const aheadMs = bytesOf(rig.sent) / 8 - 1000;
    expect(aheadMs).toBeGreaterThan(1800);
    expect(aheadMs).toBeLessThanOrEqual(2100);
    expect(rig.closed).toEqual([]);
    await rig.live.run(4000);
    expect([rig.order().at(-1), rig.closed]).toEqual(['Flushed', [1000]]);
  });
});
