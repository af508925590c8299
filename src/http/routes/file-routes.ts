// The finished files of jobs and PlayNotes, by addresses that are capabilities: no header is needed, and nobody can guess
// one. Ranges (RFC 9110 14) let players seek.

import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { AppError } from '../../base/app-error.ts';
import type { Clock } from '../../base/clock.ts';
import type { ServiceAddress } from '../../service/service-address.ts';
import { mediaTypeOf } from '../../speech/reply-media-type.ts';
import type { WorkFiles } from '../../storage/works/work-files.ts';
import { refuseOtherMethods } from '../server/other-methods.ts';
import { withReadTimeout } from '../server/read-timeout.ts';

// One byte range of a `Range` header (RFC 9110 14.1.2). Several ranges at once, other units and what cannot be read are
// ignored, as the standard allows: the whole file is a right answer to them.

type ByteRange = { readonly start: number; readonly end: number };

/** Undefined: the whole file. Both ends are counted, from 0. */
export function readRange(
  header: string | undefined,
  bytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(header?.trim() ?? '');
  if (found === null) return undefined;
  const [, first = '', last = ''] = found;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), bytes);
    return length === 0 ? 'unsatisfiable' : { start: bytes - length, end: bytes - 1 };
  }
  const start = Number(first);
  const end = last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1);
  if (last !== '' && Number(last) < start) return undefined;
  return start >= bytes ? 'unsatisfiable' : { start, end };
}

export type FileRoutesOptions = {
  readonly files: WorkFiles;
  readonly address: ServiceAddress;
  readonly clock: Clock;
};

/** A client that reads nothing for this long is disconnected: a player pauses for less, and asks for the rest anew. */
const STALLED_MS = 120_000;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  vtt: 'text/vtt; charset=utf-8',
  srt: 'application/x-subrip; charset=utf-8',
  json: 'application/json; charset=utf-8',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  ogg: 'audio/ogg; codecs=opus',
  flac: 'audio/flac',
};
/** What a caller has sent is never shown by a browser as a page of ours. */
const OTHER = 'application/octet-stream';

/** Headerless sound has its rate in its name: `audio.8000.ulaw`. */
function mediaTypeOfFile(name: string): string {
  const headerless = /\.(\d{4,5})\.(ulaw|raw)$/.exec(name);
  if (headerless !== null)
    return mediaTypeOf(headerless[2] === 'ulaw' ? 'mulaw' : 'raw', Number(headerless[1]));
  return MEDIA_TYPES[name.split('.').at(-1)!] ?? OTHER;
}

const unknown = () => new AppError('not_found', 'There is no such file.');

export function addFileRoutes(app: FastifyInstance, { files, address, clock }: FileRoutesOptions): void {
  const bodyOf = (bytes: Readable, { raw }: FastifyReply) =>
    Readable.from(
      withReadTimeout(bytes, STALLED_MS, clock, () => raw.destroy()),
      { objectMode: false },
    );
  const methods = refuseOtherMethods(app);
  app.get('/v1/files/:work/:signature/:name', { schema: { hide: true } }, async (request, reply) => {
    const { work, signature, name } = request.params as Record<'work' | 'signature' | 'name', string>;
    if (!address.isSigned(work, name, signature)) throw unknown();
    const file = await files.find(work, name);
    if (file === undefined) throw unknown();
    reply.headers({
      'Content-Type': mediaTypeOfFile(name),
      'Accept-Ranges': 'bytes',
      'Cache-Control': 'private, max-age=3600',
      'X-Content-Type-Options': 'nosniff',
      'Content-Security-Policy': "default-src 'none'; media-src 'self'; sandbox",
      // Players and caption tracks of other origins may use what they have the address of.
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
    });
    // Ranges are for GET alone (RFC 9110 14.2), and no If-Range can hold: these files have no validator (13.1.5).
    const isRanged = request.method === 'GET' && request.headers['if-range'] === undefined;
    const range = isRanged ? readRange(request.headers.range, file.bytes) : undefined;
    if (range === 'unsatisfiable') {
      reply.header('Content-Range', `bytes */${file.bytes}`);
      throw new AppError('range_not_satisfiable', `The file has ${file.bytes} bytes.`);
    }
    if (range === undefined)
      return reply.header('Content-Length', file.bytes).send(bodyOf(file.open(), reply));
    return reply
      .code(206)
      .headers({
        'Content-Range': `bytes ${range.start}-${range.end}/${file.bytes}`,
        'Content-Length': range.end - range.start + 1,
      })
      .send(bodyOf(file.open(range), reply));
  });
  methods.close();
}
