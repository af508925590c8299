// What a context's client says → commands for its turns. Every command is held against the native protocol's own schema, and
// what would be refused there, or is, ends the context: its text would be spoken with a hole in it.

import type { z } from 'zod';
import { readBySchema } from '../../base/check-fields.ts';
import type { DialectSink } from '../dialect.ts';
import { type ClientCommand, clientMessageSchemas } from '../native-messages.ts';
import type { TextPart } from './client-message.ts';
import {
  type Context,
  type ContextTurn,
  MAX_VOICES,
  openingFields,
  openTurnOf,
  speakerOf,
} from './context.ts';
import { type ProtocolError, tooManyVoices, toProtocolError } from './protocol-error.ts';

export type ContextText = {
  append(context: Context, part: TextPart): void;
  flush(context: Context): void;
  /** No more text for the turn that takes it; what comes later is another turn's. */
  end(context: Context): void;
};

export type ContextTextOptions = {
  readonly sink: Pick<DialectSink, 'carryOut' | 'newId'>;
  readonly onTurn: (turn: ContextTurn) => void;
  /** Tells the client, once; the context ends when the command has been carried out. */
  readonly onFailure: (context: Context, failure: ProtocolError) => void;
  /** There was nothing to flush. */
  readonly onFlushed: (context: Context) => void;
};

const isBlank = (text: string): boolean => text.trim() === '';

export function createContextText({ sink, onTurn, onFailure, onFlushed }: ContextTextOptions): ContextText {
  const order = (context: Context, command: ClientCommand) => {
    const schema: z.ZodType = clientMessageSchemas[command.type];
    const read = readBySchema(schema, command, 'message');
    if (read.ok) return sink.carryOut(command, context.queue);
    onFailure(context, toProtocolError({ code: 'invalid_request', message: read.message }));
  };

  const openTurn = (context: Context): ContextTurn => {
    const turn: ContextTurn = {
      id: sink.newId(),
      context,
      text: 'open',
      voices: context.voices.length,
      lastCharacter: '\n',
      flushesOwed: 0,
      bytesPerMs: undefined,
    };
    context.queue ??= turn.id;
    context.turns.push(turn);
    onTurn(turn);
    return turn;
  };
  const say = (context: Context, part: TextPart, speaker: 1 | 2 | undefined) => {
    const known = openTurnOf(context);
    const turn = known ?? openTurn(context);
    // The same voice speaks again: without a break its last word and the next would be one.
    const text = part.turn === 'new' && !/\s/.test(turn.lastCharacter) ? `\n${part.text}` : part.text;
    order(context, {
      type: 'append',
      turn: turn.id,
      text,
      ...(speaker !== undefined && { speaker }),
      ...(known === undefined && openingFields(context)),
    });
    turn.lastCharacter = part.text.slice(-1);
    // The session had ended the text by itself, after a long silence: once more, in a turn of its own.
    if (known?.text === 'ended' && context.failure === undefined) say(context, part, speaker);
  };
  const end = (context: Context) => {
    const turn = openTurnOf(context);
    if (turn === undefined) return;
    turn.text = 'ended';
    order(context, { type: 'end', turn: turn.id });
  };

  return {
    append(context, part) {
      const speaker = speakerOf(context, part);
      if (speaker === 'one-too-many') return onFailure(context, tooManyVoices(MAX_VOICES));
      // Voices are those of a turn from its beginning.
      if (openTurnOf(context)?.voices !== context.voices.length) end(context);
      if (!isBlank(part.text)) context.unflushed = 'text';
      // Blank text says nothing where nothing was said.
      else if (openTurnOf(context) === undefined) return;
      say(context, part, speaker);
    },
    flush(context) {
      context.unflushed = 'nothing';
      context.flushedAtMs = context.sentToMs;
      const turn = context.turns.at(-1);
      if (turn === undefined) onFlushed(context);
      else if (turn.text === 'ended') turn.flushesOwed += 1;
      else order(context, { type: 'flush', turn: turn.id });
    },
    end,
  };
}
