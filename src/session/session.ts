// One client: commands in, messages and audio out. It checks what a command may do in the state of its turn;
// the line of turns does the speaking. A failed turn never ends the session.

import { AppError, toAppError } from '../base/app-error.ts';
import { errorEvent } from '../dialects/error-event.ts';
import type { ClientCommand, CommandOf, Preset } from '../dialects/native-messages.ts';
import type { SessionFormat } from '../speech/audio-format.ts';
import { createLiveTurn } from './create-live-turn.ts';
import type { LiveTurn } from './live-turn.ts';
import { createRetiredTurns } from './retired-turns.ts';
import { createSessionAudience, type Onlookers } from './session-audience.ts';
import { type AttachedLeg, createSessionLeg } from './session-leg.ts';
import type { OutgoingAudio, SessionOutlet } from './session-outlet.ts';
import { createSessionPlace } from './session-place.ts';
import { type SessionRuntime, toTurnError } from './session-runtime.ts';
import { createTurnLine, isEnded } from './turn-line.ts';
import { endedEvent } from './turn-messages.ts';
import type { WholeText } from './turn-script.ts';
import { applySettings, configuredEvent, outputOf, type TurnSettings } from './turn-settings.ts';
import type { Speaker } from './turn-work.ts';

export type Session = {
  /** Carries out one command and answers through the outlet; never throws for what a client does. */
  handle(command: ClientCommand): void;
  /** Turns that have not been heard; with none, nothing is lost by closing. */
  turnsUnheard(): number;
  bufferedBytes(): number;
  /** In which a turn would be sent that is named now. */
  sound(): { readonly format: SessionFormat; readonly sampleRate: number | undefined };
  leg(): AttachedLeg | undefined;
  readonly audience: Onlookers;
  /** No new turn from now on; those that are there play to their end. */
  drain(): void;
  /** Stops everything at once, without a word. */
  close(): void;
};

/** The longest text of one appended turn, so that one turn's words stay a few megabytes. */
const MOST_TURN_CHARACTERS = 1_000_000;

export function createSession(
  runtime: SessionRuntime,
  speaker: Speaker,
  initial: TurnSettings,
  client: SessionOutlet,
): Session {
  const { limits } = runtime;
  const retired = createRetiredTurns();
  const place = createSessionPlace(runtime.admission);
  const outlet: SessionOutlet = {
    ...client,
    say(event) {
      client.say(event);
      if (event.type === 'started') place.began();
      leg.said(event);
      audience.said(event);
    },
    cork() {
      client.cork();
      leg.cork();
    },
    uncork() {
      client.uncork();
      leg.uncork();
    },
  };
  const audience = createSessionAudience(runtime);
  const line = createTurnLine({
    clock: runtime.clock,
    playout: runtime.playout,
    outlet,
    onCut: () => leg.cleared(),
    onEnded: (turn) => {
      retired.add(turn.id, textEndTold.delete(turn.id) ? 'told' : 'untold');
      leaveIfSilent();
    },
    onFinished: (turn) => retired.settle(turn.id, turn.lateMarks()),
    onBroken: (turn, fault) => {
      retired.add(turn.id, 'untold');
      audience.lost(turn.id);
      leaveIfSilent();
      outlet.say(errorEvent(toTurnError(runtime.log, fault), turn.id));
    },
  });
  const leg = createSessionLeg({
    desk: runtime.legs,
    userId: speaker.tenant,
    outlet: client,
    onPlayed: (id, playedMs) => line.find(id)?.played(playedMs, 'mark'),
    heardMs: (id) => line.find(id)?.heardMs(runtime.clock.now()),
    onGone(turns, error) {
      for (const turn of turns.map((id) => line.find(id))) {
        if (turn === undefined) continue;
        // One that has ended only waits to be heard to its end, which nobody will.
        if (isEnded(turn)) turn.cancel(undefined);
        else turn.fail(error);
      }
      line.wake();
    },
  });
  const leaveIfSilent = () => {
    if (line.unended().length === 0) place.leave();
  };
  /** Open turns whose client has been told that their text has ended. */
  const textEndTold = new Set<string>();
  let settings = initial;
  let intake: 'open' | 'draining' = 'open';

  const refuse = (error: AppError, turn?: string) => outlet.say(errorEvent(error, turn));

  /** Why no further turn is taken now. */
  const refusal = (turn: TurnSettings): AppError | undefined => {
    const retryAfterMs = 1000;
    if (intake === 'draining') {
      return new AppError('shutting_down', 'The gateway is about to stop; open a new session.', {
        retryAfterMs,
      });
    }
    if (line.unended().length < limits.turnsInFlight) return place.refusal(turn);
    const message = `${limits.turnsInFlight} turns are in flight already; wait until one has ended.`;
    return new AppError('busy', message, { retryAfterMs });
  };

  const open = (id: string, fields: Preset, whole: WholeText | undefined): LiveTurn | undefined => {
    const turnSettings = leg.settingsFor(applySettings(settings, fields));
    const refused = refusal(turnSettings);
    if (refused !== undefined) {
      retired.add(id, 'untold');
      refuse(refused, id);
      outlet.say(
        endedEvent(id, { outcome: 'failed', audioMs: 0, sentMs: 0, requests: 0, resumes: 0, cached: false }),
      );
      return undefined;
    }
    const before = line.unended();
    const etaMs = Math.round(before.reduce((sum, turn) => sum + turn.remainingMs(), 0));
    if (before.length > 0)
      outlet.say({ type: 'queued', turn: id, reason: 'previous-turn', position: before.length, etaMs });
    const player = leg.outletFor(id);
    const sendAudio = (audio: OutgoingAudio) => {
      player.sendAudio(audio);
      audience.sent(audio);
    };
    const turnOutlet = { ...outlet, ...player, sendAudio, onReady: line.wake, onFrame: line.sendSoon };
    const spoolCapacityBytes = (keptBytes: number) => limits.spoolBytes - (line.bufferedBytes() - keptBytes);
    const turn = createLiveTurn({
      id,
      settings: turnSettings,
      whole,
      runtime,
      speaker,
      turnsBefore: before.length,
      freeAtMs: runtime.clock.now() + etaMs,
      spoolCapacityBytes,
      outlet: turnOutlet,
      audience,
    });
    place.take(turnSettings);
    line.add(turn);
    return turn;
  };

  /** The turn whose text is still open, or undefined once the client has been answered. */
  const openText = (id: string): LiveTurn | undefined => {
    const turn = line.find(id);
    if (turn !== undefined && !isEnded(turn)) return turn;
    if (turn === undefined && !retired.has(id)) refuse(unknownTurn(), id);
    else if (retired.tellOnce(id)) refuse(turnEnded(), id);
    return undefined;
  };

  const checkFree = (id: string) => {
    if (retired.has(id)) throw turnEnded();
    if (line.find(id) !== undefined)
      throw new AppError('turn_open', 'A turn of this id is open; choose another id.');
  };
  const checkLength = (characters: number) => {
    if (characters <= limits.textChars) return;
    throw new AppError(
      'text_too_long',
      `A text has at most ${limits.textChars} characters; this one has ${characters}.`,
    );
  };
  const checkRoom = (characters: number, pending: number) => {
    if (pending + characters <= limits.pendingTextChars) return;
    const message = `At most ${limits.pendingTextChars} characters of a turn may wait; append again when some have been spoken.`;
    throw new AppError('text_full', message, { retryAfterMs: 1000 });
  };

  const speak = ({ type: _type, turn: id, text, dialogue, ...fields }: CommandOf<'speak'>) => {
    checkFree(id);
    const characters = text?.length ?? dialogue!.reduce((sum, part) => sum + part.text.length, 0);
    checkLength(characters);
    open(id, fields, text === undefined ? { kind: 'dialogue', lines: dialogue! } : { kind: 'text', text });
  };

  const append = ({ type: _type, turn: id, text, speaker, ...fields }: CommandOf<'append'>) => {
    checkLength(text.length);
    if (line.find(id) === undefined && !retired.has(id)) {
      checkRoom(text.length, 0); // a message that is refused opens no turn
      open(id, fields, undefined)?.script.append(text, speaker);
      return;
    }
    const script = openText(id)?.script;
    if (script === undefined) return;
    if (Object.values(fields).some((value) => value !== undefined)) {
      throw new AppError('turn_open', 'Synthesis fields and format go with the first message of a turn.');
    }
    if (script.input() === 'ended') return tellTextEnded(id);
    // A client that tries again is not a silent one, whether there is room or not.
    if (text !== '') line.touch(id);
    checkRoom(text.length, script.stretch().pendingCharacters());
    if (script.totalCharacters() + text.length > MOST_TURN_CHARACTERS) {
      const message = `A turn has at most ${MOST_TURN_CHARACTERS} characters; go on in another turn.`;
      throw new AppError('text_too_long', message);
    }
    script.append(text, speaker);
  };
  /** Told once, like the end of a turn: a client may have a thousand tokens on the way. */
  const tellTextEnded = (id: string) => {
    if (textEndTold.has(id)) return;
    textEndTold.add(id);
    refuse(new AppError('turn_ended', 'The text of this turn has ended.'), id);
  };

  const mark = (id: string, name: string) => {
    const turn = line.find(id);
    if (turn !== undefined) return turn.mark(name);
    const outcome = retired.lateMarks(id);
    if (outcome === undefined) return refuse(unknownTurn(), id);
    outlet.say({ type: 'mark', turn: id, name, outcome });
  };

  /** A turn that is known, be it over; the client is told when it never was. */
  const isKnown = (id: string): boolean => {
    if (line.find(id) !== undefined || retired.has(id)) return true;
    refuse(unknownTurn(), id);
    return false;
  };

  /** The turn that is to be heard, or undefined once the client has been answered. */
  const unended = (id: string): LiveTurn | undefined => {
    const turn = line.find(id);
    if (turn !== undefined && !isEnded(turn)) return turn;
    refuse(turn === undefined && !retired.has(id) ? unknownTurn() : turnEnded(), id);
    return undefined;
  };
  const resume = (id: string) => {
    const turn = unended(id);
    if (turn === undefined) return;
    turn.resume();
    // Nobody is to give text to a turn that stands still.
    line.touch(id);
  };

  const carryOut = (command: ClientCommand): void => {
    switch (command.type) {
      case 'configure': {
        const { type: _type, ...fields } = command;
        settings = applySettings(settings, fields);
        return outlet.say(configuredEvent(settings));
      }
      case 'speak':
        return speak(command);
      case 'append':
        return append(command);
      case 'flush':
        return openText(command.turn)?.flush();
      case 'end':
        return openText(command.turn)?.script.end();
      case 'cancel':
        if (command.turn === undefined || isKnown(command.turn)) line.cancel(command.turn, command.playedMs);
        return;
      case 'mark':
        return mark(command.turn, command.name);
      case 'played':
        if (isKnown(command.turn)) line.find(command.turn)?.played(command.ms, 'client');
        return;
      case 'pause':
        return unended(command.turn)?.pause(command.playedMs);
      case 'resume':
        return resume(command.turn);
      case 'seek':
        return unended(command.turn)?.seek(command.paragraph, command.playedMs);
      case 'attach':
        return leg.attach(command);
      case 'detach':
        return leg.detach();
      case 'hangup':
        return leg.hangUp(command.after);
      case 'ping':
        return outlet.say({ type: 'pong', ...(command.id === undefined ? {} : { id: command.id }) });
    }
  };

  const perform = (command: ClientCommand): void => {
    try {
      carryOut(command);
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'internal')
        runtime.log.error('a command failed inside', { cause: String(error.cause) });
      refuse(error, 'turn' in command ? command.turn : undefined);
    }
    line.stir();
  };

  return {
    handle: (command) => leg.whenDecided(() => perform(command)),
    turnsUnheard: () => line.unheard(),
    bufferedBytes: () => line.bufferedBytes(),
    sound() {
      const { format, sampleRate } = outputOf(leg.settingsFor(settings));
      return { format, sampleRate };
    },
    leg: () => leg.attached(),
    audience,
    drain() {
      intake = 'draining';
    },
    close() {
      line.close();
      place.leave();
      leg.close();
      audience.close();
    },
  };
}

const unknownTurn = () =>
  new AppError('unknown_turn', 'There is no such turn; only speak and append open one.');
const turnEnded = () => new AppError('turn_ended', 'The turn has ended; its id cannot be used again.');
