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

/** `text` with every address in it as it may be shown: for words of libraries, which repeat what they were given. */
export const hideInAddresses = (text: string): string =>
  text.replace(ADDRESSES, (address) => shownAddress(address));
