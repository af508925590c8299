// The turns of this page, one session and one sound card: what is asked of the gateway, and what its answers do to them.
// It draws nothing; whoever shows it is told when something has changed.

import { createCreditTeller } from '../../packages/client/src/player/credit-teller.ts';
import workletUrl from '../../packages/client/src/player/playout-worklet.ts?worker&url';
import { decodeSamples } from '../../packages/client/src/player/sample-decoder.ts';
import { openSoundOutput, type SoundOutput } from '../../packages/client/src/player/sound-output.ts';
import type { SessionClient } from '../../packages/client/src/session-client.ts';
import type { ServerEvent } from '../dialects/native-events.ts';
import type { GatewayRest } from './gateway-rest.ts';
import { openSession, stateOf } from './gateway-session.ts';
import { SOUNDS, type SpeakSettings, toConfigure, toSynthesis } from './speak-settings.ts';
import { happen, heardMs, isOver, openTurn, type SpokenTurn } from './spoken-turn.ts';
import { createWaveformPeaks, type WaveformPeaks } from './waveform-peaks.ts';

export type SpokenContent =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'dialogue';
      readonly lines: readonly { readonly speaker: 1 | 2; readonly text: string }[];
    };

export type ConversationOptions = {
  readonly rest: GatewayRest;
  readonly settings: () => SpeakSettings;
  readonly now: () => number;
  readonly onChanged: () => void;
  /** For people; `undefined` takes back what was told. */
  readonly onNotice: (text: string | undefined) => void;
  readonly onConnection: (state: 'off' | 'opening' | 'open') => void;
};

export type Conversation = {
  /** The turn that is heard or waited for, else the last one. */
  readonly current: SpokenTurn | undefined;
  readonly isBusy: boolean;
  /** Id of the session that this page has open. */
  readonly sessionId: string | undefined;
  readonly peaks: WaveformPeaks | undefined;
  speak(content: SpokenContent): Promise<void>;
  /** Text of the turn that is being written; the first opens it. */
  append(text: string): Promise<void>;
  flush(): void;
  end(): void;
  /** Silence at once; resolves when it is there. */
  interrupt(): Promise<void>;
  narrate(command: 'pause' | 'resume' | { readonly seek: number }): void;
  /** Once for each animation frame while there is something to hear. */
  tick(): void;
};

const PEAKS_PER_SECOND = 50;
const MOST_TURNS = 20;

export function createConversation(options: ConversationOptions): Conversation {
  const { rest, settings, now, onChanged, onNotice } = options;
  const turns: SpokenTurn[] = [];
  let session: Promise<SessionClient> | undefined;
  let sessionId: string | undefined;
  let configured = '';
  let output: SoundOutput | undefined;
  let peaks: WaveformPeaks | undefined;
  let receiving: SpokenTurn | undefined;
  let [count, isReconnecting] = [0, false];
  const credit = createCreditTeller();

  const unfinished = () => turns.filter((turn) => !isOver(turn));
  const current = () => unfinished()[0] ?? turns.at(-1);
  const byId = (id: string) => turns.find((turn) => turn.id === id);

  async function reachOutput(): Promise<SoundOutput> {
    const { sampleRate } = SOUNDS[settings().sound];
    if (output?.sampleRate === sampleRate) return output;
    // Two rates are two audio contexts; what still sounds in the old one ends here.
    await interrupt();
    output?.close();
    output = await openSoundOutput({
      sampleRate,
      workletUrl,
      onMoving(played) {
        const turn = turns.find(
          ({ startSample, endSample = played + 1 }) => startSample <= played && played < endSample,
        );
        if (turn !== undefined) happen(turn, { type: 'audible' }, now());
        onChanged();
      },
      onDry() {
        const turn = current();
        if (turn !== undefined) happen(turn, { type: 'ran-dry' }, now());
        onChanged();
      },
    });
    peaks = createWaveformPeaks(sampleRate / PEAKS_PER_SECOND);
    return output;
  }

  async function reachSession(): Promise<SessionClient> {
    const wanted = toConfigure(settings());
    session ??= connect().catch((error: unknown) => {
      session = undefined;
      options.onConnection('off');
      throw error;
    });
    const open = await session;
    if (configured !== JSON.stringify(wanted)) open.send({ type: 'configure', ...wanted });
    configured = JSON.stringify(wanted);
    return open;
  }

  async function connect(): Promise<SessionClient> {
    options.onConnection('opening');
    configured = '';
    const opened = await openSession({
      query: new URLSearchParams({ captions: 'words' }),
      protocols: await rest.protocols(),
      onEvent,
      onAudio,
      onConnection(change) {
        isReconnecting = change.type === 'reconnecting';
        options.onConnection(stateOf(change));
      },
      onClosed(reason) {
        isReconnecting = false;
        session = undefined;
        sessionId = undefined;
        receiving = undefined;
        output?.ended();
        for (const turn of unfinished()) {
          turn.endSample ??= output?.received ?? 0;
          turn.isOpen = false;
          turn.timeline = { ...turn.timeline, phase: 'finished' };
        }
        options.onConnection('off');
        onNotice(`The session was closed: ${reason}. Speaking opens a new one.`);
        onChanged();
      },
    });
    sessionId = opened.ready.session;
    options.onConnection('open');
    return opened;
  }

  function onAudio(frame: Uint8Array): void {
    if (receiving === undefined || receiving.isCut || output === undefined) return;
    const samples = decodeSamples(receiving.format, frame);
    if (receiving.timeline.firstAudioMs === undefined) happen(receiving, { type: 'first-frame' }, now());
    peaks?.add(samples);
    output.play(samples);
  }

  function onEvent(event: ServerEvent): void {
    const named = 'turn' in event && event.turn !== undefined ? byId(event.turn) : undefined;
    if (event.type === 'error' && named === undefined) onNotice(event.message);
    if (named === undefined) return;
    if (event.type !== 'progress') happen(named, event, now());
    switch (event.type) {
      case 'started':
        named.output = output;
        named.startSample = output?.received ?? 0;
        named.format = event.format as SpokenTurn['format'];
        receiving = named;
        break;
      case 'caption':
        named.track.add(event.words.map((word) => ({ ...word, line: event.line })));
        break;
      case 'ended':
        named.isOpen = false;
        named.endSample ??= output?.received ?? 0;
        if (receiving === named) {
          receiving = undefined;
          output?.ended();
        }
        break;
      case 'paused':
        hold(named, 'pause');
        break;
      case 'resumed':
        hold(named, 'resume');
        break;
      case 'sought':
        void goOnAt(named, event.atMs);
        named.paragraph = event.paragraph;
        break;
      case 'progress':
        named.paragraph = event.paragraph;
        named.paragraphs = event.paragraphs;
        break;
      case 'error':
        onNotice(event.message);
        break;
      default:
    }
    onChanged();
  }

  /** At once: what has come waits in the audio thread, not in the gateway. */
  function hold(turn: SpokenTurn, act: 'pause' | 'resume'): void {
    turn.isHeld = act === 'pause';
    if (turn.isHeld) output?.hold();
    else output?.release();
    onChanged();
  }

  /** What has not been played will not be; what comes next is heard at `atMs`. */
  async function goOnAt(turn: SpokenTurn, atMs: number): Promise<void> {
    if (output === undefined) return;
    turn.track.dropFrom(heardMs(turn));
    const boundary = await output.cut(0);
    peaks?.cut(boundary);
    turn.startSample = boundary - Math.round((atMs * output.sampleRate) / 1000);
  }

  function remember(turn: SpokenTurn): void {
    turns.push(turn);
    if (turns.length > MOST_TURNS) turns.shift();
    onNotice(undefined);
    onChanged();
  }

  const nextId = () => `turn-${++count}`;
  const told = (error: unknown) => onNotice(error instanceof Error ? error.message : String(error));

  async function speak(content: SpokenContent): Promise<void> {
    try {
      await reachOutput();
      const open = await reachSession();
      const { format } = SOUNDS[settings().sound];
      const id = nextId();
      if (content.kind === 'text') {
        remember(openTurn({ id, format, lines: [{ speaker: undefined, text: content.text }], nowMs: now() }));
        open.send({ type: 'speak', turn: id, text: content.text, ...toSynthesis(settings(), 'one') });
      } else {
        const lines = content.lines.map((line) => ({ ...line }));
        remember(openTurn({ id, format, lines, nowMs: now() }));
        open.send({
          type: 'speak',
          turn: id,
          dialogue: [...content.lines],
          ...toSynthesis(settings(), 'two'),
        });
      }
    } catch (error) {
      told(error);
    }
  }

  /** Appends go out in the order in which they were typed, though the first waits for the session. */
  let writing: Promise<void> = Promise.resolve();
  const openToText = () => turns.findLast((turn) => turn.isOpen && !turn.isCut);

  async function appendNow(text: string): Promise<void> {
    try {
      await reachOutput();
      const open = await reachSession();
      const turn = openToText();
      if (turn !== undefined) {
        turn.lines[0]!.text += text;
        open.send({ type: 'append', turn: turn.id, text });
        onChanged();
        return;
      }
      const { format } = SOUNDS[settings().sound];
      const opened = openTurn({ id: nextId(), format, lines: [{ speaker: undefined, text }], nowMs: now() });
      opened.isOpen = true;
      remember(opened);
      open.send({ type: 'append', turn: opened.id, text, ...toSynthesis(settings(), 'one') });
    } catch (error) {
      told(error);
    }
  }

  async function interrupt(): Promise<void> {
    const cut = unfinished();
    if (cut.length === 0 || output === undefined) return;
    for (const turn of cut) {
      turn.isCut = true;
      turn.isOpen = false;
    }
    output.ended();
    const boundary = await output.cut(0);
    output.release();
    peaks?.cut(boundary);
    const open = await session?.catch(() => undefined);
    // The last one first, so that nothing moves up in between.
    for (const turn of cut.reverse()) {
      const playedMs = Math.max(0, ((boundary - turn.startSample) * 1000) / output.sampleRate);
      const hasStarted = turn.output !== undefined;
      turn.endSample = Math.max(turn.startSample, Math.min(boundary, turn.endSample ?? boundary));
      turn.isHeld = false;
      if (hasStarted && turn.timeline.phase !== 'finished')
        happen(turn, { type: 'interrupted', playedMs }, now());
      open?.send({ type: 'cancel', turn: turn.id, ...(hasStarted && { playedMs }) });
    }
    onChanged();
  }

  /** For a turn that is under way; what is not there yet needs nothing. */
  function tellOpenTurn(type: 'flush' | 'end'): void {
    writing = writing.then(async () => {
      const turn = openToText();
      if (turn === undefined) return;
      if (type === 'end') turn.isOpen = false;
      (await session)?.send({ type, turn: turn.id });
      onChanged();
    });
  }

  return {
    get current() {
      return current();
    },
    get isBusy() {
      return unfinished().length > 0;
    },
    get sessionId() {
      return sessionId;
    },
    get peaks() {
      return peaks;
    },
    speak,
    append(text) {
      writing = writing.then(() => appendNow(text));
      return writing;
    },
    flush: () => tellOpenTurn('flush'),
    end: () => tellOpenTurn('end'),
    interrupt,
    narrate(command) {
      const turn = current();
      if (turn === undefined) return;
      if (command === 'pause' || command === 'resume') hold(turn, command);
      // What has been sent to its end is held and let go here alone.
      if (turn.timeline.phase !== 'waiting' && turn.timeline.phase !== 'playing') return;
      const playedMs = heardMs(turn);
      void session?.then((open) => {
        if (command === 'resume') open.send({ type: 'resume', turn: turn.id });
        else if (command === 'pause') open.send({ type: 'pause', turn: turn.id, playedMs });
        else open.send({ type: 'seek', turn: turn.id, paragraph: command.seek, playedMs });
      });
    },
    tick() {
      const turn = current();
      if (turn?.output === undefined || turn.isCut || isReconnecting || !configured.includes('"credit"'))
        return;
      const ms = credit.due(turn.id, heardMs(turn), now());
      if (ms !== undefined) void session?.then((open) => open.send({ type: 'played', turn: turn.id, ms }));
    },
  };
}
