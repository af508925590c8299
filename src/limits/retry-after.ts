// The Retry-After field of an answer, in milliseconds.

const MAX_BELIEVED_MS = 3_600_000;
/** IMF-fixdate, the only form that senders may use (RFC 9110 5.6.7). */
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Unix milliseconds of a Date field; undefined when it is no IMF-fixdate. */
export function parseHttpDate(value: string | undefined): number | undefined {
  const ms = HTTP_DATE.test(value ?? '') ? Date.parse(value ?? '') : Number.NaN;
  return Number.isNaN(ms) ? undefined : ms;
}

/**
 * Retry-After (RFC 9110 10.2.3: seconds, or a date) in milliseconds; undefined when it is absent, negative, not a
 * number, or beyond an hour, which is no rate limit but a mistake. `date` is the answer's own Date, so that a date is
 * never compared with a clock of ours.
 */
export function parseRetryAfter(value: string | undefined, date: string | undefined): number | undefined {
  const given = value?.trim() ?? '';
  const ms = /^\d{1,9}(\.\d{1,9})?$/.test(given)
    ? Math.ceil(Number(given) * 1000)
    : (parseHttpDate(given) ?? Number.NaN) - (parseHttpDate(date) ?? Number.NaN);
  return ms >= 0 && ms <= MAX_BELIEVED_MS ? ms : undefined;
}
