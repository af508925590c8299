// Whether the body of a 429 speaks of something else than a rate: services also say 429 when an account has no money left or
// a key may not be used. To wait for the next window would help nothing there. Only what programs are to read is
// looked at, names of errors in the places where services have them, and never the prose, which may repeat the request.

/** The members that hold the name of an error, in the bodies of the speech services and of what stands in front of them. */
const NAME_FIELDS = [
  'errorId',
  'error',
  'code',
  'type',
  'status',
  'reason',
  'err_code',
  'error_code',
] as const;
/** And the objects that hold such members. */
const NESTED_FIELDS = ['error', 'detail', 'errors', 'details'] as const;
const MAX_DEPTH = 3;

/** A name of several words in upper, lower or mixed case, with any sign between them. */
const MAX_NAME_LENGTH = 64;
const wordsOf = (name: string): readonly string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');

/** `rate_limit_exceeded`, `too_many_requests`, `concurrency_limit`, and the like: a rate after all. */
const RATES = /^(rates?|requests?|rpm|concurren\w*|minutes?|seconds?|throttl\w*|busy|overload\w*|many)$/;
/** `insufficient_quota`, `INSUFFICIENT_CREDITS`, `billing_hard_limit_reached`, `payment_required`. */
const MONEY = /^(insufficient|credits?|billing|payments?|funds?|balance|unpaid|invoices?)$/;
/** `account_disabled`, `api_key_revoked`, `subscription_expired`, `access_terminated`. */
const HOLDERS =
  /^(accounts?|access|keys?|users?|subscriptions?|plan|licen[cs]e|organi[sz]ation|project|trial)$/;
const STATES =
  /^(disabled|deactivated|suspended|blocked|banned|locked|revoked|terminated|expired|inactive|denied|closed|ended|over)$/;
/** Where nothing is said but that access is refused. */
const REFUSALS = new Set(['unauthorized', 'unauthorised', 'forbidden', 'invalid api key']);

function isOutName(name: string): boolean {
  if (name.length > MAX_NAME_LENGTH) return false;
  const words = wordsOf(name);
  // What is to be read by people has spaces, and ends in a full stop.
  if (/[.!?]\s*$/.test(name) || words.some((word) => RATES.test(word))) return false;
  if (REFUSALS.has(words.join(' ')) || words.some((word) => MONEY.test(word))) return true;
  return words.some((word) => HOLDERS.test(word)) && words.some((word) => STATES.test(word));
}

function hasOutName(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return isOutName(value);
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return false;
  if (Array.isArray(value)) return value.slice(0, 8).some((item) => hasOutName(item, depth + 1));
  const fields = value as Readonly<Record<string, unknown>>;
  const isNamed = NAME_FIELDS.some((field) => {
    const name = fields[field];
    return typeof name === 'string' && isOutName(name);
  });
  return (
    isNamed ||
    NESTED_FIELDS.some((field) => typeof fields[field] === 'object' && hasOutName(fields[field], depth + 1))
  );
}

/** `body`: the beginning of it, as far as it was read. */
export function saysThatAccessIsOut(body: string): boolean {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && hasOutName(value, 0);
  } catch {
    return false;
  }
}
