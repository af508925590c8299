// jambonz's conversations with a whole gateway over real sockets: the same transcripts as for the codec alone. Each line
// waits for what stands before it instead of for its time.
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import {
  audioMsOf,
  JAMBONZ_TRANSCRIPTS,
  type JambonzTranscript,
  readTranscript,
} from '../support/jambonz-transcript.ts';
import { speaking, startRunningGateway } from '../support/running-gateway.ts';
import { openGate, type Script, status } from '../support/scripted-upstream.ts';

/** Everything that came over one socket, and a way to wait for more of it. */
function listen(socket: WebSocket) {
  const texts: string[] = [];
  let bytes = 0;
  let frames = 0;
  let oddFrames = 0;
  let ended: { readonly refused: number } | { readonly closed: number } | undefined;
  let look = () => {};
  const saw = () => look();
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      bytes += data.length;
      oddFrames += data.length % 2;
      frames += 1;
    } else texts.push(data.toString());
    saw();
  });
  socket.on('unexpected-response', (_request, response) => {
    ended = { refused: response.statusCode ?? 0 };
    response.destroy();
    saw();
  });
  socket.on('close', (closed) => {
    ended ??= { closed };
    saw();
  });
  socket.on('error', () => {});
  return {
    texts,
    get bytes() {
      return bytes;
    },
    get frames() {
      return frames;
    },
    get oddFrames() {
      return oddFrames;
    },
    get ended() {
      return ended;
    },
    until: (fits: () => boolean) =>
      new Promise<void>((resolve) => {
        look = () => {
          if (fits()) resolve();
        };
        look();
      }),
  };
}

/** The answer to a ping comes behind everything that was sent before it. */
const roundTrip = (socket: WebSocket) =>
  new Promise<void>((resolve) => {
    socket.once('pong', () => resolve());
    socket.ping();
  });

type Played = { readonly asked: readonly string[]; readonly log: string };
/** What the speech service was asked, and what the log says. */
async function play(name: JambonzTranscript): Promise<Played> {
  let answers: string | number = 'speech';
  let gate = openGate();
  const script: Script = async (reply) => {
    if (answers === 'later') await gate.opened;
    await (typeof answers === 'number' ? status(answers, { 'retry-after': '0' }) : speaking)(reply);
  };
  const gateway = await startRunningGateway({
    script,
    env: {
      VOXGATE_API_KEYS: 'call:right-key',
      VOXGATE_VOICE_ALIASES: 'anna=vox:anna,bruno=vox:bruno',
      // A refused request is told rather than waited out.
      VOXGATE_UPSTREAM_MAX_WAIT_MS: '0',
    },
  });
  let socket: WebSocket | undefined;
  let heard: ReturnType<typeof listen> | undefined;
  let rate = 0;
  let texts = 0;
  let clearedBytes = 0;
  for (const line of readTranscript(name)) {
    if (line.who === 'upstream') {
      answers = line.answers;
      if (answers === 'later') gate = openGate();
      else gate.open();
    } else if (line.who === 'jambonz' && 'upgrade' in line) {
      rate = Number(new URLSearchParams(line.upgrade).get('sampleRate'));
      socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/jambonz/tts?${line.upgrade}`, {
        headers: { authorization: `Bearer ${line.key}-key` },
        perMessageDeflate: false,
      });
      heard = listen(socket);
    } else if (line.who === 'jambonz') {
      socket!.send(JSON.stringify(line.message));
      if (line.message.type === 'clear') {
        // What was on its way when it was sent is jambonz's to drop.
        await roundTrip(socket!);
        clearedBytes = heard!.bytes;
      }
    } else if ('message' in line) {
      const at = texts;
      texts += 1;
      await heard!.until(() => heard!.texts.length > at);
      expect(JSON.parse(heard!.texts[at]!)).toMatchObject(line.message);
    } else if ('audioMs' in line) {
      await heard!.until(() => audioMsOf(heard!.bytes - clearedBytes, rate) >= line.audioMs.from);
    } else if ('falls' in line) {
      const before = heard!.bytes;
      await roundTrip(socket!);
      // Of a turn that is in the middle of its audio, some more may come until it is over; of one that is cut, nothing.
      if (clearedBytes > 0) expect(heard!.bytes).toBe(before);
    } else {
      await heard!.until(() => heard!.ended !== undefined);
      expect(heard!.ended).toEqual('closes' in line ? { closed: line.closes } : { refused: line.refuses });
    }
  }
  expect(heard!.texts.length).toBe(texts);
  expect(heard!.oddFrames).toBe(0);
  const asked = gateway.upstream.requests.map(({ body }) => JSON.stringify(body));
  const log = gateway.logLines.join('\n');
  await gateway.close();
  return { asked, log };
}
/** Each is played once. */
const plays = new Map<JambonzTranscript, Promise<Played>>();
const played = (name: JambonzTranscript): Promise<Played> => {
  const found = plays.get(name) ?? play(name);
  plays.set(name, found);
  return found;
};

// They mostly wait for real time, and do so together.
describe.concurrent('jambonz', () => {
  it.each(JAMBONZ_TRANSCRIPTS)('is served over real sockets as in %s', async (name) => {
    const { asked, log } = await played(name);
    expect(asked.length === 0).toBe(name === 'wrong-key');
    expect(log).not.toMatch(/right-key|wrong-key|Thank you for|opening hours/);
  });

  it('has its voices by their short names and its languages by their tags', async () => {
    const [first] = (await played('normal-end')).asked;
    expect(JSON.parse(first!)).toMatchObject({ voice: 'vox:anna', language: 'english' });
    const [slow] = (await played('slow-upstream')).asked;
    expect(JSON.parse(slow!)).toMatchObject({ voice: 'clara', language: 'german' });
  });

  it('is told at the upgrade what is wrong with it', async () => {
    const gateway = await startRunningGateway({ script: speaking });
    const refusal = (query: string) =>
      new Promise<string>((resolve, reject) => {
        const socket = new WebSocket(`ws://127.0.0.1:${gateway.port}/jambonz/tts?${query}`);
        socket.on('error', () => {});
        socket.on('open', () => reject(new Error('it was let in')));
        socket.on('unexpected-response', (_request, response) => {
          response.setEncoding('utf8');
          response.on('data', (body: string) => resolve(`${response.statusCode} ${body}`));
        });
      });
    expect(await refusal('sampleRate=4000')).toMatch(/^400 .*sampleRate/);
    expect(await refusal('voxgate_lead_ms=1')).toMatch(/^400 .*voxgate_lead_ms/);
    await gateway.close();
  });
});
