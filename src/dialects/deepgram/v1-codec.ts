// /v1/speak: unlabelled audio, of whatever was said since the last Flush. Every Flush is answered once, behind all audio
// of the text before it; after Cleared not one byte of what was cleared follows.

import type { DialectCodec, DialectSink } from '../dialect.ts';
import type { EventOf } from '../native-events.ts';
import { readV1, type V1Message } from './client-message.ts';
import { createSpeakSink } from './speak-sink.ts';
import { createSpeechLine } from './speech-line.ts';
import { wireCloseCode } from './wire-errors.ts';
import { modelUuidOf, requestIdOf } from './wire-ids.ts';

/** How many Flushes are answered when it is over. */
type Owed = { flushes: number };

const NORMAL = 1000;
/** Flushes that end nothing and Clears cost a client nothing; all answers to them may be due at once. */
const MAX_OWED = 1000;

export function createV1Codec(sink: DialectSink, model: string): DialectCodec {
  const client = createSpeakSink(sink);
  let phase: 'open' | 'closing' | 'closed' = 'open';
  let flushed = 0;
  let cleared = 0;
  /** Turns that were cut and have not ended; Clears that wait for them. */
  const cut = new Set<string>();
  let clears = 0;
  /** Flushes in the line that have not been answered. */
  let owed = 0;

  const sayFlushed = () => client.say({ type: 'Flushed', sequence_id: flushed++ });
  const line = createSpeechLine<Owed>({
    carryOut: sink.carryOut,
    begin: () => ({ flushes: 0 }),
    onFailed: client.error,
    onOver({ flushes }) {
      owed -= flushes;
      for (let left = flushes; left > 0; left -= 1) sayFlushed();
    },
  });

  const settle = () => {
    if (cut.size > 0 || phase === 'closed') return;
    for (; clears > 0; clears -= 1) client.say({ type: 'Cleared', sequence_id: cleared++ });
    if (phase !== 'closing' || line.first() !== undefined) return;
    phase = 'closed';
    sink.close(NORMAL, '');
  };
  const ignored = (type: string) =>
    client.warn('NO_ACTIVE_SPEECH', `${MAX_OWED} answers are due already; this ${type} gets none.`);
  const flush = () => {
    const last = line.last();
    if (last === undefined) return sayFlushed();
    if (!line.isOpen() && owed >= MAX_OWED) return ignored('Flush');
    owed += 1;
    last.flushes += 1;
    line.end();
  };
  const clear = () => {
    if (clears < MAX_OWED) clears += 1;
    else ignored('Clear');
    for (const turn of line.takeAll()) cut.add(turn);
    owed = 0;
    line.command({ type: 'cancel' });
  };
  const carryOut = (message: V1Message) => {
    if (message.type === 'Flush') return flush();
    if (message.type === 'Clear') return clear();
    if (message.type === 'Close') {
      line.end();
      phase = 'closing';
    } else if (message.text !== '' && phase === 'open') {
      const outcome = line.add(message.text);
      if (outcome !== 'added') client.refuseText(outcome);
    }
  };

  const sayMetadata = ({ session, version }: EventOf<'ready'>) =>
    client.say({
      type: 'Metadata',
      request_id: requestIdOf(session),
      model_name: model,
      model_version: version,
      model_uuid: modelUuidOf(model),
    });

  return {
    receive(frame) {
      if (phase === 'closed') return;
      const message = readV1(frame);
      if (message.type === 'unreadable') client.refuse(message);
      else carryOut(message);
      settle();
    },
    event(event) {
      if (event.type === 'ready') {
        line.setLimits(event.limits);
        sayMetadata(event);
      } else if (event.type === 'queued') {
        if (line.of(event.turn) === line.first()) client.queued(event);
      } else if (event.type === 'switched') {
        if (line.of(event.turn) !== undefined) client.switched(event);
      } else if (event.type === 'started') {
        if (!line.isOurs(event.turn)) line.adopt(event.turn);
      } else if (event.type === 'error') {
        if (!line.failed(event) && !line.isOurs(event.turn ?? '')) client.error(event);
      } else if (event.type === 'ended') {
        cut.delete(event.turn);
        line.ended(event.turn);
        settle();
      } else if (event.type === 'goaway') client.goingAway();
    },
    audio({ turn, bytes }) {
      if (line.of(turn) !== undefined) client.sendAudio(bytes);
    },
    tick: (nowMs) => client.tick(nowMs, line.isSpeaking() ? 'speaking' : 'idle'),
    closeCode: wireCloseCode,
  };
}
