// One client: commands in, messages and audio out. It checks what a command may do in the state of its turn;
// the turns do the speaking. A failed turn never ends the session.

import { AppError, toAppError } from '../base/app-error.ts';
import { errorEvent } from '../dialects/error-event.ts';
import type { ClientCommand, CommandOf, Preset } from '../dialects/native-messages.ts';
import type { SessionFormat } from '../speech/audio-format.ts';
import { AwaitedTurns, type KeptEntry } from './awaited-turns.ts';
import { SessionAudience } from './observers/session-audience.ts';
import { type AttachedLeg, SessionLeg } from './session-leg.ts';
import type { SessionOutlet } from './session-outlet.ts';
import type { HeardSoFar, SessionRuntime } from './session-runtime.ts';
import { type PlayoutOrder, SessionTurns, textEnded, turnOpen } from './session-turns.ts';
import { TextBounds } from './text-bounds.ts';
import type { LiveTurn } from './turn/live-turn.ts';
import { fullTextBytes, type WholeText } from './turn/turn-script.ts';
import type { Speaker } from './turn/turn-work.ts';
import { applySettings, configuredEvent, outputOf, type TurnSettings } from './turn-settings.ts';
import { VoiceTeller } from './voice-teller.ts';
import { WayOut } from './way-out.ts';

/** Of commands that name none. */
const OWN_QUEUE = '';
const turnOf = (command: ClientCommand): string | undefined => ('turn' in command ? command.turn : undefined);

function checkNoFields(fields: Preset): void {
  if (Object.values(fields).some((value) => value !== undefined))
    throw new AppError(
      'turn_open',
      'Synthesis fields and format go with the first message of a turn; begin another turn for others.',
    );
}

/** A class, not closures: one object per session keeps cache misses low (decision 0041). */
export class Session {
  readonly audience: SessionAudience;
  private readonly runtime: SessionRuntime;
  private readonly attachedLeg: SessionLeg;
  private readonly out: WayOut;
  private readonly turns: SessionTurns;
  private readonly awaited = new AwaitedTurns();
  private settings: TurnSettings;
  private readonly voices: VoiceTeller;
  private readonly bounds: TextBounds;

  constructor(
    runtime: SessionRuntime,
    speaker: Speaker,
    initial: TurnSettings,
    client: SessionOutlet,
    order: PlayoutOrder = 'as-named',
  ) {
    const { clock } = runtime;
    const audience = new SessionAudience(runtime);
    const leg = new SessionLeg({
      broker: runtime.legs,
      clock,
      userId: speaker.tenant,
      outlet: client,
      onPlayed: (id, playedMs) => this.turns.line.find(id)?.played(playedMs, 'mark'),
      heardMs: (id) => this.turns.line.find(id)?.heardMs(clock.now()),
      onGone: (ids, error) => this.turns.legGone(ids, error),
      onCome: () => this.carryOutKept(),
      onNotCome: (error) => this.failAwaited(error),
    });
    const out = new WayOut({ client, leg, audience });
    this.audience = audience;
    this.runtime = runtime;
    this.attachedLeg = leg;
    this.out = out;
    this.turns = new SessionTurns({ runtime, speaker, out, leg, audience, order });
    this.settings = initial;
    this.voices = new VoiceTeller(client, clock);
    this.bounds = new TextBounds(
      runtime.limits,
      () => this.turns.line.textBytes('full') + this.awaited.bytes(),
    );
  }

  /**
   * Carries out one command and answers through the outlet; never throws for what a client does. `queue`: where a turn that
   * it opens is heard, in a session whose queues are heard side by side.
   */
  handle(command: ClientCommand, queue = OWN_QUEUE): void {
    if (!this.attachedLeg.isUndecided()) this.perform(command, queue);
    else this.attachedLeg.whenDecided(() => this.perform(command, queue));
  }
  /** Turns that have not been heard; with none, nothing is lost by closing. */
  turnsUnheard(): number {
    return this.turns.line.unheard() + this.awaited.size;
  }
  bufferedBytes(): number {
    return this.turns.line.bufferedBytes() + this.turns.line.textBytes('now') + this.awaited.bytes();
  }
  /** What has been heard of turns whose `heard` has not been said yet, ms. */
  heardMs(): number {
    return this.turns.heardMs();
  }
  /** How far the turn that is being heard has come; undefined: none is. */
  hearing(): HeardSoFar | undefined {
    return this.turns.hearing();
  }
  /** In which a turn would be sent that is named now. */
  sound(): { readonly format: SessionFormat; readonly sampleRate: number | undefined } {
    const { format, sampleRate } = outputOf(this.attachedLeg.settingsFor(this.settings));
    return { format, sampleRate };
  }
  leg(): AttachedLeg | undefined {
    return this.attachedLeg.attached();
  }
  /** What the client itself is being sent: sound in real time, and how far ahead of it, ms; something else, or a turn that is paused. */
  soundToClient(): 'none' | 'other' | { readonly leadMs: number } {
    const turn = this.turns.line.audible();
    if (turn === undefined) return 'none';
    const { pace, flow, leadMs } = turn.settings;
    const isInRealTime = pace === 'realtime' && flow === 'clock' && !turn.isPaused();
    return isInRealTime && !this.attachedLeg.plays(turn.id) ? { leadMs } : 'other';
  }
  /** Ends all turns with `error`: the client has read nothing of what it was sent in the last `behindMs`. */
  giveUp(error: AppError, behindMs: number): void {
    this.failAwaited(error);
    this.turns.giveUp(error, (id) => (this.attachedLeg.plays(id) ? 0 : behindMs));
  }
  /** Its client is gone and may come back: turns and their time stand still unless a leg plays. `goOn`: as `TurnLine`. */
  hold(): void {
    if (this.attachedLeg.attached() === undefined) this.turns.hold();
  }
  goOn(missedMs: number): void {
    this.turns.goOn(missedMs);
  }
  /** No new turn from now on; those that are there play to their end. */
  drain(): void {
    this.turns.drain();
  }
  /** Stops everything at once, without a word. */
  close(): void {
    for (let left = this.awaited.size; left > 0; left -= 1) this.runtime.metrics.turnEnded('left', 0, 0);
    this.turns.close();
    this.attachedLeg.close();
    this.audience.close();
  }

  private perform(command: ClientCommand, queue: string): void {
    this.attempt(turnOf(command), () => this.carryOut(command, queue));
    this.turns.line.markDirty();
  }
  private attempt(turn: string | undefined, task: () => void): void {
    try {
      task();
    } catch (thrown) {
      const error = toAppError(thrown);
      if (error.code === 'internal')
        this.runtime.log.error('a command failed inside', { cause: String(error.cause) });
      this.out.say(errorEvent(error, turn));
    }
  }
  private carryOut(command: ClientCommand, queue: string): void {
    const id = command.type === 'hangup' ? command.after : turnOf(command);
    if (id !== undefined && this.awaited.has(id)) return this.keep(id, command);
    const { turns, attachedLeg: leg, out } = this;
    switch (command.type) {
      case 'configure': {
        const { type: _type, ...fields } = command;
        this.settings = applySettings(this.settings, fields);
        return out.say(configuredEvent(this.settings));
      }
      case 'speak':
        return this.speak(command, queue);
      case 'append':
        return this.append(command, queue);
      case 'flush':
        return turns.openText(command.turn)?.flush();
      case 'end':
        return turns.openText(command.turn)?.script.end();
      case 'cancel':
        if (command.turn === undefined) this.cancelAwaited(undefined, command.playedMs);
        if (command.turn === undefined || turns.isKnown(command.turn))
          turns.line.cancel(command.turn, command.playedMs);
        return;
      case 'mark':
        return this.mark(command.turn, command.name);
      case 'played':
        if (turns.isKnown(command.turn)) turns.line.find(command.turn)?.played(command.ms, 'client');
        return;
      case 'pause':
        return turns.unended(command.turn)?.pause(command.playedMs);
      case 'resume':
        return this.resume(command.turn);
      case 'seek':
        return turns.unended(command.turn)?.seek(command.paragraph, command.playedMs);
      case 'attach':
        return leg.attach(command);
      case 'detach':
        return leg.detach();
      case 'hangup':
        return leg.hangUp(command.after);
      case 'voices':
        return this.tellVoices();
      case 'ping':
        return out.say({ type: 'pong', ...(command.id === undefined ? {} : { id: command.id }) });
    }
  }

  private tellVoices(): void {
    const { tenant, upstream } = this.settings;
    this.voices.tell(async () => (await this.runtime.listVoices?.({ tenant, upstream })) ?? []);
  }
  /** What is said of a turn that waits for its leg. */
  private keep(id: string, command: ClientCommand): void {
    const { awaited } = this;
    if (command.type === 'speak') throw turnOpen();
    if (command.type === 'cancel') return this.cancelAwaited(id, command.playedMs);
    if (awaited.isFull())
      throw new AppError('text_full', 'Too much has been said of turns that wait for their leg.', {
        retryAfterMs: 1000,
      });
    if (command.type === 'append') return this.appendAwaited(id, command);
    if (command.type === 'end') awaited.endText(id, 'ended');
    awaited.keep(id, command);
  }
  private appendAwaited(
    id: string,
    { type: _type, turn: _turn, text, speaker, ...fields }: CommandOf<'append'>,
  ): void {
    const { awaited } = this;
    const { characters, text: state } = awaited.textOf(id)!;
    this.bounds.checkLength(text.length);
    checkNoFields(fields);
    if (state === 'told') return;
    if (state === 'ended') {
      awaited.endText(id, 'told');
      throw textEnded();
    }
    this.bounds.checkRoom(text.length, characters);
    this.bounds.checkMemory(text);
    awaited.append(id, text, speaker, fullTextBytes(text));
  }
  private carryOutKept(): void {
    for (const entry of this.awaited.release()) this.carryOutEntry(entry);
    this.turns.line.markDirty();
  }
  private carryOutEntry(entry: KeptEntry): void {
    this.attempt(entry.turn, () => {
      if (entry.is === 'open') entry.open();
      else if (entry.is === 'command') this.carryOut(entry.command, OWN_QUEUE);
      else this.turns.line.find(entry.turn)?.script.append(entry.text, entry.speaker);
    });
  }
  private cancelAwaited(turn: string | undefined, playedMs: number | undefined): void {
    const dropped = this.dropAwaited(turn, (begun) => this.turns.line.cancel(begun, playedMs), undefined);
    // A call is hung up behind a turn that was cut as well.
    if (dropped.some((entry) => entry.is === 'command' && entry.command.type === 'hangup'))
      this.awaited.keep(undefined, { type: 'hangup' });
  }
  private failAwaited(error: AppError): void {
    this.dropAwaited(undefined, (begun) => this.turns.legGone([begun], error), error);
  }
  /**
   * Ends `turn`, or all that wait: failed, or cancelled where there is no error. One of which its listener has had `started`, from
   * an instance that is gone, has to say `heard`, too: it is opened, and `end` ends it. Answers what was said of them.
   */
  private dropAwaited(
    turn: string | undefined,
    end: (begun: string) => void,
    error: AppError | undefined,
  ): readonly KeptEntry[] {
    const { turns, entries } = this.awaited.drop(turn);
    for (const id of turns) {
      const isBegun = this.runtime.life?.had(id)?.isStarted === true;
      if (!isBegun) this.turns.endUnbegun(id, error);
      for (const entry of entries) {
        const command = entry.is === 'command' ? entry.command.type : undefined;
        const isCarriedOut = command === 'mark' || (isBegun && (command === undefined || command === 'seek'));
        if (entry.turn === id && isCarriedOut) this.carryOutEntry(entry);
      }
      if (isBegun) end(id);
    }
    return entries;
  }
  /** `onOpen`: what follows at once, in a turn that is taken. */
  private open(
    id: string,
    fields: Preset,
    whole: WholeText | undefined,
    queue: string,
    text: string,
    onOpen: (turn: LiveTurn) => void = () => {},
  ): void {
    const { attachedLeg: leg, awaited, turns } = this;
    const settings = applySettings(this.settings, fields);
    const open = (admission: 'asked-for' | 'given') => {
      const turn = turns.open(id, leg.settingsFor(settings), whole, queue, admission);
      if (turn !== undefined) onOpen(turn);
    };
    if (!leg.isAwaited()) return open('asked-for');
    const refused = turns.refusal(settings, queue, awaited.size);
    if (refused !== undefined) return turns.endUnbegun(id, refused);
    const state = whole === undefined ? 'open' : 'whole';
    awaited.name(id, state, text.length, fullTextBytes(text), () => open('given'));
  }
  private speak(
    { type: _type, turn: id, text, dialogue, ...fields }: CommandOf<'speak'>,
    queue: string,
  ): void {
    this.turns.checkFree(id);
    this.bounds.checkLength(text?.length ?? dialogue!.reduce((sum, part) => sum + part.text.length, 0));
    const words = text ?? dialogue!.map((part) => part.text).join('\n');
    this.bounds.checkMemory(words);
    const whole: WholeText =
      text === undefined ? { kind: 'dialogue', lines: dialogue! } : { kind: 'text', text };
    this.open(id, fields, whole, queue, words);
  }
  private append(
    { type: _type, turn: id, text, speaker, ...fields }: CommandOf<'append'>,
    queue: string,
  ): void {
    const { turns } = this;
    this.bounds.checkLength(text.length);
    if (!turns.has(id)) {
      this.bounds.checkRoom(text.length, 0); // a message that is refused opens no turn
      this.bounds.checkMemory(text);
      return this.open(id, fields, undefined, queue, text, (turn) => turn.script.append(text, speaker));
    }
    const script = turns.openText(id)?.script;
    if (script === undefined) return;
    checkNoFields(fields);
    if (script.input() === 'ended') return turns.tellTextEnded(id);
    // A client that tries again is not a silent one, whether there is room or not.
    if (text !== '') turns.line.touch(id);
    this.bounds.checkRoom(text.length, script.stretch().pendingCharacters());
    this.bounds.checkTurn(text.length, script.totalCharacters());
    this.bounds.checkMemory(text);
    script.append(text, speaker);
  }
  private mark(id: string, name: string): void {
    const turn = this.turns.line.find(id);
    if (turn !== undefined) return turn.mark(name);
    const outcome = this.turns.lateMarks(id);
    if (outcome !== undefined) this.out.say({ type: 'mark', turn: id, name, outcome });
  }
  private resume(id: string): void {
    const turn = this.turns.unended(id);
    if (turn === undefined) return;
    turn.resume();
    // Nobody is to give text to a turn that stands still.
    this.turns.line.touch(id);
  }
}
