// `voxgate simulate`: a strict fake carrier dials a gateway and judges what it gets; with --say a bot speaks to it.

import { randomUUID } from 'node:crypto';
import { shownAddress } from '../../src/base/addresses/shown-address.ts';
import {
  CALLER_FLAGS,
  callerHeaders,
  callerHelp,
  keyFileOf,
  readCaller,
} from '../../src/cli/caller/caller.ts';
import {
  type Command,
  FILE,
  JSON_FLAG,
  NOT_EMPTY,
  STRING,
  type Terminal,
  UsageError,
} from '../../src/cli/command.ts';
import { checkInputs } from '../../src/cli/input/read-input.ts';
import { tellBeside } from '../../src/cli/output/beside-result.ts';
import { checkAudioEnding, isStandardOutput, STANDARD } from '../../src/cli/output/file-endings.ts';
import { checkOutFile, writeOutFile } from '../../src/cli/output/out-file.ts';
import { type ReachedGateway, reachGateway } from '../../src/cli/reach-gateway.ts';
import { readFlags } from '../../src/cli/read-flags.ts';
import { readWholeInput } from '../../src/cli/text-input.ts';
import { connectSession, type SessionClient } from '../../src/client/voxgate-client.ts';
import { LEGS } from '../../src/legs/legs.ts';
import { askTwilioWebhook } from '../callers/twilio-webhook.ts';
import { CARRIERS, type SimulatedCarrier } from '../carriers/carriers.ts';
import { dialCarrier } from '../carriers/dial-carrier.ts';
import { freePort } from '../carriers/free-port.ts';
import { heardWav } from '../carriers/heard-wav.ts';
import type { SimulatedCall } from '../carriers/simulated-call.ts';
import { readListenPort, startWaitingAsterisk } from './simulate-listen.ts';
import {
  readCodec,
  readLateness,
  readSigner,
  readWebhook,
  readWhole,
  signedUpgrade,
} from './simulate-manner.ts';
import { type SimulationReport, simulationTable } from './simulate-report.ts';
import { type BotPlan, type SpokenTurn, speakToCall, turnFaults } from './simulated-bot.ts';

const FLAGS = {
  ...CALLER_FLAGS,
  ...JSON_FLAG,
  token: NOT_EMPTY,
  'leg-url': STRING,
  listen: STRING,
  codec: STRING,
  'start-ms': STRING,
  'first-frame-ms': STRING,
  'talk-after-ms': STRING,
  webhook: STRING,
  'auth-token-file': FILE,
  'public-url': NOT_EMPTY,
  call: NOT_EMPTY,
  say: STRING,
  'barge-in-ms': STRING,
  seconds: STRING,
  repeat: STRING,
  out: { ...FILE, empty: 'refused' },
} as const;
type Given = Readonly<Partial<Record<Exclude<keyof typeof FLAGS, 'json'>, string | undefined>>>;

const CALL_ID = 'CA-simulated';
/** The one leg that is no WebSocket: it is told by a UUID, on a port of its own. */
const TCP_KIND = 'audiosocket';
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const WATCH_SECONDS = 30;
const SPEAK_SECONDS = 600;
const LATE_WORD_MS = 200;
/** A gateway that has been told of the end closes within this. */
const GOODBYE_MS = 2000;

const kinds = () => Object.keys(CARRIERS).join(', ');

function readPlan(given: Given): BotPlan | undefined {
  const bargeInMs = readWhole('barge-in-ms', given['barge-in-ms'], 0, 600_000);
  const repeat = readWhole('repeat', given.repeat, 1, 10_000);
  if (given.say !== undefined) return { text: given.say, repeat: repeat ?? 1, bargeInMs };
  for (const flag of ['barge-in-ms', 'repeat'] as const)
    if (given[flag] !== undefined) throw new UsageError(`--${flag} is for --say, which is not set`);
  if (given.url === undefined)
    throw new UsageError('Give --url, or --say: in a gateway of its own nobody else speaks to the call.');
  return undefined;
}

function readCarrier(kind: string | undefined): SimulatedCarrier & { readonly kind: string } {
  if (kind !== undefined && Object.hasOwn(CARRIERS, kind)) return { ...CARRIERS[kind]!, kind };
  throw new UsageError(
    kind === undefined
      ? `Name a leg: voxgate simulate LEG; there are ${kinds()}.`
      : `There is no leg ${JSON.stringify(kind)}; there are ${kinds()}.`,
  );
}

const openBot = (url: string, { key, user }: Given): Promise<SessionClient> =>
  connectSession({
    url,
    headers: callerHeaders({ key, user }),
  });

/** The owner of the call: the bot's own session, by its token, unless another was named. */
const legOf = (kind: string, bot: SessionClient | undefined, { token, call }: Given) => {
  const own = kind === TCP_KIND ? randomUUID() : bot?.ready.attachToken;
  return { callId: call ?? CALL_ID, token: token ?? (call === undefined ? own : undefined) };
};

function checkToken(kind: string, { token }: Given): void {
  if (kind !== TCP_KIND || token === undefined || UUID.test(token)) return;
  throw new UsageError(
    '--token is no UUID, which is all that AudioSocket can bring along; allowed: such as 6f1c8a52-0d4e-4b7e-9a3f-2f8f6f0a9d11',
  );
}

/** Where the leg is dialled, when it is not where sessions are. */
async function findLegUrl(kind: string, { url, 'leg-url': legUrl }: Given): Promise<string | undefined> {
  if (kind !== TCP_KIND) {
    if (legUrl !== undefined)
      throw new UsageError(`--leg-url is for ${TCP_KIND}, which has a port of its own`);
    return undefined;
  }
  if (legUrl === undefined && url === undefined) return `tcp://127.0.0.1:${await freePort()}`;
  if (legUrl !== undefined && /^tcp:\/\/[^/:]+:\d+$/.test(legUrl)) return legUrl;
  throw new UsageError(
    `--leg-url is ${legUrl === undefined ? 'missing' : JSON.stringify(shownAddress(legUrl))}; allowed: tcp://host:port`,
  );
}

async function attach(bot: SessionClient, leg: ReturnType<typeof legOf>): Promise<void> {
  const refused = bot
    .next('error')
    .then(({ code, message }) => Promise.reject(new Error(`${code}: ${message}`)));
  refused.catch(() => {}); // it waits on when nothing is refused, until the connection ends
  const attached = bot.next('attached');
  attached.catch(() => {});
  const { callId, token } = leg;
  bot.send({ type: 'attach', leg: token === undefined ? { callSid: callId } : { token } });
  await Promise.race([attached, refused]);
}

type Ended = {
  readonly turns: readonly SpokenTurn[];
  /** How the gateway ended the call; undefined when this side did. */
  readonly closeCode: number | undefined;
};

/** AudioSocket is kept awake with silence before anybody speaks. */
const isSilent = (bytes: Uint8Array) => bytes.every((byte) => byte === 0);

/** A call that nobody has spoken to; when the gateway has ended it, no session took it. A bot of our own tells by its turns. */
function silence(
  kind: string,
  call: SimulatedCall,
  { closeCode }: Ended,
  plan: BotPlan | undefined,
): readonly string[] {
  const isTcp = kind === TCP_KIND;
  if (call.playout.heard.some(({ bytes }) => !isTcp || !isSilent(bytes))) return [];
  if (closeCode === undefined)
    return plan === undefined
      ? [
          'nothing was heard before the call ended: no session attached to it, or the one that did said nothing',
        ]
      : [];
  const what = isTcp
    ? 'the gateway ended the call before anybody spoke to it'
    : `the gateway ended the call (${closeCode}) before anything was heard`;
  return [`${what}; if no session has it, the line leg_refused of the gateway's log says why`];
}

function judge(kind: string, call: SimulatedCall, ended: Ended, plan: BotPlan | undefined): SimulationReport {
  const { turns } = ended;
  const report = call.report();
  const faults = [...report.faults, ...silence(kind, call, ended, plan)];
  if (plan !== undefined) faults.push(...turnFaults(turns, plan));
  if (report.staleBytes !== null && report.staleBytes > 0)
    faults.push(`${report.staleBytes} bytes came after a clear, before anything was due`);
  if (plan !== undefined && turns.length < plan.repeat)
    faults.push('the call ended before all turns were over');
  const canClear = LEGS.find((leg) => leg.kind === kind)?.open().clear !== undefined;
  const cuts = turns.filter(({ outcome }) => outcome === 'cancelled').length;
  if (canClear && report.clears < cuts)
    faults.push(`${cuts} turns were cut, and ${report.clears} clears came`);
  return { leg: kind, ...report, turns, faults };
}

async function run(raw: Terminal): Promise<number> {
  const { values: flags, positionals } = readFlags(raw.args, FLAGS, 'one');
  const usual = readCarrier(positionals[0]);
  checkInputs({
    '--say': flags.say,
    ...keyFileOf(raw, flags),
    '--auth-token-file': flags['auth-token-file'],
  });
  if (flags.out !== undefined && !isStandardOutput(flags.out))
    checkAudioEnding(flags.out, 'wav', 'what the caller heard is kept as wav');
  const results = [{ flag: '--out', path: flags.out, holds: 'audio' as const }];
  const terminal = tellBeside(raw, { json: flags.json, results });
  const caller = await readCaller(terminal, flags);
  const { json: _json, ...given } = flags;
  const said = flags.say === STANDARD ? await readWholeInput(terminal) : flags.say;
  const values: Given = { ...given, ...caller, say: said };
  const carrier = readCodec(usual.kind, usual, values);
  const lateness = readLateness(values);
  const signer = await readSigner(carrier.kind, values, terminal);
  checkToken(carrier.kind, values);
  const webhook = readWebhook(carrier.kind, values.webhook, values);
  const plan = readPlan(values);
  const seconds =
    readWhole('seconds', values.seconds, 1, 86_400) ?? (plan === undefined ? WATCH_SECONDS : SPEAK_SECONDS);
  checkOutFile(terminal, '--out', values.out);
  const listenPort = readListenPort(carrier.kind, values.listen, values);

  const legUrl = await findLegUrl(carrier.kind, values);
  const asterisk = listenPort === undefined ? undefined : await startWaitingAsterisk(listenPort);
  const settings = legUrl === undefined ? [] : ['--audiosocket-port', new URL(legUrl).port];
  let gateway: ReachedGateway | undefined;
  let bot: SessionClient | undefined;
  let call: SimulatedCall | undefined;
  try {
    gateway =
      asterisk === undefined
        ? await reachGateway(terminal, caller, settings)
        : await reachGateway(terminal, caller, asterisk.settings, 'on');
    const { protocol, host } = new URL(gateway.url);
    const origin = `${protocol}//${host}`;
    if (plan !== undefined) bot = await openBot(`${origin}/v1/session`, values);
    let leg = legOf(carrier.kind, bot, values);
    let path = `/v1/legs/${carrier.kind}${leg.token === undefined ? '' : `/${leg.token}`}`;
    let headers = signer.headers(origin, path);
    if (webhook !== undefined) {
      const { authToken } = signer;
      const { url, parameters } = await askTwilioWebhook(webhook, { callSid: leg.callId, authToken });
      leg = { ...leg, token: parameters.token };
      path = url.pathname;
      headers = authToken === undefined ? {} : signedUpgrade(authToken, url.origin, path);
    }
    call =
      asterisk === undefined
        ? await dialCarrier(carrier, legUrl ?? `${origin}${path}`, leg, {
            headers,
            lateness,
          })
        : await asterisk.call(carrier, leg, {
            gateway: { origin: origin.replace(/^ws/, 'http'), key: values.key, user: values.user },
            tell: plan === undefined ? terminal.complain : undefined,
            seconds,
            lateness,
            interrupted: terminal.interrupted,
          });
    const ended = await untilOver(terminal, call, seconds, async () => {
      if (bot === undefined || plan === undefined) return undefined;
      await attach(bot, leg);
      return speakToCall(bot, call!, plan);
    });
    const report = judge(carrier.kind, call, ended, plan);
    if (values.out !== undefined && call.playout.heard.length > 0)
      await writeOutFile(terminal, '--out', values.out, heardWav(carrier.audio, call.playout.heard));
    const lines = terminal.isInteractive ? simulationTable(report) : [JSON.stringify(report)];
    lines.forEach(terminal.print);
    return report.faults.length === 0 ? 0 : 1;
  } finally {
    call?.close();
    bot?.close();
    await gateway?.stop();
    asterisk?.close();
  }
}

/** Ends the call when the bot has spoken, the call has ended, the time is up or the command is interrupted. */
async function untilOver(
  terminal: Terminal,
  call: SimulatedCall,
  seconds: number,
  speak: () => Promise<readonly SpokenTurn[] | undefined>,
): Promise<Ended> {
  let closeCode: number | undefined;
  let stop = () => {};
  const stopped = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
  });
  const timer = setTimeout(stop, seconds * 1000);
  terminal.interrupted.addEventListener('abort', stop, { once: true });
  const spoken = speak();
  spoken.catch(() => {}); // its waiter may have stopped
  try {
    // What the session is told of a call that was refused comes behind the end of that call.
    const late = () => new Promise<undefined>((resolve) => setTimeout(resolve, LATE_WORD_MS, undefined));
    const over = call.closed.then((code) => {
      closeCode = code;
      return late();
    });
    const first = await Promise.race([spoken.then((turns) => turns ?? stopped), over, stopped]);
    const ended = { turns: first ?? [], closeCode };
    call.hangUp();
    await Promise.race([call.closed, new Promise((resolve) => setTimeout(resolve, GOODBYE_MS))]);
    return ended;
  } finally {
    clearTimeout(timer);
    terminal.interrupted.removeEventListener('abort', stop);
  }
}

export const simulate: Command = {
  flags: FLAGS,
  operand: Object.keys(CARRIERS),
  help: () =>
    [
      'Usage: voxgate simulate LEG [--say TEXT] [--url ws://…] [--barge-in-ms N] [--repeat N] [--seconds N] [--out FILE.wav] …',
      '',
      `  LEG                ${kinds()}`,
      '  --say TEXT         a bot attaches to the call and speaks, with - what comes from standard input; without --url, a gateway is started for it',
      '  --barge-in-ms N    it cuts each turn N ms after its start',
      '  --repeat N         it speaks so often. Default: 1',
      "  --token T          what the call brings along, in the path and in its first message. Default: the bot's own",
      '  --leg-url URL      with --url: tcp://host:port, where that gateway takes audiosocket',
      '  --listen PORT      chan-websocket does not dial but waits to be dialled, on a port of this machine; 0 is any free one',
      '  --codec NAME       what the call is in, of the platform’s list; a wrong one names it',
      '  --start-ms N       it says so late what the call is;  --first-frame-ms N  and so much later the first of the caller',
      '  --talk-after-ms N  the caller talks for a second, N ms after the first sound: for a bot of yours to notice',
      '  --auth-token-file FILE  twilio signs with the token in it, else with VOXGATE_TWILIO_AUTH_TOKEN;',
      '  --public-url URL   as the gateway has VOXGATE_PUBLIC_URL. Default: that variable, else where it is dialled',
      '  --webhook URL      twilio asks your bot there, as for an incoming call, and dials what its TwiML says, at --url',
      '  --call ID          the id of the call, by which a session may ask for it',
      `  --seconds N        the call lasts so long at most. Default: ${WATCH_SECONDS}, with --say ${SPEAK_SECONDS}`,
      '  --out FILE.wav     keep what the caller heard; - is standard output',
      '  --json             the line of JSON on a terminal, too',
      ...callerHelp(19),
      '',
      'The carriers are built from the documents, not tried against the live carrier. Whatever they do not allow is a',
      'fault; with any the exit code is 1. On a terminal a table is printed; piped, one line of JSON.',
    ].join('\n'),
  run,
};
