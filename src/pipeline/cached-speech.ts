// Speech that may have been spoken before. A request whose audio is in the phrase store costs no quota and begins at once.
// Any other is stored when it has been spoken whole at the first try: not when its body broke or was in doubt. A stored
// phrase that comes into doubt is dropped, and the body that is then requested takes its place.

import { ASKED_LAYOUTS, type BodyType, bodyTypeOf, MP3_BODY } from '../audio/bodies/body-type.ts';
import type { OutgoingRequest } from '../speech/speech-request.ts';
import type { PhraseStore } from '../storage/phrase-store.ts';
import { phraseKey } from '../storage/phrase-store.ts';
import type { OpenOptions, SpeechBody, SpeechUpstream } from '../upstream/speech-upstream.ts';

export type CachedSpeech = {
  readonly store: PhraseStore;
  readonly tenant: string;
  /** What tells the service apart from all others, its model included: its speech is never taken for another's. */
  readonly service: string;
};

/** Longer bodies are not stored: half a minute at 128 kbit/s. */
const MAX_PHRASE_BYTES = 512 * 1024;
/** A quarter of a second at 128 kbit/s: bounds the work of a reader in one iteration of the event loop. */
const SLICE_BYTES = 4096;

/**
 * Runs `relay` with an upstream whose first answer may come from the store; such a body has `attempts` 0 and did not
 * wait. Rejects with what `relay` rejects with.
 */
export async function relayCached(
  { store, tenant, service }: CachedSpeech,
  request: OutgoingRequest,
  upstream: SpeechUpstream,
  relay: (upstream: SpeechUpstream) => Promise<void>,
): Promise<void> {
  const ownKey = phraseKey(tenant, service, request);
  // A service that does not answer in the format that it is asked for answers in one that shows by its first bytes what it is.
  const { sampleRate: _rate, ...others } = request;
  const otherKey = phraseKey(tenant, service, { ...others, outputFormat: 'mp3' });
  const own = await store.find(ownKey);
  const other = own === undefined && otherKey !== ownKey ? await store.find(otherKey) : undefined;
  const kept = own ?? other;
  store.onLookup?.(kept === undefined ? 'miss' : 'hit');
  const foundAs = other === undefined ? ownKey : otherKey;
  let opened = 0;
  /** Which body is stored when it is whole: the first one that is requested from the service. */
  const keptFrom = kept === undefined ? 1 : 2;
  let whole: { readonly key: string; readonly bytes: Uint8Array } | undefined;
  const typeOfKept = (body: Uint8Array): { readonly type?: BodyType } =>
    other === undefined && isMarkless(request) ? typeOf(request) : typeByMark(body);
  /** Samples without a mark are kept only where the request tells what they are. */
  const keyFor = (body: SpeechBody): string | undefined => {
    if (isAsAsked(body, request)) return ownKey;
    return (body.type ?? MP3_BODY).kind === 'plain' ? undefined : otherKey;
  };
  const open = async (asked: OutgoingRequest, options: OpenOptions): Promise<SpeechBody> => {
    opened += 1;
    if (kept !== undefined && opened === 1)
      return { chunks: inSlices(kept), ...typeOfKept(kept), queueMs: 0, ttfbMs: 0, attempts: 0 };
    if (kept !== undefined && opened === 2) store.drop(foundAs);
    const body = await upstream.open(asked, options);
    if (opened > keptFrom) return body;
    const key = keyFor(body);
    if (key === undefined) return body;
    const onEnd = (bytes: Uint8Array) => {
      whole = { key, bytes };
    };
    return { ...body, chunks: copying(body.chunks, onEnd) };
  };
  await relay({ open });
  if (opened === keptFrom && whole !== undefined) store.keep(whole.key, whole.bytes);
}

/** What a kept body of such a request is. */
function typeOf({ outputFormat, sampleRate }: OutgoingRequest): { readonly type?: BodyType } {
  const layout = ASKED_LAYOUTS[outputFormat ?? 'mp3'];
  if (layout === undefined || sampleRate === undefined) return {};
  return { type: { kind: 'plain', sound: { layout, sampleRate, channels: 1 } } };
}

function typeByMark(body: Uint8Array): { readonly type?: BodyType } {
  const head = { contentType: 'application/octet-stream', asked: { format: 'mp3' } } as const;
  const known = bodyTypeOf(head, body.subarray(0, MARK_BYTES), true);
  return known.found === 'type' ? { type: known.type } : {};
}
const MARK_BYTES = 4096;

const isMarkless = ({ outputFormat }: OutgoingRequest): boolean =>
  ASKED_LAYOUTS[outputFormat ?? 'mp3'] !== undefined;

const isAsAsked = ({ type = MP3_BODY }: SpeechBody, request: OutgoingRequest): boolean => {
  const asked = typeOf(request).type ?? MP3_BODY;
  if (type.kind !== 'plain' || asked.kind !== 'plain') return type.kind === asked.kind;
  const { layout, sampleRate, channels } = type.sound;
  return layout === asked.sound.layout && sampleRate === asked.sound.sampleRate && channels === 1;
};

async function* inSlices(body: Uint8Array): AsyncGenerator<Uint8Array, void> {
  for (let at = 0; at < body.length; at += SLICE_BYTES) yield body.subarray(at, at + SLICE_BYTES);
}

async function* copying(
  chunks: AsyncIterable<Uint8Array>,
  onEnd: (whole: Uint8Array) => void,
): AsyncGenerator<Uint8Array, void> {
  let copies: Uint8Array[] | undefined = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_PHRASE_BYTES) copies = undefined;
    copies?.push(Uint8Array.from(chunk)); // `slice` of a Buffer is no copy
    yield chunk;
  }
  if (copies !== undefined) onEnd(Buffer.concat(copies, bytes));
}
