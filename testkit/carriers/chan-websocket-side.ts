// Asterisk's side of chan_websocket, from its documents and source, in either control syntax. It drops what Asterisk drops
// without a word (a command that is too long, what is left over of a frame) and tells it as a fault.

import type { CarrierOrder, CarrierSide } from './carrier-side.ts';

export type ChannelOptions = {
  readonly syntax: 'plain' | 'json';
  /** Asterisk's name of the codec. */
  readonly format: string;
  /** Of a frame of 20 ms. */
  readonly frameBytes: number;
  /** Its own; told when the call begins. */
  readonly connectionId?: string | undefined;
  /** Frames that wait: the channel says stop, then go, and drops what comes beyond the last. */
  readonly levels?: { readonly stop: number; readonly go: number; readonly full: number };
};

/** Its `MAX_TEXT_MESSAGE_LEN`: longer ones leave a line in its log and nothing else. */
const MAX_COMMAND_BYTES = 128;
const MAX_MESSAGE_BYTES = 65_500;
const FRAME_MS = 20;
/** Frames; what its source counts with. */
export const CHANNEL_LEVELS = { stop: 900, go: 800, full: 1000 };
const COMMANDS: ReadonlySet<string> = new Set([
  'ANSWER',
  'HANGUP',
  'START_MEDIA_BUFFERING',
  'STOP_MEDIA_BUFFERING',
  'FLUSH_MEDIA',
  'PAUSE_MEDIA',
  'CONTINUE_MEDIA',
  'MARK_MEDIA',
  'GET_STATUS',
  'REPORT_QUEUE_DRAINED',
]);
const CONNECTION_ID = '6f1c8a52-0d4e-4b7e-9a3f-2f8f6f0a9d11';

const fault = (what: string): CarrierOrder => ({ kind: 'fault', what });

export function createChanWebSocketSide(options: ChannelOptions): CarrierSide {
  const { syntax, format, frameBytes, connectionId = CONNECTION_ID, levels = CHANNEL_LEVELS } = options;
  let isStopped = false;
  let isStatusAsked = false;

  const say = (event: string, fields: Readonly<Record<string, unknown>>): string => {
    if (syntax === 'json') return JSON.stringify({ event, ...fields });
    const words = Object.entries(fields).filter(([, value]) => typeof value !== 'object');
    return [event, ...words.map(([key, value]) => `${key}:${String(value)}`)].join(' ');
  };
  const parse = (text: string): { command: string; id: string | undefined } | undefined => {
    if (syntax === 'plain') {
      const [command = '', id] = text.split(' ');
      return { command, id };
    }
    try {
      const { command, correlation_id: id } = JSON.parse(text) as Record<string, unknown>;
      return { command: String(command), id: typeof id === 'string' ? id : undefined };
    } catch {
      return undefined;
    }
  };
  const readCommand = (text: string): CarrierOrder => {
    if (Buffer.byteLength(text) > MAX_COMMAND_BYTES) return fault('a command of more than 128 bytes');
    const parsed = parse(text);
    if (parsed === undefined || !COMMANDS.has(parsed.command))
      return fault('a command that the channel does not know');
    const { command, id } = parsed;
    if (command === 'FLUSH_MEDIA') return { kind: 'clear' };
    if (command === 'HANGUP') return { kind: 'hang-up' };
    if (command === 'MARK_MEDIA')
      return id === undefined ? fault('a mark without an id') : { kind: 'mark', name: id };
    if (command === 'GET_STATUS') isStatusAsked = true;
    else if (command !== 'CONTINUE_MEDIA') return fault(`${command} is not needed for whole frames`);
    return { kind: 'nothing' };
  };

  return {
    open({ callId, token }) {
      isStopped = false;
      return [
        say('MEDIA_START', {
          connection_id: connectionId,
          channel: `WebSocket/voxgate/${connectionId}`,
          channel_id: callId,
          format,
          optimal_frame_size: frameBytes,
          ptime: FRAME_MS,
          channel_variables: token === undefined ? {} : { VOXGATE_TOKEN: token },
        }),
      ];
    },
    inbound: (bytes) => bytes,
    mark: (name) => [say('MEDIA_MARK_PROCESSED', { correlation_id: name })],
    digit: (digit) => [say('DTMF_END', { digit })],
    // The channel is gone and its socket with it.
    end: () => [],
    flow(bufferedMs) {
      const frames = bufferedMs / FRAME_MS;
      const told: string[] = [];
      if (isStopped ? frames < levels.go : frames >= levels.stop) {
        isStopped = !isStopped;
        told.push(say(isStopped ? 'MEDIA_XOFF' : 'MEDIA_XON', {}));
      }
      if (isStatusAsked)
        told.push(
          say('STATUS', {
            queue_length: Math.ceil(frames),
            xon_level: levels.go,
            xoff_level: levels.stop,
            queue_full: isStopped,
            bulk_media: false,
            media_paused: false,
          }),
        );
      isStatusAsked = false;
      return told;
    },
    read(frame) {
      if (typeof frame === 'string') return readCommand(frame);
      if (frame.length > MAX_MESSAGE_BYTES) return fault('a message of more than 65500 bytes: hung up');
      if (frame.length === 0 || frame.length % frameBytes !== 0)
        return fault(
          `media of ${frame.length} bytes, which are no whole frames of ${frameBytes}: the rest is dropped`,
        );
      return { kind: 'media', bytes: frame };
    },
  };
}
