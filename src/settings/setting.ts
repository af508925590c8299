// The kinds of setting: how a value is read from text, what it is bounded by, and how that is said to a person.
// A reader answers with the value or with what is wrong; it never repeats a value that may be secret.

import { BlockList, isIP } from 'node:net';
import { shownAddress } from '../base/addresses/shown-address.ts';

/** A value, or one clause that completes "VOXGATE_X …" ("is 70000"); `allowed` is appended by the caller. */
export type Reading<T> =
  | { readonly ok: true; readonly value: T }
  | {
      readonly ok: false;
      readonly wrong: string;
      /** Of a value that holds others: each of them as a sentence of its own behind the name of the setting. */
      readonly faults?: readonly string[];
    };

export type Setting<T> = {
  /** What it is and why the default is what it is, on one line. */
  readonly meaning: string;
  /** Completes "allowed: …". */
  readonly allowed: string;
  /** The placeholder in `--help`. */
  readonly placeholder: string;
  readonly default: T;
  /** A secret's value is never shown. */
  readonly secrecy: 'open' | 'secret';
  /** `structure`: a list or a table, which the YAML file holds as such, and others as JSON. */
  readonly form?: 'structure';
  /** `given` is trimmed and not empty; `file` reads files that it names. */
  read(given: string, file?: (path: string) => string): Reading<T>;
};

const read = <T>(value: T): Reading<T> => ({ ok: true, value });
const refuse = (wrong: string): { readonly ok: false; readonly wrong: string } => ({ ok: false, wrong });
const shown = (given: string): string => JSON.stringify(given.length > 80 ? `${given.slice(0, 80)}…` : given);

type Whole = {
  readonly min: number;
  readonly max: number;
  readonly placeholder: string;
  readonly meaning: string;
};

/** A whole number in decimal digits, `min` to `max`. With `zero` given, 0 is allowed too and means that. */
export function whole(byDefault: number, bounds: Whole & { readonly zero?: string }): Setting<number> {
  const { min, max, placeholder, meaning, zero } = bounds;
  const allowed = `a whole number from ${min} to ${max}${zero === undefined ? '' : `${min > 0 ? ', or 0' : ', 0'} = ${zero}`}`;
  return {
    meaning,
    allowed,
    placeholder,
    default: byDefault,
    secrecy: 'open',
    read(given) {
      const value = /^-?\d{1,15}$/.test(given) ? Number(given) : Number.NaN;
      const fits = (value >= min && value <= max) || (value === 0 && zero !== undefined);
      return fits ? read(value) : refuse(`is ${Number.isNaN(value) ? shown(given) : value}`);
    },
  };
}

/** Printable text without control characters, at most `longest` characters. */
export function text<T extends string | undefined>(
  byDefault: T,
  { longest = 1024, placeholder, meaning }: { longest?: number; placeholder: string; meaning: string },
): Setting<string | T> {
  return {
    meaning,
    allowed: `1 to ${longest} printable characters`,
    placeholder,
    default: byDefault,
    secrecy: 'open',
    read: (given) =>
      given.length <= longest && !/\p{Cc}/u.test(given) ? read(given) : refuse(`is ${shown(given)}`),
  };
}

export function oneOf<const T extends string>(
  byDefault: NoInfer<T>,
  { values, placeholder, meaning }: { values: readonly T[]; placeholder: string; meaning: string },
): Setting<T> {
  return {
    meaning,
    allowed: values.join(', '),
    placeholder,
    default: byDefault,
    secrecy: 'open',
    read(given) {
      const value = values.find((each) => each === given);
      return value === undefined ? refuse(`is ${shown(given)}`) : read(value);
    },
  };
}

/** A host to listen on: a name or an address, without a port. Brackets around IPv6 are taken off. */
export function listenHost(byDefault: string, meaning: string): Setting<string> {
  return {
    meaning,
    allowed: 'a host name or an IP address, without a port',
    placeholder: 'ADDRESS',
    default: byDefault,
    secrecy: 'open',
    read(given) {
      const host = /^\[.*\]$/.test(given) ? given.slice(1, -1) : given;
      const isName = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/i.test(host);
      const isNumeric = /^[\d.]+$/.test(host);
      return isIP(host) !== 0 || (isName && !isNumeric && host.length <= 253)
        ? read(host)
        : refuse(`is ${shown(given)}`);
    },
  };
}

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8, 'ipv4');
LOOPBACK.addAddress('::1', 'ipv6');

/** True for addresses that only this machine can reach: 127.0.0.0/8, ::1 and `localhost` (RFC 6761 6.3). */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return LOOPBACK.check(host, family === 6 ? 'ipv6' : 'ipv4');
}

/** An http or https address without credentials, query or fragment. `origin` also forbids a path. */
export function webAddress(extent: 'origin' | 'base', meaning: string): Setting<string | undefined> {
  return {
    meaning,
    allowed:
      extent === 'origin'
        ? 'an http:// or https:// origin, nothing after the host and port'
        : 'an http:// or https:// address without user, query or fragment',
    placeholder: 'URL',
    default: undefined,
    secrecy: 'open',
    read(given) {
      // What stands before an @ may be a password, so such a value is not shown.
      if (given.includes('@')) return refuse('holds an @ (value not shown)');
      const url = URL.canParse(given) ? new URL(given) : undefined;
      // In its query may be a key.
      if (url === undefined || !/^https?:$/.test(url.protocol) || /[?#\s]/.test(given))
        return refuse(`is ${shown(shownAddress(given))}`);
      const path = url.pathname.replace(/\/+$/, '');
      if (extent === 'origin' && path !== '') return refuse(`is ${shown(shownAddress(given))}`);
      return read(url.origin + path);
    },
  };
}

/** Where messages are sent: a key is part of many such addresses, so it is never shown. */
export function hookAddress(meaning: string): Setting<string | undefined> {
  return {
    meaning,
    allowed: 'an http:// or https:// address without user or fragment, at most 2048 characters',
    placeholder: 'URL',
    default: undefined,
    secrecy: 'secret',
    read(given) {
      const url = URL.canParse(given) ? new URL(given) : undefined;
      const fits =
        url !== undefined &&
        given.length <= 2048 &&
        /^https?:$/.test(url.protocol) &&
        url.username === '' &&
        url.password === '' &&
        !/[#\s]/.test(given);
      return fits ? read(url.href) : refuse('is no such address (value not shown)');
    },
  };
}

/** The address of a Redis server: its password is part of it, so it is never shown. */
export function redisAddress(meaning: string): Setting<string | undefined> {
  return {
    meaning,
    allowed: 'redis:// or rediss://, [user:password@]host[:port][/database]',
    placeholder: 'URL',
    default: undefined,
    secrecy: 'secret',
    read(given) {
      const url = URL.canParse(given) ? new URL(given) : undefined;
      const fits =
        url !== undefined &&
        /^rediss?:$/.test(url.protocol) &&
        url.hostname !== '' &&
        /^(\/\d{0,5})?$/.test(url.pathname) &&
        !/[?#\s]/.test(given);
      return fits ? read(given) : refuse('is no such address (value not shown)');
    },
  };
}

/** What an address of PostgreSQL may say beside the place: how TLS is used, and where a socket is. */
const POSTGRES_OPTIONS = ['host', 'sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'uselibpqcompat'];

/** The address of a PostgreSQL database: its password may be part of it, so it is never shown. */
export function postgresAddress(meaning: string): Setting<string | undefined> {
  return {
    meaning,
    allowed: `postgres://[user[:password]@]host[:port]/database, with ?${POSTGRES_OPTIONS.join(', ')}`,
    placeholder: 'URL',
    default: undefined,
    secrecy: 'secret',
    read(given) {
      const url = URL.canParse(given) ? new URL(given) : undefined;
      const fits =
        url !== undefined &&
        /^postgres(ql)?:$/.test(url.protocol) &&
        (url.hostname !== '' || (url.searchParams.get('host') ?? '') !== '') &&
        /^\/[^/]+$/.test(url.pathname) &&
        [...url.searchParams.keys()].every((key) => POSTGRES_OPTIONS.includes(key)) &&
        !/[#\s]/.test(given);
      return fits && isDecodable(url.username) && isDecodable(url.password)
        ? read(given)
        : refuse('is no such address (value not shown)');
    },
  };
}

/** A bucket of S3 or of a server with its interface; `prefix`, of names in it: '' or something that ends in a slash. */
export type BucketAddress = {
  readonly kind: 's3';
  readonly bucket: string;
  readonly prefix: string;
  /** Of a server that is not Amazon's. */
  readonly endpoint: string | undefined;
  readonly region: string | undefined;
};
export type FilesAddress = { readonly kind: 'folder'; readonly folder: string } | BucketAddress;

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const PREFIX = /^(?:[A-Za-z0-9_-][A-Za-z0-9_.-]{0,99}\/){0,8}$/;
const REGION = /^[a-z0-9-]{1,40}$/;

function readBucket({ host, port, pathname, searchParams, username, password, hash }: URL) {
  const prefix = pathname.replace(/^\//, '').replace(/([^/])$/, '$1/');
  const [endpoint, region] = ['endpoint', 'region'].map((name) => searchParams.get(name) ?? undefined);
  const server = endpoint !== undefined && URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const fits =
    BUCKET.test(host) &&
    PREFIX.test(prefix) &&
    [...searchParams.keys()].every((key) => ['endpoint', 'region'].includes(key)) &&
    (endpoint === undefined || /^https?:$/.test(server?.protocol ?? '')) &&
    server?.href === (server && `${server.origin}/`) &&
    (region === undefined || REGION.test(region)) &&
    [port, username, password, hash].every((part) => part === '');
  return fits ? ({ kind: 's3', bucket: host, prefix, endpoint: server?.origin, region } as const) : undefined;
}

/** A folder of this machine, or a bucket, as an address. Never shown with what follows its host, where a password may stand. */
export function filesAddress(meaning: string): Setting<FilesAddress | undefined> {
  return {
    meaning,
    allowed: 'file:///folder, an absolute path, or s3://bucket/prefix, with ?endpoint=ORIGIN&region=NAME',
    placeholder: 'URL',
    default: undefined,
    secrecy: 'open',
    read(given) {
      const url = URL.canParse(given) ? new URL(given) : undefined;
      const isFolder =
        url?.protocol === 'file:' &&
        url.host === '' &&
        given.startsWith('file:///') &&
        isDecodable(url.pathname) &&
        !/[?#]|%00|%2f/i.test(given);
      const address = isFolder
        ? ({ kind: 'folder', folder: decodeURIComponent(url.pathname) } as const)
        : url?.protocol === 's3:'
          ? readBucket(url)
          : undefined;
      return address === undefined ? refuse(`is ${shown(shownAddress(given))}`) : read(address);
    },
  };
}

/** The address of a WebSocket server of the operator's: its password may be part of it, so it is never shown. */
export function webSocketAddress(meaning: string): Setting<string | undefined> {
  return {
    meaning,
    allowed: 'ws:// or wss://, [user:password@]host[:port][/path], without query or fragment',
    placeholder: 'URL',
    default: undefined,
    secrecy: 'secret',
    read(given) {
      const url = URL.canParse(given) ? new URL(given) : undefined;
      const fits = url !== undefined && /^wss?:$/.test(url.protocol) && !/[?#\s]/.test(given);
      return fits && isDecodable(url.username) && isDecodable(url.password)
        ? read(given)
        : refuse('is no such address (value not shown)');
    },
  };
}

function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part);
    return true;
  } catch {
    return false;
  }
}

/** One secret that travels in an HTTP header: visible ASCII only. */
export function secret(placeholder: string, meaning: string): Setting<string | undefined> {
  return {
    meaning,
    allowed: '1 to 512 visible ASCII characters, no spaces',
    placeholder,
    default: undefined,
    secrecy: 'secret',
    read: (given) =>
      /^[\x21-\x7e]{1,512}$/.test(given) ? read(given) : refuse('holds something else (value not shown)'),
  };
}

/** Entries separated by commas or line ends, each read by `readEntry`, which says what is wrong with one. */
export function secretList<T>(options: {
  readonly placeholder: string;
  readonly meaning: string;
  readonly allowed: string;
  readEntry(entry: string, before: readonly T[]): Reading<T>;
}): Setting<readonly T[]> {
  return {
    meaning: options.meaning,
    allowed: options.allowed,
    placeholder: options.placeholder,
    default: [],
    secrecy: 'secret',
    read(given) {
      const entries = given.split(/[,\r\n]/).map((entry) => entry.trim());
      const values: T[] = [];
      for (const entry of entries.filter((each) => each !== '')) {
        const reading = options.readEntry(entry, values);
        if (!reading.ok) return refuse(`entry ${values.length + 1} ${reading.wrong} (value not shown)`);
        values.push(reading.value);
      }
      return values.length === 0 ? refuse('holds no entry') : read(values);
    },
  };
}

export const secretFile = (of: string): Setting<string | undefined> =>
  text(undefined, {
    placeholder: 'FILE',
    meaning: `A file that holds ${of}, so that it stays out of the environment.`,
  });
