// A speech service for trials: its sound is as long as the text, and it can be told to answer nothing for a while.

import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';

const SPEECH = readFileSync(new URL('../fixtures/audio/ffmpeg-live-24k.mp3', import.meta.url));
/** Of that file; and what a brisk voice reads. */
const [FRAME_BYTES, FRAME_MS, CHARACTERS_PER_SECOND] = [192, 24, 20];
/** The trailer that tells the length of a body. */
const BODY_BYTES = 'X-Voxgate-Body-Bytes';

/** A document that a PlayNote can be made of. */
export const SOURCE = `The old bridge crosses the river below the mill. Boats pass under it from March to November.
In spring the water rises, and the keeper opens the sluice before dawn. He writes the level of each morning into a book.`;

/** An HTTP server on a free port of the loopback: {url, close}. */
export async function listen(take) {
  const server = createServer((request, response) => void take(request, response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** `answers` is `whole`, `beginnings` (only texts that begin with "Work") or `never`; {url, close} beside it. */
export async function startSpokenUpstream() {
  const upstream = await listen(async (request, response) => {
    const body = await text(request);
    if (request.method !== 'POST') return response.writeHead(204).end();
    const { text: asked = '', speed = 1 } = JSON.parse(body);
    const isAnswered = { whole: true, beginnings: asked.startsWith('Work'), never: false }[service.answers];
    if (!isAnswered) return;
    const bytes = Math.ceil((asked.length * 1000) / (CHARACTERS_PER_SECOND * speed) / FRAME_MS) * FRAME_BYTES;
    const sound = Buffer.concat(Array.from({ length: Math.ceil(bytes / SPEECH.length) }, () => SPEECH));
    // A recording that is cut to size may end in the middle of a sound: its length is told, so that it is not taken for cut speech.
    response.writeHead(200, { 'content-type': 'audio/mpeg', trailer: BODY_BYTES });
    response.addTrailers({ [BODY_BYTES]: `${bytes}` });
    response.end(sound.subarray(0, bytes));
  });
  const service = { answers: 'whole', ...upstream };
  return service;
}
