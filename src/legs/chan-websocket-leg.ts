// Asterisk's chan_websocket: binary frames are media in the channel's codec, text frames are control. The channel cuts
// media into frames of its own and drops what is left over, so only whole frames are sent, and no buffering is asked for;
// neither its padding nor its silence is relied on. Its queue is never emptied faster than it plays, so little is queued.

import { bytesPerMs, SILENT_SAMPLE } from '../speech/plain-sound.ts';
import { parseJsonObject, textOf } from './json-message.ts';
import type { Leg, LegCodec, LegInput, LegRules } from './leg.ts';
import { UNKNOWN, unservedInput } from './leg-input.ts';
import { readNamedAudio } from './named-audio.ts';

// The two ways in which chan_websocket writes its control messages: lines of plain text (its first, deprecated and still
// the default) and JSON (`f(json)`). Which one a channel speaks shows in the first byte that it sends.

type ControlSyntax = 'plain' | 'json';

type ChannelEvent = {
  readonly name: string;
  /** Undefined for what is not there, or is not text or a number. */
  field(name: string): string | undefined;
  /** A variable of the channel; only JSON tells them. */
  variable(name: string): string | undefined;
};

const syntaxOf = (message: string): ControlSyntax => (message.startsWith('{') ? 'json' : 'plain');

const scalarOf = (value: unknown): string | undefined =>
  typeof value === 'number' ? String(value) : textOf(value);

function readJson(message: string): ChannelEvent | undefined {
  const object = parseJsonObject(message);
  const name = textOf(object?.event);
  if (object === undefined || name === undefined) return undefined;
  const variables = object.channel_variables;
  return {
    name,
    field: (field) => (Object.hasOwn(object, field) ? scalarOf(object[field]) : undefined),
    variable(variable) {
      if (typeof variables !== 'object' || variables === null || !Object.hasOwn(variables, variable))
        return undefined;
      return scalarOf((variables as Record<string, unknown>)[variable]);
    },
  };
}

/** `NAME key:value key:value`; what follows a mark's event is its id, with or without a key. */
function readPlain(message: string): ChannelEvent | undefined {
  const [name = '', ...words] = message.trim().split(/\s+/);
  if (!/^[A-Z_]{1,64}$/.test(name)) return undefined;
  const fields = new Map<string, string>();
  for (const word of words) {
    const end = word.indexOf(':');
    if (end > 0) fields.set(word.slice(0, end), word.slice(end + 1));
    else fields.set('correlation_id', word);
  }
  return { name, field: (field) => textOf(fields.get(field)), variable: () => undefined };
}

/** Undefined for what is no event of the syntax. */
const readEvent = (syntax: ControlSyntax, message: string): ChannelEvent | undefined =>
  syntax === 'json' ? readJson(message) : readPlain(message);

/** A command as chan_websocket takes it; it drops those of more than 128 bytes. */
function writeCommand(syntax: ControlSyntax, command: string, id?: string): string {
  if (syntax === 'plain') return id === undefined ? command : `${command} ${id}`;
  return JSON.stringify({ command, ...(id !== undefined && { correlation_id: id }) });
}

const STEP_MS = 20;
/** Frames that take its socket more than a few reads have it hang up. */
const MAX_BYTES = 8000;
const RULES: LegRules = {
  clock: 'carrier',
  leadMs: 160,
  leastMs: 60,
  mostBytes: MAX_BYTES,
  stepMs: STEP_MS,
};

/** Set on the channel, inherited (`__`) or not. */
const TOKEN_VARIABLES = ['VOXGATE_TOKEN', '_VOXGATE_TOKEN', '__VOXGATE_TOKEN'];
/** Told, and nothing to us. */
const IDLE_EVENTS: ReadonlySet<string> = new Set(['MEDIA_BUFFERING_COMPLETED', 'QUEUE_DRAINED', 'ERROR']);
const DIGIT = /^[0-9A-D*#]$/;

function createCodec(): LegCodec {
  let syntax: ControlSyntax = 'plain';
  let rules = RULES;
  let sampleBytes = 0;
  let flow: 'stop' | 'go' = 'go';

  const turnFlow = (state: 'stop' | 'go'): readonly LegInput[] => {
    flow = state;
    return [{ kind: 'flow', state }];
  };
  const readStart = (event: ChannelEvent): readonly LegInput[] => {
    const callId = event.field('channel_id') ?? event.field('connection_id');
    const token = TOKEN_VARIABLES.map((name) => event.variable(name)).find((each) => each !== undefined);
    const named = readNamedAudio({ encoding: event.field('format') });
    if ('came' in named) return unservedInput(named, { callId, token });
    const { audio } = named;
    const bytes = SILENT_SAMPLE[audio.format].length;
    const stepLength = STEP_MS * bytesPerMs(audio);
    const frameBytes = Number(event.field('optimal_frame_size') ?? stepLength);
    const isFrame = frameBytes > 0 && frameBytes <= MAX_BYTES && frameBytes % bytes === 0;
    if (!isFrame) return UNKNOWN;
    sampleBytes = bytes;
    const stepBytes = Math.max(1, Math.round(stepLength / frameBytes)) * frameBytes;
    const mostBytes = Math.floor(MAX_BYTES / stepBytes) * stepBytes;
    rules = { ...RULES, mostBytes, stepMs: stepBytes / bytesPerMs(audio) };
    return [{ kind: 'start', callId, token, audio }];
  };
  const readControl = (message: string): readonly LegInput[] => {
    if (sampleBytes === 0) syntax = syntaxOf(message);
    const event = readEvent(syntax, message);
    if (event === undefined) return UNKNOWN;
    switch (event.name) {
      case 'MEDIA_START':
        return sampleBytes === 0 ? readStart(event) : UNKNOWN;
      case 'MEDIA_XOFF':
        return turnFlow('stop');
      case 'MEDIA_XON':
        return turnFlow('go');
      case 'STATUS': {
        const [length, level] = ['queue_length', 'xon_level'].map((name) => Number(event.field(name)));
        return flow === 'stop' && length! < level! ? turnFlow('go') : [];
      }
      case 'MEDIA_MARK_PROCESSED': {
        const name = event.field('correlation_id');
        return name === undefined ? UNKNOWN : [{ kind: 'mark', name, fate: 'played' }];
      }
      case 'DTMF_END': {
        const digit = event.field('digit') ?? '';
        return DIGIT.test(digit) ? [{ kind: 'digit', digit }] : UNKNOWN;
      }
      default:
        return IDLE_EVENTS.has(event.name) ? [] : UNKNOWN;
    }
  };

  return {
    rules: () => rules,
    read(frame) {
      if (typeof frame === 'string') return readControl(frame);
      const isAudio = sampleBytes > 0 && frame.length > 0 && frame.length % sampleBytes === 0;
      return isAudio ? [{ kind: 'audio', bytes: frame }] : UNKNOWN;
    },
    media: (bytes) => [bytes],
    mark: (name) => [writeCommand(syntax, 'MARK_MEDIA', name)],
    clear() {
      // A flush leaves a pause in force, whatever the documents say; and a queue that was full says so no more.
      const commands = ['FLUSH_MEDIA', 'CONTINUE_MEDIA', ...(flow === 'stop' ? ['GET_STATUS'] : [])];
      return commands.map((command) => writeCommand(syntax, command));
    },
    hangUp: () => [writeCommand(syntax, 'HANGUP')],
  };
}

export const chanWebSocketLeg: Leg = { kind: 'chan-websocket', protocols: ['media'], open: createCodec };
