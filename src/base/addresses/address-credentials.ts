// User and password that stand in an address: no request can be made to such an address (WHATWG Fetch, 5.4), so they are sent as
// Basic authentication (RFC 7617), as curl and browsers do.

/** A % that begins no escape stands for itself. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** `authorization`: the value of that header; undefined where there is neither a user nor a password. Throws for what is no address. */
export function splitCredentials(given: string | URL): {
  readonly url: URL;
  readonly authorization: string | undefined;
} {
  const url = new URL(given);
  const { username, password } = url;
  url.username = '';
  url.password = '';
  // Browsers have no Buffer, and btoa takes bytes as characters.
  const bytes = new TextEncoder().encode(`${decoded(username)}:${decoded(password)}`);
  const pair = btoa(String.fromCharCode(...bytes));
  return { url, authorization: username === '' && password === '' ? undefined : `Basic ${pair}` };
}
