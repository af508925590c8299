// A player that plays one turn: samples go in as they come, and it stops at once when it is told to.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wavHeader } from '../../audio/containers/wav.ts';
import type { FoundPlayer } from './players.ts';

/** An hour and a half of what is played; more would be a text that nobody listens to. */
const MAX_WAITING_BYTES = 256 * 1024 * 1024;
/** What it may say about its end. */
const MAX_WORDS = 300;
const BYTES_PER_SAMPLE = 2;
/** What it holds back in its own buffers, and its start, beyond the length of the sound. */
const END_MS = 5000;
/** By how much its clock may be slower than ours. */
const CLOCK_SHARE = 0.02;

export type SoundPlayer = {
  readonly program: string;
  /** 16-bit samples. Never throws. */
  write(samples: Uint8Array): void;
  /** Resolves when all of it has been played, or it will not be. */
  finish(): Promise<void>;
  /** How much of what it was given has been played by now, as far as can be told from outside, ms. */
  playedMs(): number;
  /** Not a sample more is heard. */
  stop(): void;
  /** Why it could not play; undefined: it could, or was stopped. */
  fault(): string | undefined;
};

export type PlayerEnv = Readonly<Record<string, string | undefined>>;

/** `nowMs` is a monotonic clock. */
export function startSoundPlayer(
  player: FoundPlayer,
  sampleRate: number,
  env: PlayerEnv,
  nowMs: () => number = () => performance.now(),
): SoundPlayer {
  return player.takes === 'pipe'
    ? playFromPipe(player, sampleRate, env, nowMs)
    : playFromFile(player, sampleRate, env, nowMs);
}

/** A player as a process: its end, what it said of it, and an end by force. */
function launch(player: FoundPlayer, args: readonly string[], env: PlayerEnv) {
  const child: ChildProcess = spawn(player.path, [...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: { ...env },
  });
  let words = '';
  let state: 'playing' | 'stopped' | 'over' = 'playing';
  let fault: string | undefined;
  const failWith = (reason: string) => {
    if (state === 'playing') fault = `${player.program} could not play: ${reason}`;
  };
  child.stderr?.on('data', (part: Buffer) => {
    words = (words + part.toString()).slice(-MAX_WORDS);
  });
  child.stdin?.on('error', () => {}); // its end tells why
  const over = new Promise<void>((resolve) => {
    child.once('error', ({ message }) => {
      failWith(message);
      state = 'over';
      resolve();
    });
    child.once('close', (code, signal) => {
      if (code !== 0) failWith(words.trim().split('\n').at(-1) || `it ended with ${code ?? signal}`);
      if (state === 'playing') state = 'over';
      resolve();
    });
  });
  return {
    child,
    over,
    failWith,
    fault: () => fault,
    stop() {
      if (state === 'playing') state = 'stopped';
      child.kill('SIGKILL'); // asked in a friendlier way, some play what they hold
    },
  };
}

/** Resolves after the end, or kills what hangs when that is long past. */
async function untilOver(playing: ReturnType<typeof launch>, withinMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      playing.failWith('it did not end');
      playing.stop();
      resolve();
    }, withinMs);
  });
  await Promise.race([playing.over, late]);
  clearTimeout(timer);
}

const lengthMs = (bytes: number, sampleRate: number) => (bytes / BYTES_PER_SAMPLE / sampleRate) * 1000;

function playFromPipe(
  player: FoundPlayer,
  sampleRate: number,
  env: PlayerEnv,
  nowMs: () => number,
): SoundPlayer {
  const playing = launch(player, player.args(sampleRate), env);
  const input = playing.child.stdin!;
  /** When all that it was given so far has been played, if it plays each piece as soon as it can: it may take all at once. */
  let playsUntilMs = 0;
  let givenMs = 0;
  return {
    program: player.program,
    write(samples) {
      const ms = lengthMs(samples.length, sampleRate);
      givenMs += ms;
      playsUntilMs = Math.max(playsUntilMs, nowMs()) + ms;
      if (input.writableLength < MAX_WAITING_BYTES) return void input.write(samples);
      playing.failWith('it takes no sound');
      playing.stop();
    },
    async finish() {
      input.end();
      const leftMs = Math.max(0, playsUntilMs - nowMs());
      await untilOver(playing, leftMs + givenMs * CLOCK_SHARE + END_MS);
    },
    playedMs: () => givenMs - Math.max(0, playsUntilMs - nowMs()),
    stop: () => playing.stop(),
    fault: () => playing.fault(),
  };
}

function playFromFile(
  player: FoundPlayer,
  sampleRate: number,
  env: PlayerEnv,
  nowMs: () => number,
): SoundPlayer {
  const sound: Uint8Array[] = [];
  let totalMs = 0;
  let beganAtMs: number | undefined;
  let playing: ReturnType<typeof launch> | undefined;
  let isStopped = false;
  return {
    program: player.program,
    write: (samples) => void sound.push(samples),
    async finish() {
      if (isStopped) return;
      const samples = Buffer.concat(sound);
      const folder = mkdtempSync(join(tmpdir(), 'voxgate-play-'));
      try {
        const file = join(folder, 'speech.wav');
        const header = wavHeader({ sampleRate, channels: 1, dataBytes: samples.length });
        writeFileSync(file, Buffer.concat([header, samples]));
        totalMs = lengthMs(samples.length, sampleRate);
        beganAtMs = nowMs();
        playing = launch(player, [...player.args(sampleRate), file], env);
        await untilOver(playing, totalMs * (1 + CLOCK_SHARE) + END_MS);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    playedMs: () => (beganAtMs === undefined ? 0 : Math.min(totalMs, nowMs() - beganAtMs)),
    stop() {
      isStopped = true;
      playing?.stop();
    },
    fault: () => playing?.fault(),
  };
}
