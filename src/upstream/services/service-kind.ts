// What one kind of speech service is to the gateway: how a request to it is written, and what it can do. Connections, deadlines,
// limits, keys and the joining of bodies are the same for all kinds.

import type { AskedSound } from '../../speech/audio-format.ts';
import type { OutgoingRequest, SynthesisFields } from '../../speech/speech-request.ts';
import type { RequestShape } from '../../text/request-text.ts';
import type { SoundOffer } from '../sound-offer.ts';
import type { Credentials } from '../speech-transport.ts';
import type { TimedForm } from './timed-answer.ts';

export type ServiceHttpRequest = {
  /** Behind the path of the base address. */
  readonly path: string;
  /** What the path of the base address ends with and this request's does not. */
  readonly without?: string;
  /** Names in small letters; Host, Content-Length and Accept-Encoding are the transport's. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body: string;
};

/** How a service is asked for speech together with the times of its words. */
export type TimedRoute = {
  readonly form: TimedForm;
  /** As `ServiceKind.toHttp`; `sound`: what is asked for, where that route has not all that the other one has. */
  toHttp(
    request: OutgoingRequest,
    credentials: Credentials,
    sound: AskedSound,
  ): ServiceHttpRequest & { readonly sound?: AskedSound };
};

export type ServiceKind = {
  /** What one request may hold. */
  readonly shape: RequestShape;
  /** Fields of a turn that it does not know; they are left out. */
  readonly ignored: readonly (keyof SynthesisFields)[];
  /** The same seed may sound different; absent: it sounds the same, where the service knows `seed`. */
  readonly seeds?: 'best-effort';
  /** What it calls fields of a turn, where its name for them is another: in its refusals they are told by ours. */
  readonly names: Readonly<Record<string, string>>;
  /** Asked for by GET to open connections ahead of need; whatever it answers. */
  readonly warmPath: string;
  /** What its answers can be. */
  readonly sounds: SoundOffer;
  /** Hz of its PCM where neither the request nor the answer tells it; absent: such an answer is refused. */
  readonly usualPcmRate?: number;
  /** Requests keep to `shape`; `sound` is one that is offered. */
  toHttp(request: OutgoingRequest, credentials: Credentials, sound: AskedSound): ServiceHttpRequest;
  /** Absent: it tells no times, or they are not wanted. */
  readonly timed?: TimedRoute | undefined;
};

/** What is set about a service, besides its address and keys. */
export type KindSettings = {
  /** Absent: the kind's own default. */
  readonly model: string | undefined;
  /** Absent, or `auto`: what the kind prefers. */
  readonly sound?: 'auto' | SoundOffer['prefers'];
  /** Whose word times are used where the service tells any; default: ours. */
  readonly wordTimes?: 'service' | 'ours';
};

/** Services refuse a speed outside of their bounds; the nearest that they know is closer to what was asked for. */
export const clamped = (speed: number, slowest: number, fastest: number): number =>
  Math.min(fastest, Math.max(slowest, speed));
