// One socket of ElevenLabs' protocol: frames → contexts, and the session's events and audio → the messages of its front door.

import { toldBytesPerMs } from '../../speech/plain-sound.ts';
import type { DialectCodec, DialectSink } from '../dialect.ts';
import type { EventOf, ServerEvent } from '../native-events.ts';
import type { AlignmentClock } from './aligner.ts';
import { readClientMessage } from './client-message.ts';
import type { ContextTurn } from './context.ts';
import { createContexts } from './contexts.ts';
import { errorCodeOf, type ProtocolError, toProtocolError, vendorCode } from './protocol-error.ts';
import { SERVER_MESSAGES } from './server-messages.ts';
import type { FrontDoor } from './voice-path.ts';

export type ContextCodecTerms = {
  readonly door: FrontDoor;
  readonly alignmentClock: AlignmentClock;
  readonly idleMs: number;
};

const NORMAL = 1000;
/** Compressed audio says nothing of its own length: words are looked for so far ahead of its start. */
const LOOK_AHEAD_MS = 100;

export function createContextCodec(terms: ContextCodecTerms, sink: DialectSink): DialectCodec {
  const { door } = terms;
  const messages = SERVER_MESSAGES[door];
  let phase: 'open' | 'leaving' | 'closed' = 'open';
  const close = (failure: ProtocolError | undefined) => {
    if (phase === 'closed') return;
    phase = 'closed';
    if (failure === undefined) sink.close(NORMAL, '');
    else sink.close(failure.code, failure.error, errorCodeOf(failure));
  };
  const contexts = createContexts({
    sink,
    messages,
    alignmentClock: terms.alignmentClock,
    idleMs: terms.idleMs,
    onFinal(failure) {
      // Behind its only context a single one has nothing more to say.
      if (door === 'single') close(failure);
    },
  });
  const closeWhenDone = () => {
    if (phase === 'leaving' && contexts.open() === 0) close(undefined);
  };

  const leave = () => {
    phase = 'leaving';
    contexts.closeAll();
    closeWhenDone();
  };
  const receive = (frame: string) => {
    const read = readClientMessage(door, frame);
    if (read.kind === 'close-socket') return leave();
    if (read.kind === 'context') return contexts.receive(read.message);
    const error = toProtocolError(read);
    if (read.context === undefined) sink.send(messages.error(error, undefined));
    else contexts.spoil(read.context, error);
  };

  const onCaption = (turn: ContextTurn, words: EventOf<'caption'>['words']) => {
    const { aligner, baseMs } = turn.context;
    for (const { text, startMs, endMs } of words)
      aligner.add({ text, startMs: baseMs + startMs, endMs: baseMs + endMs });
  };
  const onEnded = (turn: ContextTurn, event: EventOf<'ended'>) => {
    // Words of audio whose end was not known when it was sent.
    const late =
      event.outcome === 'complete' ? turn.context.aligner.takeLoose(Number.POSITIVE_INFINITY) : undefined;
    if (late !== undefined) sink.send(messages.timing(turn.context.id, late));
    contexts.ended(turn, event);
    closeWhenDone();
  };
  const onQueued = (turn: ContextTurn, { reason }: EventOf<'queued'>) => {
    sink.send(messages.keepAlive(turn.context.id));
    if (reason === 'busy') contexts.waitsForPlace(turn);
  };
  const onTurnEvent = (turn: ContextTurn, event: ServerEvent) => {
    if (event.type === 'queued') onQueued(turn, event);
    else if (event.type === 'started') turn.bytesPerMs = toldBytesPerMs(event);
    else if (event.type === 'caption') onCaption(turn, event.words);
    else if (event.type === 'ended') onEnded(turn, event);
    else if (event.type === 'error') contexts.failed(turn, event);
    else if (event.type === 'flushed' && messages.flushed !== undefined)
      sink.send(messages.flushed(turn.context.id));
  };

  return {
    receive(frame) {
      if (phase === 'open') receive(frame);
    },
    event(event) {
      if (phase === 'closed') return;
      if (!('turn' in event) || event.turn === undefined) {
        if (event.type === 'error') sink.send(messages.error(toProtocolError(event), undefined));
        return;
      }
      const turn = contexts.turn(event.turn);
      if (turn !== undefined) onTurnEvent(turn, event);
      else if (event.type === 'started') contexts.refuse(event.turn);
    },
    audio({ turn: id, atMs, bytes }) {
      const turn = contexts.turn(id);
      if (turn === undefined || phase === 'closed') return;
      const { aligner, baseMs } = turn.context;
      const alignment =
        turn.bytesPerMs === undefined
          ? aligner.takeLoose(baseMs + atMs + LOOK_AHEAD_MS)
          : aligner.take(baseMs + atMs + bytes.length / turn.bytesPerMs);
      contexts.sounds(turn, atMs);
      sink.send(messages.audio(turn.context.id, bytes, alignment));
    },
    tick(nowMs) {
      if (phase === 'closed') return;
      contexts.tick(nowMs);
      closeWhenDone();
    },
    closeCode: vendorCode,
  };
}
