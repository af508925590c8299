// Whether the body of a 429 is about something else than a rate: services also answer 429 when an account has no money left or a
// key may not be used. Waiting for the next window would not help then. Only names of errors are read, in the fields where
// services put them, and never prose, which may repeat the request.

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

/** Passing by itself: `rate_limit_exceeded`, `too_many_requests`, `insufficient_capacity`, `key_blocked_until_reset`. */
const RATES =
  /^(rates?|requests?|rpm|concurren\w*|minutes?|seconds?|throttl\w*|busy|(over)?load\w*|many|limits?|caps?|capacity|throughput|resources?|windows?|until|resets?|temporar\w*)$/;
/** Limits that are no rates, as whole names: `billing_hard_limit_reached`. */
const MONEY_LIMITS = /^(billing( hard)?|credits?|spend(ing)?) limit (reached|exceeded)$/;
/** `OUT_OF_CREDITS`, `payment_required`, `insufficient_funds`. */
const MONEY = /^(credits?|billing|payments?|funds?|balance|unpaid|invoices?)$/;
/** Alone it means a rate (`quota_exceeded`); `insufficient_quota` means that the money is used up. */
const QUOTA = /^quotas?$/;
/** `account_disabled`, `api_key_revoked`, `subscription_expired`, `access_terminated`. */
const HOLDERS =
  /^(accounts?|access|keys?|users?|subscriptions?|plan|licen[cs]e|organi[sz]ation|project|trial)$/;
const STATES =
  /^(disabled|deactivated|suspended|blocked|banned|locked|revoked|terminated|expired|inactive|denied|closed|ended)$/;
/** Names that say only that access is refused. */
const REFUSALS = new Set(['unauthorized', 'unauthorised', 'forbidden', 'invalid api key']);

function isOutName(name: string): boolean {
  // A sentence for people is no name.
  if (name.length > MAX_NAME_LENGTH || /[.!?]\s*$/.test(name)) return false;
  const words = wordsOf(name);
  const plainName = words.join(' ');
  if (REFUSALS.has(plainName)) return true;
  // All else with a space in it is prose.
  if (/\s/.test(name.trim())) return false;
  if (MONEY_LIMITS.test(plainName)) return true;
  const has = (pattern: RegExp) => words.some((word) => pattern.test(word));
  if (has(RATES)) return false;
  if (has(MONEY)) return true;
  if (has(QUOTA)) return words.includes('insufficient');
  return has(HOLDERS) && has(STATES);
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
export function saysAccessIsLost(body: string): boolean {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && hasOutName(value, 0);
  } catch {
    return false;
  }
}
