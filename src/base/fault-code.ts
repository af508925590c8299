// What kind of fault something thrown is, in one word for the log: the rest of a message may name a key or hold text.

/** Of several addresses that were tried, Node's error has the code of the first. */
export function faultCode(thrown: unknown): string {
  if (!(thrown instanceof Error)) return 'unknown';
  if ('code' in thrown && typeof thrown.code === 'string') return thrown.code;
  if (thrown.message === 'Command timed out') return 'timeout'; // ioredis has no code for it
  if (thrown.name === 'ReplyError') return thrown.message.split(' ', 1)[0]!; // Redis: `WRONGTYPE Operation …`
  return thrown.name === 'Error' ? thrown.message.slice(0, 60) : thrown.name;
}
