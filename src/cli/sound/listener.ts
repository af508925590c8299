// Whoever sits at the terminal hears the turn through a player that is there; where there is none, that is said.

import type { Preset } from '../../dialects/native-messages.ts';
import type { Terminal } from '../command.ts';
import { findPlayer, PLAYERS } from './players.ts';
import { createSampleReader, PLAYED_FORMATS, type PlayedFormat } from './samples-of.ts';
import { startSoundPlayer } from './sound-player.ts';

export type Listener = {
  /** What the session is to send. */
  readonly settings: Preset;
  hear(audio: Uint8Array): void;
  /** Resolves when all has been heard, or nothing more will be. */
  finish(): Promise<void>;
  /** Of what it was given, ms. */
  playedMs(): number;
  /** At once. */
  stop(): void;
  /** Why nothing was heard; undefined: it was. */
  fault(): string | undefined;
};

/** As the engine makes it; a person does not listen through a telephone. */
const FORMAT: PlayedFormat = 'raw';
const SAMPLE_RATE = 24_000;
const PHONE_RATE = 8000;
/** A player of another program is started late and drawn from unevenly. */
const LEAD_MS = 500;

const isPlayed = (format: string): format is PlayedFormat =>
  (PLAYED_FORMATS as readonly string[]).includes(format);

/** Undefined where nothing can be heard, which has been said then. `settings`: of the session, as they were asked for. */
export function createListener(
  terminal: Pick<Terminal, 'complain' | 'env'>,
  settings: Preset,
): Listener | undefined {
  const { format = FORMAT } = settings;
  if (!isPlayed(format)) {
    terminal.complain(
      `${format} is not played here, so nothing is heard; allowed: ${PLAYED_FORMATS.join(', ')}, or --out with a file`,
    );
    return undefined;
  }
  const player = findPlayer(terminal.env.PATH);
  if (player === undefined) {
    const looked = PLAYERS.map(({ program }) => program).join(', ');
    terminal.complain(
      `No player was found (looked for ${looked}), so nothing is heard; install one, or keep the sound with --out hello.wav. With --no-play this is not said.`,
    );
    return undefined;
  }
  const sampleRate = settings.sampleRate ?? (/^[ma].*law$/.test(format) ? PHONE_RATE : SAMPLE_RATE);
  const samplesOf = createSampleReader(format);
  const sound = startSoundPlayer(player, sampleRate, terminal.env);
  return {
    settings: {
      ...settings,
      format,
      sampleRate,
      leadMs: LEAD_MS,
      // What is played from a file is not heard before it is whole.
      ...(player.takes === 'file' && { pace: 'burst' }),
    },
    hear: (audio) => sound.write(samplesOf(audio)),
    finish: () => sound.finish(),
    playedMs: () => Math.round(sound.playedMs()),
    stop: () => sound.stop(),
    fault: () => sound.fault(),
  };
}
