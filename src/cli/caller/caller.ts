// Who a command is to its gateway, and where that is: from flags, else from the environment, a key also from a file.

import { shownAddress } from '../../base/addresses/shown-address.ts';
import { type Terminal, UsageError } from '../command.ts';
import { readInputFile } from '../input/read-input.ts';
import { passInterruptOn, systemWords } from '../output/system-words.ts';

export const CALLER_FLAGS = {
  url: { type: 'string' },
  key: { type: 'string' },
  'key-file': { type: 'string', completes: 'file' },
  user: { type: 'string' },
} as const;

type Given = { readonly [Flag in keyof typeof CALLER_FLAGS]?: string | undefined };

export type Caller = {
  /** Of the gateway, in either form; undefined: one of its own. */
  readonly url: string | undefined;
  readonly key: string | undefined;
  readonly user: string | undefined;
};

/** The last lines of a command's help. */
export const callerHelp = (width: number): readonly string[] => [
  `  ${'--url URL'.padEnd(width)}a running gateway, as \`voxgate serve\` printed it (ws://… or http://…); else VOXGATE_URL`,
  `  ${'--key-file FILE'.padEnd(width)}its API key; else VOXGATE_KEY or VOXGATE_KEY_FILE. --key KEY shows it in the list of processes`,
  `  ${'--user ID'.padEnd(width)}the user whose key it is; else VOXGATE_USER`,
];

const SESSION_PATH = '/v1/session';
/** As it stands in a header (RFC 9110, 5.5), at the length that `serve` takes. */
const KEY = /^[\x21-\x7e]{1,512}$/;

/** The file that a key will be read from, by what names it; for `checkInputs`. */
export function keyFileOf({ env }: Pick<Terminal, 'env'>, given: Given): Record<string, string | undefined> {
  if (given.key !== undefined || given['key-file'] !== undefined) return { '--key-file': given['key-file'] };
  return { VOXGATE_KEY_FILE: env.VOXGATE_KEY_FILE };
}

/** Throws a UsageError, which never shows a key. */
export async function readCaller(terminal: Terminal, given: Given): Promise<Caller> {
  const { env } = terminal;
  const set = (name: string) => (env[name] === undefined || env[name] === '' ? undefined : env[name]);
  const address = given.url ?? set('VOXGATE_URL');
  if (address !== undefined) checkAddress(given.url === undefined ? 'VOXGATE_URL' : '--url', address);
  const key =
    (await chooseKey(terminal, ['--key', given.key], ['--key-file', given['key-file']])) ??
    (await chooseKey(
      terminal,
      ['VOXGATE_KEY', set('VOXGATE_KEY')],
      ['VOXGATE_KEY_FILE', set('VOXGATE_KEY_FILE')],
    ));
  const user = given.user ?? set('VOXGATE_USER');
  if (user !== undefined && !KEY.test(user))
    throw new UsageError(
      `${given.user === undefined ? 'VOXGATE_USER' : '--user'} is ${JSON.stringify(user)}; allowed: 1 to 512 visible ASCII characters, no spaces`,
    );
  return { url: address, key, user };
}

type Named = readonly [name: string, value: string | undefined];

async function chooseKey(terminal: Terminal, direct: Named, file: Named): Promise<string | undefined> {
  if (direct[1] !== undefined && file[1] !== undefined)
    throw new UsageError(`${direct[0]} and ${file[0]} are both set; set one of them`);
  if (direct[1] !== undefined) return checkKey(direct[0], direct[1]);
  return file[1] === undefined
    ? undefined
    : checkKey(`the file of ${file[0]}`, await readKeyFile(terminal, ...file));
}

async function readKeyFile(terminal: Terminal, name: string, path: string | undefined): Promise<string> {
  try {
    return Buffer.from(await readInputFile(terminal, path!)).toString('utf8');
  } catch (error) {
    passInterruptOn(error);
    throw new UsageError(`${name} is ${JSON.stringify(path)}, which cannot be read: ${systemWords(error)}`);
  }
}

function checkKey(as: string, given: string): string {
  const key = given.trim();
  if (KEY.test(key)) return key;
  throw new UsageError(
    `${as} holds something else than a key (value not shown); allowed: 1 to 512 visible ASCII characters, no spaces`,
  );
}

function checkAddress(as: string, given: string): void {
  if (URL.canParse(given) && /^(https?|wss?):\/\//i.test(given)) return;
  throw new UsageError(
    `${as} is ${JSON.stringify(shownAddress(given))}; allowed: a ws://, wss://, http:// or https:// address, as voxgate serve prints it`,
  );
}

/** Where sessions of the gateway at `address` are opened. */
export function sessionUrlOf(address: string): string {
  const url = new URL(address);
  // A path of another kind is meant: of a proxy, or of a leg.
  if (/^https?:$/.test(url.protocol) && !url.pathname.endsWith(SESSION_PATH))
    url.pathname = url.pathname.replace(/\/*$/, SESSION_PATH);
  if (url.pathname === '/') url.pathname = SESSION_PATH;
  url.hash = ''; // no request carries it (RFC 6455, 3)
  url.protocol = /^(https|wss):$/.test(url.protocol) ? 'wss:' : 'ws:';
  return url.href;
}

/** The same address for sessions of `agent`; `id`: as `--agent` names it. */
export function agentUrlOf(sessionUrl: string, id: string): string {
  const url = new URL(sessionUrl);
  url.searchParams.set('agent', id);
  return url.href;
}

/** An agent is kept by a gateway that runs; one that a command starts has none. Throws a UsageError. */
export function checkAgent({ url }: Caller, agent: string | undefined): void {
  if (agent === undefined || url !== undefined) return;
  throw new UsageError(
    `--agent is ${JSON.stringify(agent)}; agents are kept by a running gateway: name it with --url (VOXGATE_URL)`,
  );
}

/** Where its service interface is found. */
export function serviceUrlOf(address: string): string {
  const url = new URL(address);
  url.protocol = /^(https|wss):$/.test(url.protocol) ? 'https:' : 'http:';
  url.search = '';
  url.hash = '';
  url.pathname = url.pathname.replace(/\/v1\/session\/?$/, '');
  return url.href.replace(/\/$/, '');
}

/** The headers of a session. */
export const callerHeaders = ({ key, user }: Pick<Caller, 'key' | 'user'>): Record<string, string> => ({
  ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
  ...(user === undefined ? {} : { 'x-user-id': user }),
});
