// A client that stops reading: noticed, bounded, closed, and felt by nobody else. Heartbeat and deadlines are set to
// their least values here; the real ones differ in size only, and their sum is checked.
import { describe, expect, it } from 'vitest';
import { frame, OPCODE, openRawSession, type RawSession } from '../support/raw-session.ts';
import {
  type RunningGateway,
  type RunningGatewayOptions,
  readMetric,
  speaking,
  spoken,
  startRunningGateway,
} from '../support/running-gateway.ts';
import { audio } from '../support/scripted-upstream.ts';
import type { SessionProbe } from '../support/session-probe.ts';
import { accepted } from '../support/settings.ts';

const MIB = 1024 * 1024;
/** Nearly four minutes of speech, which no kernel hides: 21 MB as PCM at 48 kHz. */
const LONG_STORY = 'And then they went on, up the long hill and down again to the sea. '.repeat(65);
const MINUTE_AND_A_HALF = LONG_STORY.slice(0, 1800);
/** Sweeps come once a second, and two deadlines may each have to wait for theirs. */
const SWEEPS_MS = 2000;
/** The neighbour has so much in hand, and is late when half of it is gone: what a stalled client must never cost. */
const LEAD_MS = 2000;
const LATE_MS = LEAD_MS / 2;
/** Nothing here takes so long; a test machine may have much else to do. */
const PATIENCE_MS = 40_000;

/** The tests mostly wait, so they do it together, each with a gateway of its own. */
async function withGateway(options: RunningGatewayOptions, test: (gateway: RunningGateway) => Promise<void>) {
  const gateway = await startRunningGateway(options);
  try {
    await test(gateway);
  } finally {
    await gateway.close();
  }
}

/** A client that has a turn played to it and reads nothing of it. */
async function stall({ port }: RunningGateway, query: string, text = LONG_STORY): Promise<RawSession> {
  const session = await openRawSession(port, { target: `/v1/session?${query}` });
  session.write(frame(OPCODE.text, JSON.stringify({ type: 'speak', turn: 's', text })));
  await session.message('started');
  session.socket.pause();
  return session;
}

/** A client that hears its turn in real time. */
async function speakBeside(gateway: RunningGateway): Promise<SessionProbe> {
  // The first turn of a gateway, while others start beside it, may be late by itself.
  const first = await gateway.session('pace=burst');
  await first.speaks('first');
  first.terminate();
  const neighbour = await gateway.session(`leadMs=${LEAD_MS}`);
  neighbour.send({ type: 'speak', turn: 'n', text: 'In peace.' });
  await neighbour.nextAudio();
  return neighbour;
}

type Watched = { readonly mostBytes: number; readonly scrape: string };

/** Waits until no session but these `neighbours` is left; answers with the most that was held meanwhile. */
async function watch(gateway: RunningGateway, neighbours: number): Promise<Watched> {
  for (let mostBytes = 0; ; ) {
    const scrape = await gateway.scrape();
    mostBytes = Math.max(mostBytes, readMetric(scrape, 'voxgate_buffered_bytes'));
    if (readMetric(scrape, 'voxgate_sessions') === neighbours) return { mostBytes, scrape };
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function expectUndisturbed(neighbour: SessionProbe) {
  expect(neighbour.events('underrun')).toEqual([]);
  const frames = neighbour.arrivals.flatMap((each) => (each.kind === 'audio' ? [each.atMs] : []));
  expect(frames.length).toBeGreaterThan(100);
  // The first frames come at once, up to the lead; from then on each is due when its time has come, less the lead.
  const lateMs = frames.map((atMs, index) => atMs - frames[0]! - Math.max(0, index * 20 - LEAD_MS));
  expect(Math.max(...lateMs)).toBeLessThan(LATE_MS);
}

/** A turn that comes first, the neighbour's, and then whatever is asked for. */
const STORIES = [audio(spoken(2)), audio(spoken(2)), speaking];
const IMPATIENT = { VOXGATE_HEARTBEAT_MS: '1000', VOXGATE_PONG_TIMEOUT_MS: '1000' };

describe('a client that stops reading beside one that does not', { timeout: PATIENCE_MS }, () => {
  it('in burst, at 48 kHz: held back at once, closed as slow_reader after the drain deadline', async () => {
    await withGateway({ script: STORIES, env: { VOXGATE_DRAIN_DEADLINE_MS: '1000' } }, async (gateway) => {
      const neighbour = await speakBeside(gateway);
      const stalled = await stall(gateway, 'format=raw&sampleRate=48000&pace=burst');
      const { mostBytes, scrape } = await watch(gateway, 1);
      expect(mostBytes).toBeLessThan(MIB);
      expect(scrape).toContain('voxgate_ws_closes_total{code="4508"} 1');
      stalled.socket.destroy();
      await neighbour.ended('n');
      expectUndisturbed(neighbour);
    });
  });

  it('in real time, so that the kernel hides it: noticed by the heartbeat', async () => {
    await withGateway({ script: STORIES, env: IMPATIENT }, async (gateway) => {
      const neighbour = await speakBeside(gateway);
      const stalled = await stall(gateway, 'format=mulaw');
      const { mostBytes, scrape } = await watch(gateway, 1);
      expect(scrape).toContain('voxgate_ws_closes_total{code="4508"} 1');
      expect(mostBytes).toBeLessThan(MIB);
      stalled.socket.destroy();
      await neighbour.ended('n');
      expectUndisturbed(neighbour);
    });
  });
});

describe.concurrent('a client that stops reading', { timeout: PATIENCE_MS }, () => {
  it('and sends pongs by a timer, unasked: ended all the same', async ({ expect }) => {
    await withGateway({ env: IMPATIENT }, async (gateway) => {
      const stalled = await openRawSession(gateway.port);
      stalled.socket.pause();
      const timer = setInterval(() => stalled.write(frame(OPCODE.pong, '')), 50);
      const { scrape } = await watch(gateway, 0);
      clearInterval(timer);
      expect(scrape).toContain('voxgate_ws_closes_total{code="1006"} 1');
      stalled.socket.destroy();
    });
  });

  it('for a moment, with a small bound on what may wait: held back, not closed', async ({ expect }) => {
    await withGateway({ script: speaking, env: { VOXGATE_MAX_BUFFERED_BYTES: '16384' } }, async (gateway) => {
      const stalled = await stall(gateway, 'format=raw&sampleRate=48000&pace=burst', MINUTE_AND_A_HALF);
      await new Promise((resolve) => setTimeout(resolve, 2200));
      stalled.socket.resume();
      expect(await stalled.message('ended')).toMatchObject({ outcome: 'complete' });
      stalled.socket.destroy();
    });
  });

  it('with the settings as they come, is gone within 35 s whichever way it is noticed', ({ expect }) => {
    const { heartbeatMs, pongTimeoutMs, drainDeadlineMs, maxBufferedBytes } = accepted({}).config;
    expect(heartbeatMs + pongTimeoutMs + SWEEPS_MS).toBeLessThanOrEqual(35_000);
    expect(drainDeadlineMs + SWEEPS_MS + 3000).toBeLessThanOrEqual(35_000);
    expect(maxBufferedBytes).toBeLessThanOrEqual(MIB);
  });
});
