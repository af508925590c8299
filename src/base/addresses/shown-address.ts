// An address as people are shown it: the scheme, the host and the port. What else stands in one may be a secret: a user and a
// password, a token in the path, in the query or behind #.

/** What stands in the place of what is not shown. */
const HIDDEN = '…';
/** A longer text is not looked at. */
const MAX_PLAIN = 80;
/** What people type in the place of an address: a name that is no key, and perhaps a port. */
const PLAIN =
  /^(?:[a-z]{1,12}|\d{1,3}(?:\.\d{1,3}){3}|\[[\da-f:.]{2,45}\]|(?:[a-z\d-]{1,24}\.){1,5}[a-z]{2,12})(?::\d{1,5})?$/i;
const SCHEME = /^[a-z][a-z\d+.-]{0,9}:\/\//i;
const ADDRESSES = /\b[a-z][a-z\d+.-]{0,9}:\/\/[^\s"'<>]+/gi;

/**
 * `https://ann:secret@host:1/a?key=b` as `https://host:1/…`; `given` need not be an address. Nothing follows the host where
 * nothing is left out.
 */
export function shownAddress(given: string): string {
  const scheme = SCHEME.exec(given)?.[0];
  if (scheme === undefined) return given.length <= MAX_PLAIN && PLAIN.test(given) ? given : HIDDEN;
  const url = URL.canParse(given) ? new URL(given) : undefined;
  // What has no host has been read as something else than what was meant.
  if (url === undefined || url.host === '') return `${scheme}${HIDDEN}`;
  const { protocol, host, pathname, username, password, search, hash } = url;
  const isWhole = [username, password, search, hash, pathname.replace('/', '')].every((part) => part === '');
  return `${protocol}//${host}${isWhole ? '' : `/${HIDDEN}`}`;
}

/** Scheme, host and port alone, of what is an address. */
export const shownOrigin = (given: string): string => shownAddress(given).replace(`/${HIDDEN}`, '');

/** A word of the command line as it is repeated: one that is an address may hold a secret. */
export const shownArgument = (given: string): string => (/:\/\/|@/.test(given) ? shownAddress(given) : given);

/** `text` with every address in it as it may be shown: for words of libraries, which repeat what they were given. */
export const hideInAddresses = (text: string): string =>
  text.replace(ADDRESSES, (address) => shownAddress(address));

const MAX_NAME_CHARACTERS = 100;
/** Separators, what Windows does not take, and what is not seen. */
const UNSAFE = /[/\\:*?"<>|\p{C}\p{Zl}\p{Zp}]+/gu;
/** Devices of Windows, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;

/**
 * What the file at an address is called: the last part of its path, as a name that any file system takes and that names no other
 * folder, device or hidden file. Undefined where the path ends in nothing that could be a name.
 */
export function fileNameOf({ pathname }: URL): string | undefined {
  const last = pathname.split('/').findLast((part) => part !== '') ?? '';
  let name = last;
  try {
    name = decodeURIComponent(last);
  } catch {
    // Not UTF-8 behind its percent signs: it stays as it is written.
  }
  const safe = name
    .replace(UNSAFE, ' ')
    .trim()
    .replace(/^[.\s-]+|[.\s]+$/gu, '');
  const kept = [...safe]
    .slice(-MAX_NAME_CHARACTERS)
    .join('')
    .replace(/^[.\s-]+/u, '');
  return kept === '' || DEVICE.test(kept) ? undefined : kept;
}
