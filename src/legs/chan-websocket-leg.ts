// Asterisk's chan_websocket: binary frames are media in the channel's codec, text frames are control. The channel cuts
// media into frames of its own and drops what is left over, so only whole frames are sent, and no buffering is asked for;
// neither its padding nor its silence is relied on. Its queue is never emptied faster than it plays, so little is queued.

import { bytesPerMs, SILENT_SAMPLE } from '../speech/plain-sound.ts';
import {
  type ChannelEvent,
  type ControlSyntax,
  readEvent,
  syntaxOf,
  writeCommand,
} from './chan-websocket-control.ts';
import type { Leg, LegCodec, LegInput, LegRules } from './leg.ts';
import { UNKNOWN, unservedInput } from './leg-input.ts';
import { readNamedAudio } from './named-audio.ts';

const STEP_MS = 20;
/** Frames that take its socket more than a few reads have it hang up. */
const MOST_BYTES = 8000;
const RULES: LegRules = {
  clock: 'carrier',
  leadMs: 160,
  leastMs: 60,
  mostBytes: MOST_BYTES,
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
    const isFrame = frameBytes > 0 && frameBytes <= MOST_BYTES && frameBytes % bytes === 0;
    if (!isFrame) return UNKNOWN;
    sampleBytes = bytes;
    const stepBytes = Math.max(1, Math.round(stepLength / frameBytes)) * frameBytes;
    const mostBytes = Math.floor(MOST_BYTES / stepBytes) * stepBytes;
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
