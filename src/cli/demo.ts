// `voxgate demo`: a two-voice dialogue and a turn of tokens through the real path, as a phone would hear them.

import { startGateway } from '../app/start.ts';
import { wavHeader } from '../audio/containers/wav.ts';
import { MULAW_VALUES } from '../audio/dsp/g711.ts';
import { createPinoLog } from '../base/pino-log.ts';
import { connectSession, type SessionClient } from '../client/voxgate-client.ts';
import type { EventOf, ServerEvent } from '../dialects/native-events.ts';
import { parseConfig } from '../settings/config.ts';
import { type Command, JSON_FLAG, type Terminal } from './command.ts';
import { writeOutFile } from './output/out-file.ts';
import { readFlags } from './read-flags.ts';

const SAMPLE_RATE = 8000;
const DIALOGUE = [
  { speaker: 1, text: 'Hello! You have reached the harbour office. How can I help you?' },
  { speaker: 2, text: 'Hi. When does the last ferry leave tonight?' },
  { speaker: 1, text: 'At 9.45, from pier three. Shall I keep two seats for you?' },
] as const;
const TOKENS =
  'This turn arrives word by word, as a language model would write it. The first words are spoken while the rest is still being written.';
const TOKEN_MS = 40;

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

async function speakDialogue(client: SessionClient): Promise<EventOf<'ended'>> {
  const ended = client.next('ended');
  client.send({ type: 'speak', turn: 'dialogue', dialogue: [...DIALOGUE], seed: 7 });
  return ended;
}

async function speakTokens(client: SessionClient): Promise<EventOf<'ended'>> {
  const ended = client.next('ended');
  for (const token of TOKENS.split(/(?<= )/)) {
    client.send({ type: 'append', turn: 'tokens', text: token });
    await pause(TOKEN_MS);
  }
  client.send({ type: 'end', turn: 'tokens' });
  return ended;
}

/** Captions as lines of text, each word when it is about to be heard. */
function createTeller(terminal: Terminal) {
  const timings: string[] = [];
  let line = '';
  let speaker: number | undefined;
  const flush = () => {
    if (line !== '') terminal.print(line);
    line = '';
  };
  const onEvent = (event: ServerEvent) => {
    if (event.type === 'started') {
      const { firstAudioMs, upstreamTtfbMs } = event.timings;
      timings.push(
        `${event.turn}: first audio after ${firstAudioMs} ms (of these, the engine ${upstreamTtfbMs} ms)`,
      );
      speaker = undefined;
    }
    if (event.type === 'caption') {
      for (const word of event.words) {
        if (word.speaker !== speaker || line.length > 90) flush();
        if (line === '') line = `  ${word.speaker === undefined ? '     ' : `[${word.speaker}]  `}`;
        speaker = word.speaker;
        line += `${word.text} `;
        terminal.status(line);
      }
    }
    if (event.type === 'ended') flush();
    if (event.type === 'error') terminal.complain(`${event.code}: ${event.message}`);
  };
  return { onEvent, timings };
}

async function writeFiles(terminal: Terminal, audio: readonly Uint8Array[]): Promise<void> {
  const mulaw = Buffer.concat(audio);
  const pcm = Buffer.alloc(mulaw.length * 2);
  for (let i = 0; i < mulaw.length; i += 1) pcm.writeInt16LE(MULAW_VALUES[mulaw[i]!]!, i * 2);
  const header = wavHeader({ sampleRate: SAMPLE_RATE, channels: 1, dataBytes: pcm.length });
  await writeOutFile(terminal, 'The demo', 'demo.ulaw', mulaw);
  await writeOutFile(terminal, 'The demo', 'demo.wav', Buffer.concat([header, pcm]));
}

async function run(raw: Terminal): Promise<number> {
  const { values } = readFlags(raw.args, JSON_FLAG, 'none');
  // Whoever watches a demo is a person, also through a pipe.
  const terminal = values.json ? { ...raw, print: () => {}, status: () => {} } : raw;
  const parsed = parseConfig({ env: {}, flags: ['--port', '0'], file: terminal.readFile });
  if (!parsed.ok) throw new Error(parsed.problems.join('\n'));
  const { config } = parsed;
  const gateway = await startGateway({
    config,
    log: createPinoLog('warn'),
    version: terminal.version,
    service: 'off',
  });
  try {
    terminal.print(`gateway ${gateway.sessionUrl}, engine ${gateway.engineUrl}`);
    terminal.print('µ-law 8000 Hz, paced in real time, 20 ms a frame');
    const audio: Uint8Array[] = [];
    const { onEvent, timings } = createTeller(terminal);
    let underruns = 0;
    const client = await connectSession({
      url: `${gateway.sessionUrl}?format=mulaw&sampleRate=${SAMPLE_RATE}&captions=words`,
      onEvent(event) {
        if (event.type === 'underrun') underruns += 1;
        onEvent(event);
      },
      onAudio: (bytes) => audio.push(bytes),
    });
    terminal.interrupted.addEventListener('abort', () => client.close(), { once: true });
    const turns = [await speakDialogue(client), await speakTokens(client)];
    client.close();
    await writeFiles(terminal, audio);

    for (const timing of timings) terminal.print(timing);
    const seconds = audio.reduce((sum, bytes) => sum + bytes.length, 0) / SAMPLE_RATE;
    const requests = turns.reduce((sum, turn) => sum + turn.requests, 0);
    terminal.print(`underruns: ${underruns}, upstream requests: ${requests}`);
    terminal.print(`wrote demo.wav and demo.ulaw, ${seconds.toFixed(1)} s`);
    if (values.json)
      raw.print(
        JSON.stringify({
          files: ['demo.wav', 'demo.ulaw'],
          seconds: Number(seconds.toFixed(2)),
          underruns,
          turns,
        }),
      );
    return turns.every((turn) => turn.outcome === 'complete') && seconds > 0 ? 0 : 1;
  } finally {
    await gateway.stop(0);
  }
}

export const demo: Command = {
  flags: JSON_FLAG,
  help: () =>
    [
      'Usage: voxgate demo [--json]',
      '',
      'Writes demo.wav and demo.ulaw into the folder where it is called.',
      '',
      '  --json   One line of JSON in the end, instead of what is said and shown',
    ].join('\n'),
  run,
};
