// What keys at their limit cost a caller: from `speak` to the first frame, when the service refuses all keys of a pool that
// are asked before the last ones. Each measured turn has a gateway of its own, for the second turn would know which keys
// are held; it has spoken before, so that it is no cold program that is measured.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadMp3Encoders } from '../src/audio/mp3/mp3-encoder.ts';
import { connectSession } from '../src/client/voxgate-client.ts';
import type { Bench, BenchResult, BenchRun } from './bench.ts';
import { openGateway } from './lab/lab.ts';
import { monotonicMs } from './lab/monotonic.ts';
import { SPREAD_COLUMNS, spreadOf, spreadRow } from './lab/spread.ts';
import { makeVoiceLikeMp3 } from './lab/voice-like-mp3.ts';

const KEYS = ['a', 'b', 'c', 'd', 'e', 'f'];
const LIMITED = [0, 1, 3, 5];
const FIRST_BYTE_MS = 30;
const SPEECH_SECONDS = 2;
const WARM_UP_TURNS = 12;

type LimitedService = {
  readonly url: string;
  /** From now on it refuses the first so many keys that ask, until it is told otherwise. */
  refuse(keys: number): void;
  /** Requests that it has refused. */
  refusals(): number;
  close(): void;
};

async function startLimitedService(seed: number): Promise<LimitedService> {
  const source = { sampleRate: 24_000, bitrateKbps: 64 } as const;
  const { frames } = makeVoiceLikeMp3(await loadMp3Encoders(), source, SPEECH_SECONDS, seed);
  const speech = Buffer.concat(frames);
  const limited = new Set<string>();
  let most = 0;
  let refusals = 0;
  const server = createServer((request, reply) => {
    const key = String(request.headers['x-user-id']);
    request.resume();
    request.on('end', () => {
      if (limited.size < most) limited.add(key);
      if (limited.has(key)) {
        refusals += 1;
        reply.writeHead(429, { 'content-type': 'application/json', 'retry-after': '60' });
        reply.end('{"errorId":"RATE_LIMIT","errorMessage":"over the limit"}');
        return;
      }
      setTimeout(() => {
        reply.writeHead(200, { 'content-type': 'audio/mpeg' });
        reply.end(speech);
      }, FIRST_BYTE_MS);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    refuse(keys) {
      limited.clear();
      most = keys;
    },
    refusals: () => refusals,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

type Measured = { readonly firstFrameMs: number; readonly outcome: string };

async function measureTurn(service: LimitedService, limited: number, seed: number): Promise<Measured> {
  const keys = KEYS.map((key) => `${key}:sk-${key}@600`).join(',');
  service.refuse(0);
  const gateway = await openGateway({ seed }, ['--upstream-url', service.url, '--upstream-keys', keys]);
  try {
    let onFrame = () => {};
    const client = await connectSession({
      url: `${gateway.sessionUrl}?format=mulaw&sampleRate=8000&pace=burst`,
      onAudio: () => onFrame(),
    });
    const speak = async (turn: string): Promise<Measured> => {
      let firstFrameMs = Number.NaN;
      const fromMs = monotonicMs();
      onFrame = () => {
        firstFrameMs = monotonicMs() - fromMs;
        onFrame = () => {};
      };
      const ended = client.next('ended', (event) => event.turn === turn);
      client.send({ type: 'speak', turn, text: 'Hello there, this is a turn.', seed });
      const { outcome } = await ended;
      return { firstFrameMs, outcome };
    };
    for (let n = 0; n < WARM_UP_TURNS; n += 1) await speak(`warm-${n}`);
    service.refuse(limited);
    const measured = await speak('measured');
    client.close();
    return measured;
  } finally {
    await gateway.close();
  }
}

async function run({ numbers, progress, signal }: BenchRun): Promise<BenchResult> {
  const service = await startLimitedService(numbers.seed);
  const times = new Map<number, number[]>(LIMITED.map((limited) => [limited, []]));
  const faults: string[] = [];
  let refusalsWanted = 0;
  try {
    // In turn, so that what else the machine does is shared alike.
    for (let sample = 0; sample < numbers.samples; sample += 1) {
      for (const limited of LIMITED) {
        signal.throwIfAborted();
        progress(`limited-keys: turn ${sample + 1} of ${numbers.samples}, ${limited} keys at their limit`);
        const { firstFrameMs, outcome } = await measureTurn(service, limited, numbers.seed + sample);
        times.get(limited)!.push(firstFrameMs);
        refusalsWanted += limited;
        if (outcome !== 'complete') faults.push(`a turn with ${limited} keys at their limit was ${outcome}`);
      }
    }
  } finally {
    service.close();
  }
  const spreads = LIMITED.map((limited) => ({ limited, spread: spreadOf(times.get(limited)!) }));
  const noneMs = spreads[0]!.spread.p50;
  return {
    title: `limited-keys: first frame of a turn, keys of ${KEYS.length} that the service refuses`,
    columns: SPREAD_COLUMNS,
    rows: spreads.map(({ limited, spread }) =>
      spreadRow(`${limited} of ${KEYS.length} at their limit`, spread),
    ),
    notes: [
      `The median is later by ${spreads
        .slice(1)
        .map(({ limited, spread }) => `${(spread.p50 - noneMs).toFixed(1)} ms with ${limited}`)
        .join(', ')}; the service takes ${FIRST_BYTE_MS} ms to its first byte.`,
      `${service.refusals()} requests were refused; ${refusalsWanted} is one for each such key and turn.`,
    ],
    figures: Object.fromEntries(
      spreads.flatMap(({ limited, spread }) => [
        [`limited${limited}P50Ms`, spread.p50],
        [`limited${limited}LaterMs`, spread.p50 - noneMs],
      ]),
    ),
    faults,
  };
}

export const limitedKeys: Bench = {
  summary: 'keys at their limit: how much later a turn is heard when others are refused first',
  defaults: { samples: 50, seed: 1 },
  needs: 'minutes',
  run,
};
