// /v2/speak: a session is a row of speeches. All and only the audio of a speech stands between its SpeechStarted and the
// one message that ends it, SpeechMetadata or SpeechInterrupted; the latter tells what was heard.

import { fieldMessage } from '../../base/check-fields.ts';
import type { DialectCodec, DialectSink } from '../dialect.ts';
import type { EventOf } from '../native-events.ts';
import { readV2, type V2Message } from './client-message.ts';
import { createFluxInterrupt, type FluxInterrupt } from './flux-interrupt.ts';
import { countText, createFluxSpeech, type FluxSpeech, keepText, speechReport } from './flux-speech.ts';
import { createPlaybackPosition } from './playback-position.ts';
import { createSpeakSink } from './speak-sink.ts';
import { createSpeechLine } from './speech-line.ts';
import { SPEED_RULE, speedFault } from './speed-rule.ts';
import { wireCloseCode } from './wire-errors.ts';
import { modelUuidOf, requestIdOf } from './wire-ids.ts';

const NORMAL = 1000;
/** The longest that a `played` report may be. */
const MAX_PLAYED_MS = 86_400_000;

export function createV2Codec(sink: DialectSink, model: string): DialectCodec {
  const client = createSpeakSink(sink);
  const position = createPlaybackPosition();
  /** Turns that have begun to be heard and have not ended. */
  const begun = new Set<string>();
  let phase: 'open' | 'closing' | 'closed' = 'open';
  let characters = 0;
  let applied: { readonly speed?: number } = {};
  let lastOffsetMs: number | undefined;
  let interrupt: FluxInterrupt | undefined;

  const announce = (speech: FluxSpeech) => {
    if (speech.state === 'announced') return;
    speech.state = 'announced';
    client.say({ type: 'SpeechStarted', speech_id: speech.speechId });
  };
  const line = createSpeechLine<FluxSpeech>({
    carryOut: sink.carryOut,
    begin: () => createFluxSpeech(sink.newId()),
    onGiven: keepText,
    onFailed: client.error,
    onOver(speech) {
      announce(speech);
      if (speech.words === 'none')
        client.warn('NO_SYNTHESIZABLE_TEXT', 'The text holds nothing to say; a short silence was sent.');
      if (speech.flush === 'asked') client.say({ type: 'Flushed', speech_id: speech.speechId });
      client.say({ type: 'SpeechMetadata', ...speechReport(speech) });
      position.advance(speech.sentMs);
    },
  });

  /** Says what an Interrupt came to as soon as that is known: the next speech may begin right behind. */
  const settle = () => {
    if (interrupt?.isDone() === true) {
      const { speech, offsetMs, report } = interrupt;
      const playedMs = interrupt.playedMs();
      interrupt = undefined;
      // A client cannot have played more than it was sent.
      const audioPlayedMs =
        offsetMs === undefined
          ? Math.round(position.ms() + playedMs)
          : Math.min(offsetMs, Math.round(position.ms() + speech.sentMs));
      if (offsetMs !== undefined) lastOffsetMs = audioPlayedMs;
      announce(speech);
      client.say(report(audioPlayedMs));
      position.set(audioPlayedMs);
    }
    if (phase !== 'closing' || line.first() !== undefined || interrupt !== undefined) return;
    phase = 'closed';
    client.say({
      type: 'SessionMetadata',
      total_audio_duration_ms: Math.round(position.ms()),
      total_input_character_count: characters,
      total_billable_character_count: characters,
    });
    sink.close(NORMAL, '');
  };

  const speak = (text: string) => {
    if (text === '' || phase !== 'open') return;
    const outcome = line.add(text);
    if (outcome !== 'added') return client.refuseText(outcome);
    characters += countText(line.last()!, text);
  };
  const flush = () => {
    const last = line.last();
    if (last === undefined || !line.isOpen())
      return client.warn('NO_ACTIVE_SPEECH', 'There is no text to flush; the message is ignored.');
    last.flush = 'asked';
    line.end();
  };
  const playedSince = (fromMs: number, offsetMs: number | undefined) =>
    offsetMs !== undefined && { playedMs: Math.min(MAX_PLAYED_MS, Math.max(0, offsetMs - fromMs)) };
  /** What was sent and is not heard yet is dropped, as the client drops it. */
  const dropTails = (offsetMs: number | undefined, speech?: FluxSpeech) => {
    const cancels = position.drop().map(({ turn, fromMs }) => ({
      type: 'cancel' as const,
      turn,
      ...(speech?.texts.has(turn) === true && playedSince(fromMs, offsetMs)),
    }));
    if (offsetMs !== undefined) position.set(Math.min(position.ms(), offsetMs));
    return cancels;
  };
  const stop = (speech: FluxSpeech, offsetMs: number | undefined) => {
    const played = playedSince(position.ms() + speech.sentMs, offsetMs);
    const { turns, waiting } = line.takeFirst();
    interrupt = createFluxInterrupt({ speech, offsetMs, turns, begun, waiting });
    // Of the speech the last one first, so that nothing moves up in between; the client is in the first one.
    const cancels = turns.map((turn, at) => ({
      type: 'cancel' as const,
      turn,
      ...(at === 0 && played),
    }));
    line.command(...dropTails(offsetMs, speech), ...cancels.reverse());
  };
  const interruptAt = (offsetMs: number | undefined) => {
    if (interrupt !== undefined)
      return client.warn('INTERRUPT_IN_PROGRESS', 'An earlier Interrupt is not done; this one is ignored.');
    if (offsetMs !== undefined && lastOffsetMs !== undefined && offsetMs <= lastOffsetMs)
      return client.warn(
        'INVALID_INTERRUPT_OFFSET',
        'playback_offset must be beyond that of the last Interrupt; this one is ignored.',
      );
    const first = line.first();
    if (first === undefined) {
      line.command(...dropTails(offsetMs));
      return client.warn('NO_ACTIVE_SPEECH', 'There is no speech to interrupt; all of it has been sent.');
    }
    stop(first, offsetMs);
  };
  const configure = (speed: number | undefined) => {
    const refuse = (code: string, description: string) =>
      client.say({ type: 'ConfigureFailure', code, field: 'speed', value: speed, description });
    if (speed !== undefined) {
      const fault = speedFault(speed);
      if (fault !== undefined)
        return refuse(fault, fieldMessage({ field: 'speed', allowed: SPEED_RULE, given: speed }));
      const refusal = line.command({ type: 'configure', speed });
      if (refusal !== undefined) return refuse('INTERNAL_ERROR', refusal.message);
      applied = { speed };
    }
    client.say({ type: 'ConfigureSuccess', applied });
  };
  const carryOut = (message: V2Message) => {
    switch (message.type) {
      case 'Speak':
        return speak(message.text);
      case 'Flush':
        return flush();
      case 'Interrupt':
        return interruptAt(message.offsetMs);
      case 'Configure':
        return configure(message.speed);
      case 'Close':
        phase = 'closing';
        return line.end();
    }
  };

  const onEnded = (event: EventOf<'ended'>) => {
    const { turn, sentMs } = event;
    const hasBegun = begun.delete(turn);
    const speech = line.of(turn);
    if (interrupt?.cuts(turn) === true) interrupt.ended(event);
    else if (speech !== undefined) {
      if (hasBegun) position.sent(turn, sentMs, speech.sentMs);
      speech.sentMs += sentMs;
      line.ended(turn);
    }
    settle();
  };
  const onStarted = ({ turn }: EventOf<'started'>) => {
    if (!line.isOurs(turn)) {
      line.adopt(turn);
      const greeting = line.of(turn)!;
      greeting.words = 'some';
      keepText(greeting, turn, '');
    }
    const speech = line.of(turn);
    if (speech === undefined) return;
    begun.add(turn);
    announce(speech);
  };
  const onReady = ({ session, version, limits }: EventOf<'ready'>) => {
    line.setLimits(limits);
    client.say({
      type: 'Connected',
      request_id: requestIdOf(session),
      model_name: model,
      model_version: version,
      model_uuids: [modelUuidOf(model)],
    });
  };

  return {
    receive(frame) {
      if (phase === 'closed') return;
      const message = readV2(frame);
      if (message.type === 'unreadable') client.refuse(message);
      else carryOut(message);
      settle();
    },
    event(event) {
      if (event.type === 'ready') onReady(event);
      else if (event.type === 'queued') {
        if (line.of(event.turn) === line.first()) client.queued(event);
      } else if (event.type === 'switched') {
        if (line.of(event.turn) !== undefined) client.switched(event);
      } else if (event.type === 'started') onStarted(event);
      else if (event.type === 'ended') onEnded(event);
      else if (event.type === 'heard') {
        interrupt?.heard(event);
        position.heard(event.turn, event.playedMs);
        settle();
      } else if (event.type === 'error') {
        if (!line.failed(event) && !line.isOurs(event.turn ?? '')) client.error(event);
      } else if (event.type === 'goaway') client.goingAway();
    },
    audio({ turn, bytes }) {
      if (line.of(turn) !== undefined) client.sendAudio(bytes);
    },
    tick: (nowMs) => client.tick(nowMs, line.isSpeaking() ? 'speaking' : 'idle'),
    closeCode: wireCloseCode,
  };
}
