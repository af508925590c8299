// Fields that an operator adds to each request of a service (`options`): stability, instructions, flags against logging. Where a
// vendor has them in the query or within another field, they go there; what a request says itself counts more.

import type { ServiceKindName } from '../../settings/service-kind-names.ts';
import type { ServiceHttpRequest, ServiceKind } from './service-kind.ts';

export type ServiceOptions = Readonly<Record<string, unknown>>;

/** ElevenLabs has these in the query, and those in `voice_settings` (their reference of the route). */
const ELEVENLABS_QUERY = ['enable_logging', 'optimize_streaming_latency'];
const ELEVENLABS_VOICE = ['stability', 'similarity_boost', 'style', 'use_speaker_boost'];

const isTable = (value: unknown): value is ServiceOptions =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `own` over `added`, tables within them likewise. */
function merged(added: ServiceOptions, own: ServiceOptions): ServiceOptions {
  const both: Record<string, unknown> = { ...added };
  for (const [name, value] of Object.entries(own)) {
    const there = both[name];
    both[name] = isTable(there) && isTable(value) ? { ...there, ...value } : value;
  }
  return both;
}

/** What of `options` goes into the query, and what into the body. */
function placed(
  kind: ServiceKindName,
  options: ServiceOptions,
): { query: ServiceOptions; body: ServiceOptions } {
  if (kind === 'deepgram') return { query: options, body: {} };
  if (kind !== 'elevenlabs') return { query: {}, body: options };
  const query: Record<string, unknown> = {};
  const voice: Record<string, unknown> = {};
  const body: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(options))
    (ELEVENLABS_QUERY.includes(name) ? query : ELEVENLABS_VOICE.includes(name) ? voice : body)[name] = value;
  return { query, body: Object.keys(voice).length === 0 ? body : merged(body, { voice_settings: voice }) };
}

function withQuery(path: string, added: ServiceOptions): string {
  const [route, query = ''] = path.split('?', 2) as [string, string?];
  const own = new URLSearchParams(query);
  for (const [name, value] of Object.entries(added)) if (!own.has(name)) own.set(name, String(value));
  const all = own.toString();
  return all === '' ? route : `${route}?${all}`;
}

/** `kind` with `options` in each request; itself where there are none. */
export function withOptions(name: ServiceKindName, kind: ServiceKind, options: ServiceOptions): ServiceKind {
  if (Object.keys(options).length === 0) return kind;
  const { query, body: added } = placed(name, options);
  const withAdded = <Made extends ServiceHttpRequest>(made: Made): Made => ({
    ...made,
    path: withQuery(made.path, query),
    body: JSON.stringify(merged(added, JSON.parse(made.body) as ServiceOptions)),
  });
  const { timed } = kind;
  return {
    ...kind,
    toHttp: (request, credentials, asked) => withAdded(kind.toHttp(request, credentials, asked)),
    timed: timed && {
      ...timed,
      toHttp: (request, credentials, asked) => withAdded(timed.toHttp(request, credentials, asked)),
    },
  };
}
