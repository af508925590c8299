// Clients that read at a fraction of real time, in each format: one that is too slow is told so, its turn ends as what it
// is, and no more is told as heard than it has read; one that is fast enough gets all of it.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SESSION_FORMATS } from '../../src/speech/audio-format.ts';
import { type RunningGateway, speaking, startRunningGateway } from '../support/running-gateway.ts';
import { openProbe, type SessionProbe } from '../support/session-probe.ts';
import { startSlowLine } from '../support/slow-line.ts';

/** Of which the one at 80 % is behind by as much as it may be when it has had 6 s. */
const DRAIN_MS = 1000;
const LEAD_MS = 200;
/** 14 s of speech. */
const TEXT = 'And then they went on, up the long hill and down again to the sea. '.repeat(4);
const PATIENCE_MS = 120_000;
const WAYS = [
  ...SESSION_FORMATS.map((format) => `format=${format}`),
  'format=raw&sampleRate=48000',
  'audio=base64',
];

let gateway: RunningGateway;
beforeAll(async () => {
  gateway = await startRunningGateway({
    script: speaking,
    env: { VOXGATE_DRAIN_DEADLINE_MS: `${DRAIN_MS}`, VOXGATE_HEARTBEAT_MS: '1000' },
  });
});
afterAll(() => gateway.close());

async function listen(query: string, bytesPerMs: number) {
  const line = await startSlowLine(gateway.port, bytesPerMs);
  const probe = await openProbe(`ws://127.0.0.1:${line.port}/v1/session?${query}&leadMs=${LEAD_MS}`);
  const beforeBytes = line.readBytes();
  probe.send({ type: 'speak', turn: 't', text: TEXT });
  return { probe, line, turnBytes: () => line.readBytes() - beforeBytes };
}
const soundOf = (probe: SessionProbe): number =>
  probe.arrivals.reduce(
    (sum, each) =>
      sum +
      (each.kind === 'audio' ? each.bytes.length : each.event.type === 'audio' ? each.event.data.length : 0),
    0,
  );
const orderOf = (probe: SessionProbe): string[] =>
  probe.arrivals.flatMap((each) =>
    each.kind === 'event' && each.event.type !== 'audio' ? [each.event.type] : [],
  );

/** What a client that reads at once gets: bytes a millisecond of sound, and all of the sound. */
async function measure(query: string) {
  const { probe, line, turnBytes } = await listen(`${query}&pace=burst`, Number.POSITIVE_INFINITY);
  const { sentMs } = await probe.ended('t');
  const measured = { bytesPerMs: turnBytes() / sentMs, sound: soundOf(probe) };
  probe.terminate();
  await line.close();
  return measured;
}
type Whole = Awaited<ReturnType<typeof measure>>;

async function expectTooSlow(query: string, pace: number, { bytesPerMs, sound }: Whole): Promise<void> {
  const { probe, line } = await listen(query, pace * bytesPerMs);
  expect(await probe.closed).toEqual({ code: 4508, reason: 'slow_reader' });
  expect(orderOf(probe).slice(-4)).toEqual(['error', 'error', 'ended', 'heard']);
  expect(probe.events('error')).toMatchObject([
    { code: 'slow_reader', scope: 'session' },
    { code: 'slow_reader', scope: 'turn', turn: 't' },
  ]);
  const [ended] = probe.events('ended');
  expect(ended).toMatchObject({ turn: 't', outcome: 'truncated' });
  const [heard] = probe.events('heard');
  expect(heard!.remainingText).not.toBe('');
  // What it had read when it was told, and not what had been sent by then.
  expect(heard!.playedMs).toBeLessThanOrEqual(pace * ended!.sentMs + LEAD_MS);
  expect(soundOf(probe)).toBeLessThan(sound);
  await line.close();
}

async function expectWhole(query: string, pace: number, { bytesPerMs, sound }: Whole): Promise<void> {
  const { probe, line } = await listen(query, pace * bytesPerMs);
  expect(await probe.ended('t')).toMatchObject({ outcome: 'complete' });
  expect(await probe.event('heard')).toMatchObject({ remainingText: '' });
  expect(probe.events('error')).toEqual([]);
  expect(soundOf(probe)).toBe(sound);
  probe.terminate();
  await line.close();
}

describe.concurrent('readers at a quarter, a half, four fifths and six fifths of real time', () => {
  it.each(WAYS)(
    'are told that they are too slow, or get all of it, with %s',
    { timeout: PATIENCE_MS },
    async (query) => {
      const whole = await measure(query);
      await Promise.all([
        ...[0.25, 0.5, 0.8].map((pace) => expectTooSlow(query, pace, whole)),
        expectWhole(query, 1.2, whole),
      ]);
    },
  );
});
