// Observers of a session that speaks, over plain HTTP: its words as events and as WebVTT, its sound in any format.

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readBearer } from '../../access/bearer-key.ts';
import type { Medium } from '../../access/caller-tokens.ts';
import type { Credentials } from '../../access/credentials.ts';
import { headerLines } from '../../access/header-lines.ts';
import type { TokenIssuer } from '../../access/token-issuer.ts';
import { AppError, aboutToStop } from '../../base/app-error.ts';
import { fieldError } from '../../base/check-fields.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { VTT_HEADER } from '../../captions/growing-vtt.ts';
import { findSession, type LiveSession, type LiveSessions } from '../../session/live-sessions.ts';
import type { NumberedEvent } from '../../session/observers/onlooker-words.ts';
import type { Onlookers } from '../../session/observers/session-audience.ts';
import { SESSION_FORMATS, type SessionFormat, sampleRateRefusal } from '../../speech/audio-format.ts';
import { mediaTypeOf } from '../../speech/reply-media-type.ts';
import { sampleRateField } from '../../speech/speech-request.ts';
import { errorReplies } from '../server/error-replies.ts';
import { noteRequest } from '../server/request-log.ts';
import { createLiveReply, type LiveReply } from './live-reply.ts';

// Who may observe: the session's own user with a key, a caller with a token for it, and on a gateway without keys this
// machine. Sessions of other users answer 404.

type WatchAccess = {
  readonly live: LiveSession;
  /** Of the observer's token: the reply is closed when it is revoked. */
  readonly tokenId: string | undefined;
};

type WatchAccessOptions = {
  readonly credentials: Credentials;
  readonly tokens: TokenIssuer;
  readonly sessions: LiveSessions;
};

/** Throws `unauthorized`, `forbidden` and `not_found`. */
function admitObserver(
  request: FastifyRequest,
  medium: Medium,
  { credentials, tokens, sessions }: WatchAccessOptions,
): WatchAccess {
  const { id } = request.params as { readonly id: string };
  const headers = headerLines(request.raw.rawHeaders);
  const given = (request.query as { readonly token?: string | readonly string[] }).token;
  if (typeof given === 'object') throw fieldError({ field: 'token', allowed: 'given twice; give it once' });
  const bearer = headers.authorization?.map(readBearer)[0];
  const text = given ?? (bearer !== undefined && tokens.isToken(bearer) ? bearer : undefined);
  const token = text === undefined ? undefined : tokens.checkWatch(text, id, medium);
  const live = findSession(sessions, token?.userId ?? credentials.identify(headers), id);
  if (live === undefined)
    throw new AppError('not_found', 'There is no open session of this id; GET /v1/sessions lists them.');
  return { live, tokenId: token?.id };
}

type ObserverRoutesOptions = WatchAccessOptions & {
  readonly clock: Clock;
  readonly log: Log;
  /** Bytes that may wait for one observer. */
  readonly maxBufferedBytes: number;
  /** The gateway is about to stop. */
  readonly isStopping: () => boolean;
};

/** What is shown: how it joins, and what it says when all is over. */
type Show = {
  readonly type: string;
  readonly opening: string;
  readonly heartbeat?: string;
  begin(reply: LiveReply, observers: Onlookers, close: (error: AppError | undefined) => void): () => void;
  /** The last message to an observer that is closed. */
  readonly farewell?: (error: AppError | undefined) => string;
};

const paramsSchema = z.object({ id: z.string().regex(/^[\w-]{1,64}$/) });
const token = z.string().optional().describe('A watch token, where no header can be set');
const wordsSchema = z.strictObject({ token });
const soundSchema = z.strictObject({
  token,
  format: z.enum(SESSION_FORMATS).default('mp3'),
  sampleRate: z.coerce.number().pipe(sampleRateField).optional(),
});

/** A page of another origin may show what it has the token of; a token in an address goes nowhere else. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Access-Control-Allow-Origin': '*',
  'Cross-Origin-Resource-Policy': 'cross-origin',
} as const;
const EVENTS_TYPE = 'text/event-stream; charset=utf-8';
const VTT_TYPE = 'text/vtt; charset=utf-8';
/** How soon a browser comes again. */
const RETRY_MS = 2000;
const TELEPHONE_RATE = 8000;
const SPEECH_RATE = 24_000;

const typeOf = (format: SessionFormat, sampleRate: number): string =>
  format === 'alaw' ? `audio/PCMA;rate=${sampleRate}` : mediaTypeOf(format, sampleRate);

const sse = ({ id, event }: NumberedEvent): string =>
  `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

function outputOf({ format, sampleRate }: z.output<typeof soundSchema>) {
  const rate = sampleRate ?? (format === 'mulaw' || format === 'alaw' ? TELEPHONE_RATE : SPEECH_RATE);
  const refusal = sampleRateRefusal(format, rate);
  if (refusal !== undefined) throw fieldError({ field: 'sampleRate', allowed: refusal, given: rate });
  return { format, sampleRate: rate };
}

const cueShow: Show = {
  type: VTT_TYPE,
  opening: VTT_HEADER,
  heartbeat: '\n',
  begin: (reply, observers, close) =>
    observers.readCues({ send: (cues) => reply.write(cues.join('')), close }),
};
const eventShow = (lastId: number | undefined): Show => ({
  type: EVENTS_TYPE,
  opening: `retry: ${RETRY_MS}\n\n`,
  heartbeat: ':\n\n',
  begin: (reply, observers, close) =>
    observers.readEvents({ send: (event) => reply.write(sse(event)), close }, lastId),
  farewell(error) {
    const reason = error?.code ?? 'session_ended';
    return `event: closed\ndata: ${JSON.stringify({ type: 'closed', reason })}\n\n`;
  },
});
const soundShow = (output: ReturnType<typeof outputOf>): Show => ({
  type: typeOf(output.format, output.sampleRate),
  opening: '',
  begin: (reply, observers, close) =>
    observers.listen(output, { send: (bytes) => reply.write(bytes), close }),
});

const revoked = () => new AppError('unauthorized', 'The token has been revoked.');

export function addObserverRoutes(scope: FastifyInstance, options: ObserverRoutesOptions): void {
  const { tokens, clock, log } = options;
  const admitted = new WeakMap<FastifyRequest, WatchAccess>();

  const show = (reply: FastifyReply, what: Show, access: WatchAccess, medium: string) => {
    const { live, tokenId } = access;
    const { audience } = live.session;
    let leave = () => {};
    let stopWaiting = () => {};
    const out = createLiveReply(reply.raw, {
      clock,
      headers: { ...HEADERS, 'Content-Type': what.type },
      opening: what.opening,
      mostBytes: options.maxBufferedBytes,
      heartbeat: what.heartbeat,
      onClosed(why) {
        leave();
        stopWaiting();
        if (why === 'slow') log.info('onlooker_let_go', { session: live.id, medium });
      },
    });
    const close = (error: AppError | undefined) => {
      if (what.farewell !== undefined) out.write(what.farewell(error));
      out.end();
    };
    leave = what.begin(out, audience, close); // may refuse, so before anything is sent
    if (tokenId !== undefined) stopWaiting = tokens.onRevoked(tokenId, () => close(revoked()));
    reply.hijack();
    out.open();
  };
  const route = (
    name: string,
    medium: Medium,
    about: { readonly summary: string; readonly types: readonly string[]; readonly query: z.ZodType },
    showOf: (request: FastifyRequest) => Show,
  ) => {
    scope.get(
      `/v1/sessions/:id/${name}`,
      {
        // Before the query is looked at: a stranger is not told what is wrong with it.
        onRequest: async (request) => {
          const access = admitObserver(request, medium, options);
          noteRequest(request, { tenant: access.live.userId });
          admitted.set(request, access);
        },
        schema: {
          summary: about.summary,
          tags: ['Onlookers'],
          security: [{ bearer: [] }, { watchToken: [] }],
          params: paramsSchema,
          querystring: about.query,
          response: {
            200: {
              description: 'It goes on until the session ends',
              content: Object.fromEntries(about.types.map((type) => [type, { schema: z.string() }])),
            },
            ...errorReplies(400, 401, 403, 404, 429, 503),
          },
        },
      },
      (request, reply) => {
        const what = showOf(request);
        if (request.method === 'HEAD') return reply.headers({ ...HEADERS, 'Content-Type': what.type }).send();
        if (options.isStopping()) throw aboutToStop();
        show(reply, what, admitted.get(request)!, name);
        return reply;
      },
    );
  };

  route(
    'captions.vtt',
    'captions',
    {
      summary: 'Captions that grow while the session speaks (ours)',
      types: ['text/vtt'],
      query: wordsSchema,
    },
    () => cueShow,
  );
  route(
    'events',
    'captions',
    {
      summary: 'What the session says of its turns, as server-sent events (ours)',
      types: ['text/event-stream'],
      query: wordsSchema,
    },
    (request) => {
      const last = [request.headers['last-event-id']].flat()[0] ?? '';
      return eventShow(/^\d{1,15}$/.test(last) ? Number(last) : undefined);
    },
  );
  route(
    'audio',
    'audio',
    {
      summary: 'The sound of the session as one stream, in real time (ours)',
      types: SESSION_FORMATS.map((format) =>
        typeOf(format, format === 'mulaw' || format === 'alaw' ? TELEPHONE_RATE : SPEECH_RATE),
      ),
      query: soundSchema,
    },
    (request) => soundShow(outputOf(request.query as z.output<typeof soundSchema>)),
  );
}
