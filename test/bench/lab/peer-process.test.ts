// The servers that Voxgate is compared with: each must say the whole utterance, or the comparison means nothing.
import { describe, expect, it } from 'vitest';
import { type FakeUpstreamReady, startFakeUpstream, textOf } from '../../../bench/lab/fake-upstream.ts';
import { hasFfmpeg } from '../../../bench/lab/ffmpeg-yardstick.ts';
import { type PeerCost, type PeerReady, startPeerProcess } from '../../../bench/lab/peer-process.ts';
import { PEER_WAYS, type PeerName } from '../../../bench/lab/peer-ways.ts';
import { speakUntilHeard } from '../../../bench/lab/speak-until-heard.ts';
import { connectSession } from '../../../src/client/voxgate-client.ts';

const SECONDS = 1.2;
const FREE_OF_FFMPEG = ['relay, no transcoding', 'mpg123-decoder'];
const NAMES = (Object.keys(PEER_WAYS) as PeerName[]).filter(
  (name) => hasFfmpeg() || FREE_OF_FFMPEG.includes(name),
);

describe.runIf(process.platform === 'linux')('a peer of the bench', () => {
  it.concurrent.each(NAMES)('says all of an utterance: %s', async (way) => {
    const upstream = await startFakeUpstream({
      source: { sampleRate: 24_000, bitrateKbps: 64 },
      ttfbMs: [5, 10],
      headMs: 400,
      speed: 4,
      seed: 1,
    });
    const peer = await startPeerProcess({ way, upstreamUrl: (upstream.ready as FakeUpstreamReady).url });
    try {
      let bytes = 0;
      const client = await connectSession({
        url: (peer.ready as PeerReady).sessionUrl,
        onAudio: (frame) => {
          bytes += frame.length;
        },
      });
      await speakUntilHeard(client, { turn: 'one', text: textOf(SECONDS), seed: 1 });
      client.close();
      // Whole frames of 20 ms, 8 bytes a millisecond; decoders begin with some silence of their own.
      expect(bytes % 160).toBe(0);
      expect(bytes / 8000).toBeGreaterThan(SECONDS - 0.1);
      expect(bytes / 8000).toBeLessThan(SECONDS + 0.2);
      expect((peer.report() as PeerCost).failed).toBe(0);
    } finally {
      await peer.close();
      await upstream.close();
    }
  });

  it('counts what its programs cost, also when they have ended', async (context) => {
    if (!hasFfmpeg()) return context.skip();
    const upstream = await startFakeUpstream({
      source: { sampleRate: 24_000, bitrateKbps: 64 },
      ttfbMs: [0, 1],
      headMs: 2000,
      speed: 4,
      seed: 1,
    });
    const peer = await startPeerProcess({
      way: 'spawn, tuned',
      upstreamUrl: (upstream.ready as FakeUpstreamReady).url,
    });
    try {
      const before = (peer.report() as PeerCost).childrenMs;
      const client = await connectSession({ url: (peer.ready as PeerReady).sessionUrl });
      await speakUntilHeard(client, { turn: 'one', text: textOf(0.4), seed: 1 });
      client.close();
      expect((peer.report() as PeerCost).childrenMs).toBeGreaterThan(before);
    } finally {
      await peer.close();
      await upstream.close();
    }
  });
});
