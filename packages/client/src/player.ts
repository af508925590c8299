// Plays a session in a browser: what has come is heard sample by sample, through a drop that is shorter than what is in hand; an
// interrupt is silence at once; and the gateway is told what was heard. `import … from '@voxgate/client/player'`.

import { createCreditTeller } from './player/credit-teller.ts';
import { decodeSamples, PLAYED_FORMATS, type PlayedFormat } from './player/sample-decoder.ts';
import { openSoundOutput, type SoundOutput } from './player/sound-output.ts';
import type { EventOf, ServerEvent, SessionClient, SessionListeners } from './voxgate-client.ts';

export type { PlayedFormat } from './player/sample-decoder.ts';

export type PlayerOptions = {
  /** Hz, 8000 to 48000; the sound card's own resampler does the rest. 24000 unless given. */
  readonly sampleRate?: number;
  /** What is sent; `raw` unless given. */
  readonly format?: PlayedFormat;
  /** How long a drop may last that nobody hears: what the gateway sends ahead, ms, 40 to 5000. 3000 unless given. */
  readonly leadMs?: number;
  /** Where the page has `@voxgate/client/playout-worklet.js`; beside this module unless given. */
  readonly workletUrl?: string | URL;
  /** There was nothing to play though the turn had not ended. */
  readonly onDry?: () => void;
};

export type Player = {
  /** For `voxgate.session(query, listeners)`. */
  readonly query: Readonly<Record<string, string>>;
  /** `yours` are called, too. */
  listeners(yours?: SessionListeners): SessionListeners;
  /** The session whose audio this is: it is told what was heard, once every 50 ms. */
  follow(session: SessionClient): void;
  /** What of the turn has been heard, ms of its own audio. */
  heardMs(turn: string): number;
  /** Silence at once; every turn that is not heard to its end is cancelled, with what was heard of it. */
  interrupt(): Promise<void>;
  /** Silence; the session is not closed. */
  close(): void;
};

type PlayedTurn = {
  readonly turn: string;
  /** Where position 0 is heard, in samples of the output. */
  startSample: number;
  /** Undefined until nothing more comes. */
  endSample: number | undefined;
  isCut: boolean;
};

const TELL_MS = 50;
const MAX_TURNS = 100;

/** In a click or a key press: browsers let a page make no sound before. Rejects where there is no sound card to be had. */
export async function openPlayer(options: PlayerOptions = {}): Promise<Player> {
  const { sampleRate = 24_000, format = 'raw', leadMs = 3000, onDry = () => {} } = options;
  if (!PLAYED_FORMATS.includes(format))
    throw new RangeError(`format is ${JSON.stringify(format)}; allowed: ${PLAYED_FORMATS.join(', ')}`);
  const { workletUrl = new URL('./playout-worklet.js', import.meta.url) } = options;
  const output = await openSoundOutput({ sampleRate, workletUrl, onMoving: () => {}, onDry });
  return new SessionPlayer(output, {
    format,
    sampleRate: String(sampleRate),
    flow: 'credit',
    leadMs: String(leadMs),
  });
}

class SessionPlayer implements Player {
  readonly query: Readonly<Record<string, string>>;
  private readonly output: SoundOutput;
  private turns: PlayedTurn[] = [];
  private receiving: PlayedTurn | undefined;
  private session: SessionClient | undefined;
  private isConnected = true;
  private readonly credit = createCreditTeller();
  private readonly timer: ReturnType<typeof setInterval>;

  constructor(output: SoundOutput, query: Readonly<Record<string, string>>) {
    this.output = output;
    this.query = query;
    this.timer = setInterval(() => this.tell(), TELL_MS);
  }
  listeners(yours: SessionListeners = {}): SessionListeners {
    return {
      onEvent: (event) => {
        this.happened(event);
        yours.onEvent?.(event);
      },
      onAudio: (bytes, turn) => {
        this.play(bytes);
        yours.onAudio?.(bytes, turn);
      },
      onConnection: (change) => {
        // What was heard meanwhile is told once, and not twenty times a second.
        this.isConnected = change.type === 'resumed';
        yours.onConnection?.(change);
      },
    };
  }
  follow(session: SessionClient): void {
    this.session = session;
  }
  heardMs(turn: string): number {
    const played = this.turns.find((each) => each.turn === turn);
    if (played === undefined) return 0;
    const { startSample, endSample = this.output.received } = played;
    return Math.max(
      0,
      ((Math.min(this.output.played(), endSample) - startSample) * 1000) / this.output.sampleRate,
    );
  }
  async interrupt(): Promise<void> {
    const played = this.output.played();
    const cut = this.turns.filter(
      ({ endSample, isCut }) => !isCut && (endSample ?? Number.POSITIVE_INFINITY) > played,
    );
    for (const turn of cut) turn.isCut = true;
    this.output.ended();
    const boundary = await this.output.cut(0);
    this.output.release();
    // The last one first, so that nothing moves up in between.
    for (const turn of cut.reverse()) {
      turn.endSample = Math.max(turn.startSample, Math.min(boundary, turn.endSample ?? boundary));
      const playedMs = ((turn.endSample - turn.startSample) * 1000) / this.output.sampleRate;
      if (this.session?.isOpen() === true) this.session.send({ type: 'cancel', turn: turn.turn, playedMs });
    }
    // Those that have not begun.
    if (this.session?.isOpen() === true) this.session.send({ type: 'cancel' });
  }
  close(): void {
    clearInterval(this.timer);
    this.session = undefined;
    this.output.close();
  }

  private play(bytes: Uint8Array): void {
    if (this.receiving === undefined || this.receiving.isCut) return;
    this.output.play(decodeSamples(this.query.format as PlayedFormat, bytes));
  }
  private happened(event: ServerEvent): void {
    switch (event.type) {
      case 'started':
        this.receiving = {
          turn: event.turn,
          startSample: this.output.received,
          endSample: undefined,
          isCut: false,
        };
        this.turns = [...this.turns.slice(1 - MAX_TURNS), this.receiving];
        return;
      case 'ended':
        if (this.receiving?.turn !== event.turn) return;
        this.receiving.endSample ??= this.output.received;
        this.receiving = undefined;
        this.output.ended();
        return;
      case 'paused':
        this.output.hold();
        return;
      case 'resumed':
        this.output.release();
        return;
      case 'sought':
        void this.goOnAt(event);
        return;
      default:
    }
  }
  /** What has not been played will not be; what comes next is heard at `atMs`. */
  private async goOnAt({ turn, atMs }: EventOf<'sought'>): Promise<void> {
    const sought = this.turns.find((each) => each.turn === turn);
    const boundary = await this.output.cut(0);
    if (sought !== undefined)
      sought.startSample = boundary - Math.round((atMs * this.output.sampleRate) / 1000);
  }
  /** With credit the gateway sends no more than its lead beyond what was heard. */
  private tell(): void {
    if (!this.isConnected || this.session?.isOpen() !== true) return;
    const played = this.output.played();
    const current = this.turns.find(
      ({ endSample, isCut }) => !isCut && (endSample ?? Number.POSITIVE_INFINITY) > played,
    );
    // The last one, too, is told to its end.
    const turn = current ?? this.turns.at(-1);
    if (turn === undefined || turn.isCut) return;
    const ms = this.credit.due(turn.turn, this.heardMs(turn.turn), performance.now());
    if (ms !== undefined) this.session.send({ type: 'played', turn: turn.turn, ms });
  }
}
