// The playground: a page of our own at `/`, built beforehand and read once. Its policy lets it run nothing but its own
// files and reach nothing but this gateway; hashed files may be kept for ever, the page that names them may not.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../base/app-error.ts';
import { fieldError } from '../../base/check-fields.ts';
import { clientMessageSchemas } from '../../dialects/native-messages.ts';
import { reachedOrigin } from '../server/reached-origin.ts';

export type PlaygroundRoutesOptions = {
  /** Of the built page: `index.html` and `assets/`. Sources have no `assets/`, and are not served. */
  readonly folder: string;
  readonly publicUrl: string | undefined;
  /** Whether callers need a key. */
  readonly wants: 'nothing' | 'keys';
};

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** What the page reads to know what it may offer, by the routes that are there. */
const FEATURES = [
  ['service', 'POST', '/api/v1/playnotes'],
  ['tokens', 'POST', '/v1/tokens'],
  ['sessions', 'GET', '/v1/sessions'],
  ['pool', 'GET', '/v1/pool'],
] as const;
const OFFER = 'name="voxgate-gateway" content="';
const PLAIN_HOST = /^[\w.:[\]-]+$/;

const COMMON = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const;

/** Sockets are named, too: not every browser counts them as 'self'. */
function policyOf(origin: string): string {
  const { host } = new URL(origin);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "media-src 'self'",
    `connect-src 'self' ws://${host} wss://${host}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

/** Gives whether there is a page: sources that run unbuilt have none, and say so at `/`. */
export function addPlaygroundRoutes(
  app: FastifyInstance,
  { folder, publicUrl, wants }: PlaygroundRoutesOptions,
): 'served' | 'not-built' {
  const assets = join(folder, 'assets');
  if (!existsSync(assets)) {
    app.get('/', { schema: { hide: true } }, () => {
      throw new AppError('not_found', 'The playground has not been built; `npm run build` does it.');
    });
    return 'not-built';
  }
  const index = readFileSync(join(folder, 'index.html'), 'utf8');
  const files = new Map(readdirSync(assets).map((name) => [name, readFileSync(join(assets, name))]));

  const offer = () =>
    [
      wants,
      ...FEATURES.filter(([, method, url]) => app.hasRoute({ method, url })).map(([name]) => name),
      ...(Object.hasOwn(clientMessageSchemas, 'pause') ? ['narration'] : []),
    ].join(' ');

  app.get('/', { schema: { hide: true } }, (request: FastifyRequest, reply: FastifyReply) => {
    const origin = reachedOrigin(request, publicUrl);
    // What the caller says stands in a header of the reply.
    if (publicUrl === undefined && !PLAIN_HOST.test(request.headers.host ?? ''))
      throw fieldError({ field: 'Host', allowed: 'must be the name of a host, with or without a port' });
    return reply
      .headers({
        ...COMMON,
        'Cache-Control': 'no-cache',
        'Content-Security-Policy': policyOf(origin),
        'Cross-Origin-Opener-Policy': 'same-origin',
      })
      .type('text/html; charset=utf-8')
      .send(index.replace(OFFER, `${OFFER}${offer()}`));
  });
  app.get('/assets/:name', { schema: { hide: true } }, (request: FastifyRequest, reply: FastifyReply) => {
    const { name } = request.params as { readonly name: string };
    const file = files.get(name);
    if (file === undefined) throw new AppError('not_found', 'The playground has no such file.');
    return reply
      .headers({ ...COMMON, 'Cache-Control': 'public, max-age=31536000, immutable' })
      .type(TYPES[extname(name)] ?? 'application/octet-stream')
      .send(file);
  });
  return 'served';
}
