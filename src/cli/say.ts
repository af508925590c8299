// `voxgate say`: one turn through a gateway, heard through a player, or its audio in a file, and its captions.

import { connectSession } from '../client/voxgate-client.ts';
import type { EventOf, ServerEvent } from '../dialects/native-events.ts';
import type { Preset } from '../dialects/native-messages.ts';
import { SESSION_FORMATS } from '../speech/audio-format.ts';
import { agentUrlOf, CALLER_FLAGS, callerHelp, checkAgent, keyFileOf, readCaller } from './caller/caller.ts';
import { type Command, FILE, JSON_FLAG, NOT_EMPTY, type Terminal, UsageError } from './command.ts';
import { configureForWords } from './configure-for-words.ts';
import { configureSession, tellConnection } from './configure-session.ts';
import { checkInputs } from './input/read-input.ts';
import { type Told, tellAudioFile, tellBeside } from './output/beside-result.ts';
import { audioEndings, STANDARD } from './output/file-endings.ts';
import { checkOutFile, type OutFile, openOutFile, writeOutFile } from './output/out-file.ts';
import { type ReachedGateway, reachGateway } from './reach-gateway.ts';
import { readFlags } from './read-flags.ts';
import { type CaptionKeeper, captionWriter, createCaptionKeeper } from './say-captions.ts';
import { readSound, SOUND_OPTIONS } from './say-flags.ts';
import { createListener, type Listener } from './sound/listener.ts';
import { PLAYERS } from './sound/players.ts';
import { createTurnTeller } from './sound/turn-teller.ts';
import { createInputSpeaker } from './speak-input.ts';
import { type TextInput, textOfInput } from './text-input.ts';
import { untilInterrupted } from './until-interrupted.ts';
import { sayingFlags } from './words-of-flags.ts';

const FLAGS = {
  ...CALLER_FLAGS,
  ...JSON_FLAG,
  out: FILE,
  captions: FILE,
  'no-play': { type: 'boolean', default: false },
  agent: NOT_EMPTY,
  ...SOUND_OPTIONS,
} as const;

const TURN = 'say';
/** Of an agent that has one (docs/protocol.md). */
const GREETING_TURN = 'greeting';
/** After a turn that played in real time, and beyond what is played ahead of it; of one that was cut it comes at once. */
const HEARD_MS = 10_000;
/** Between two reports of what a player has played. */
const REPORT_MS = 1000;
/** For the gateway to answer that a turn is cancelled. */
const CANCELLED_MS = 2000;

/** What an agent greets with is a turn of its own: here the text is spoken, and nothing before it. */
const isOfAnotherTurn = (event: ServerEvent) =>
  'turn' in event && event.turn !== undefined && event.turn !== TURN;
const isOfTurn = ({ turn }: { readonly turn: string }) => turn === TURN;

const after = (ms: number) =>
  new Promise<undefined>((resolve) => {
    setTimeout(resolve, ms, undefined).unref();
  });

/** The text itself, or `-`: it comes from standard input. */
function chooseText(terminal: Terminal, given: string | undefined): string {
  if (given !== undefined) return given;
  if (terminal.input.isTTY !== true) return STANDARD;
  const say = `${terminal.programName} say`;
  throw new UsageError(`Give a text, or pipe one in: ${say} "Hello." or echo Hello. | ${say}`);
}

async function run(raw: Terminal): Promise<number> {
  const { values, positionals } = readFlags(raw.args, FLAGS, 'one');
  const { out, captions } = values;
  const text = chooseText(raw, positionals[0]);
  const isImplied = positionals[0] === undefined;
  checkInputs(
    { ...(isImplied ? {} : { TEXT: text }), ...keyFileOf(raw, values) },
    isImplied ? 'TEXT' : undefined,
  );
  const terminal = tellBeside(raw, {
    json: values.json,
    results: [
      { flag: '--out', path: out, holds: 'audio' },
      { flag: '--captions', path: captions, holds: 'text' },
    ],
  });
  if (text.trim() === '') throw new UsageError('TEXT is empty; give words to speak, or - for standard input');
  const settings = readSound(values);
  const writeCaptions = captions === undefined ? undefined : captionWriter(captions);
  const caller = await readCaller(terminal, values);
  checkAgent(caller, values.agent);
  checkOutFile(terminal, '--out', out);
  checkOutFile(terminal, '--captions', captions);

  const isHeard = out === undefined && raw.output.isTTY === true && !values['no-play'];
  const keeper = createCaptionKeeper(settings.language ?? undefined);
  const file = out === undefined ? undefined : await openOutFile(terminal, '--out', out);
  let gateway: ReachedGateway | undefined;
  let listener: Listener | undefined;
  let outcome: Outcome;
  let ended: EventOf<'ended'> | undefined;
  try {
    gateway = await reachGateway(terminal, caller);
    if (isHeard) listener = createListener(terminal, settings);
    outcome = await speakTurn(terminal, gateway, {
      text,
      agent: values.agent,
      settings: listener?.settings ?? settings,
      keeper: captions === undefined ? undefined : keeper,
      listener,
      file,
      onEnded(event) {
        ended = event;
      },
    });
  } finally {
    listener?.stop();
    // What came before a fault is kept.
    try {
      await file?.finish();
    } finally {
      await gateway?.stop();
    }
  }
  if (file !== undefined && ended !== undefined)
    tellAudioFile(terminal, { path: out!, bytes: file.bytes(), ended });
  if (captions !== undefined && writeCaptions !== undefined && (keeper.words() > 0 || outcome === 'fine'))
    await writeOutFile(terminal, '--captions', captions, keeper.write(writeCaptions));
  return outcome === 'fine' ? 0 : 1;
}

type Outcome = 'fine' | 'faulty';
type Turn = {
  readonly text: string;
  readonly agent: string | undefined;
  readonly settings: Preset;
  readonly keeper: CaptionKeeper | undefined;
  readonly listener: Listener | undefined;
  readonly file: OutFile | undefined;
  readonly onEnded: (event: EventOf<'ended'>) => void;
};

async function speakTurn(
  terminal: Told,
  { url, headers }: ReachedGateway,
  { text, agent, settings, keeper, listener, file, onEnded }: Turn,
): Promise<Outcome> {
  const { interrupted } = terminal;
  const speaker = createInputSpeaker(TURN);
  const tell = createTurnTeller(terminal);
  let outcome: Outcome = 'fine';
  let hasStarted = false;
  let hasText = false;
  let isConfigured = false;
  const connecting = connectSession({
    url: agent === undefined ? url : agentUrlOf(url, agent),
    resumable: true,
    onConnection: tellConnection(terminal),
    headers,
    onEvent(event) {
      if (isOfAnotherTurn(event) || speaker.onEvent(event) === 'waits') return;
      if (event.type === 'error') outcome = 'faulty';
      if (event.type === 'started') hasStarted = true;
      if (event.type === 'ended') onEnded(event);
      keeper?.onEvent(event);
      // Nobody listens to a burst as it comes.
      if (event.type === 'underrun' && settings.pace === 'burst') return;
      // Of settings that are not taken it is told once, as wrong usage.
      if (isConfigured || event.type !== 'error' || event.scope !== 'session' || terminal.tells === 'lines')
        tell(event);
    },
    onAudio(bytes, turn) {
      if (turn !== TURN) return;
      file?.write(bytes);
      listener?.hear(bytes);
    },
  });
  const client = await sayingFlags(connecting);
  if (agent !== undefined) client.send({ type: 'cancel', turn: GREETING_TURN });
  // What is sent faster than it plays is heard when the player plays it, of which the gateway knows nothing.
  const isAhead = listener !== undefined && settings.pace === 'burst';
  const report = () => {
    if (isAhead && hasStarted && client.isOpen())
      client.send({ type: 'played', turn: TURN, ms: listener.playedMs() });
  };
  const cut = () => {
    report();
    listener?.stop();
    speaker.stop();
    if (client.isOpen()) client.send({ type: 'cancel' });
  };
  const reports = setInterval(report, REPORT_MS);
  try {
    let listed: (() => Promise<'listed' | 'late'>) | undefined;
    if (keeper === undefined) await configureSession(client, settings);
    else listed = await configureForWords(client, settings, terminal);
    isConfigured = true;
    const ended = client.next('ended', isOfTurn);
    const heard = client.next('heard', isOfTurn);
    for (const promise of [ended, heard]) promise.catch(() => {}); // whoever waits for them is told
    if (interrupted.aborted) return 'faulty';
    interrupted.addEventListener('abort', cut, { once: true });
    const unanswered = untilInterrupted(interrupted).then(() => after(hasText ? CANCELLED_MS : 0));
    const end = Promise.race([ended, unanswered, ...(file === undefined ? [] : [file.failed])]);
    end.catch(() => {});
    if (text !== STANDARD) {
      hasText = true;
      keeper?.addText(text);
      client.send({ type: 'speak', turn: TURN, text });
    } else {
      const input = overhear(textOfInput(terminal.input), (piece) => {
        hasText = true;
        keeper?.addText(piece);
      });
      const first = await Promise.race([speaker.forward(input, client), end]);
      if (first?.outcome === 'complete') {
        terminal.complain('The turn ended before the input did; what still comes is not spoken.');
        outcome = 'faulty';
      }
    }
    if ((await end)?.outcome !== 'complete') outcome = 'faulty';
    else if (listed !== undefined && (await listed()) === 'listed') keeper?.check(terminal);
    if (hasStarted) await untilHeard(heard, { settings, listener, interrupted, report });
    const silence = interrupted.aborted ? undefined : listener?.fault();
    if (silence === undefined) return outcome;
    terminal.complain(`${silence}. --no-play speaks without sound, --out hello.wav keeps it.`);
    return 'faulty';
  } finally {
    interrupted.removeEventListener('abort', cut);
    clearInterval(reports);
    speaker.stop();
    client.close();
  }
}

/**
 * What was heard is told when it is: at once of a turn that was cut, in the end of one in real time or that a player has played. A
 * burst that nobody plays is not waited for.
 */
async function untilHeard(
  heard: Promise<unknown>,
  {
    settings,
    listener,
    interrupted,
    report,
  }: Pick<Turn, 'settings' | 'listener'> & Pick<Terminal, 'interrupted'> & { readonly report: () => void },
): Promise<void> {
  const told = heard.catch(() => {});
  const isLive = settings.pace !== 'burst';
  const isPlayed = listener?.finish().then(() => {
    if (isLive || interrupted.aborted) return undefined;
    report();
    return Promise.race([told, after(CANCELLED_MS)]);
  });
  const over = Promise.all([isPlayed, isLive ? Promise.race([told, after(HEARD_MS)]) : undefined]);
  await Promise.race([over, untilInterrupted(interrupted)]);
  if (interrupted.aborted) await Promise.race([told, after(CANCELLED_MS)]);
}

/** The same input, each piece of which is told as it is read. */
const overhear = (input: TextInput, onText: (text: string) => void): TextInput => ({
  async *[Symbol.asyncIterator]() {
    for await (const text of input) {
      onText(text);
      yield text;
    }
  },
  destroy: () => input.destroy?.(),
});

export const say: Command = {
  flags: FLAGS,
  help: () =>
    [
      'Usage: voxgate say [TEXT | -] [--out FILE] [--captions FILE] [--format F] [--sample-rate N] [--voice V] [--url URL] …',
      '',
      'Without TEXT, or with -, standard input is spoken as it arrives; a document (PDF, DOCX, …) or a text that is not UTF-8 when all of it is there. Without --url, a gateway is started for this turn.',
      '',
      'On a terminal the words are shown as they are spoken, and heard through the first of these that is there:',
      `${PLAYERS.map(({ program }) => program).join(', ')}. Piped, each message is one line of JSON. In the end it tells what was heard of it.`,
      '',
      `  --out FILE         keep the audio; ${audioEndings(SESSION_FORMATS)} choose the format, - is standard output`,
      '  --captions FILE    keep the words with their times; .vtt .srt .json choose the format, - is WebVTT on standard output',
      '  --no-play          show the words without playing them',
      '  --json             lines of JSON on a terminal, too',
      '  --format F         mulaw (default; on a terminal raw of 24000 Hz), alaw, raw, wav, mp3, ogg, flac',
      '  --sample-rate N    8000 to 48000',
      '  --pace P           realtime (default), burst (default with --out)',
      '  --agent ID         speak as this agent does, but for its greeting; other flags go before its profile',
      '  --voice V, --voice2 V, --turn-prefix T, --turn-prefix2 T',
      '                     two voices: each takes the text behind its prefix',
      '  --language L, --speed 0.1–5, --seed N, --temperature 0–2',
      ...callerHelp(19),
    ].join('\n'),
  run,
};
