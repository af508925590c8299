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
/** What it holds back in its own buffers, beyond the length of the sound. */
const END_MS = 5000;

export type SoundPlayer = {
  readonly program: string;
  /** 16-bit samples. Never throws. */
  write(samples: Uint8Array): void;
  /** Resolves when all of it has been played, or it will not be. */
  finish(): Promise<void>;
  /** Not a sample more is heard. */
  stop(): void;
  /** Why it could not play; undefined: it could, or was stopped. */
  fault(): string | undefined;
};

export type PlayerEnv = Readonly<Record<string, string | undefined>>;

export function startSoundPlayer(player: FoundPlayer, sampleRate: number, env: PlayerEnv): SoundPlayer {
  return player.takes === 'pipe'
    ? playFromPipe(player, sampleRate, env)
    : playFromFile(player, sampleRate, env);
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

function playFromPipe(player: FoundPlayer, sampleRate: number, env: PlayerEnv): SoundPlayer {
  const playing = launch(player, player.args(sampleRate), env);
  const input = playing.child.stdin!;
  return {
    program: player.program,
    write(samples) {
      if (input.writableLength < MAX_WAITING_BYTES) return void input.write(samples);
      playing.failWith('it takes no sound');
      playing.stop();
    },
    async finish() {
      const waitingMs = lengthMs(input.writableLength, sampleRate);
      input.end();
      await untilOver(playing, waitingMs + END_MS);
    },
    stop: () => playing.stop(),
    fault: () => playing.fault(),
  };
}

function playFromFile(player: FoundPlayer, sampleRate: number, env: PlayerEnv): SoundPlayer {
  const sound: Uint8Array[] = [];
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
        playing = launch(player, [...player.args(sampleRate), file], env);
        await untilOver(playing, lengthMs(samples.length, sampleRate) + END_MS);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
    stop() {
      isStopped = true;
      playing?.stop();
    },
    fault: () => playing?.fault(),
  };
}
