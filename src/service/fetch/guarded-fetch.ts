// The port for connections to addresses that callers name: where a source lies, where a webhook listens. An
// implementation lets no caller reach a private network, hold a connection for ever or fill the disk.

export type Download = {
  /** As the server said it, lower case; undefined when it did not. Never to be trusted. */
  readonly contentType: string | undefined;
  /** Where the file was found in the end; may hold a secret in its query. */
  readonly finalUrl: string;
  readonly bytes: number;
};

export type PostAnswer = {
  readonly status: number;
  /** What `Retry-After` asks for (RFC 9110 10.2.3); undefined when it is absent or not to be believed. */
  readonly retryAfterMs: number | undefined;
};

/**
 * Both calls reject with an `AppError` that names the host at most: `address_refused` (not of the open internet),
 * `address_unreachable` (no connection, no proper answer, or not in time), `payload_too_large`; or with the signal's
 * reason.
 */
export type GuardedFetch = {
  /**
   * Writes what is at `url` to the file `toPath`, whole or not at all: at most `mostBytes`, packed and unpacked, within
   * `deadlineMs` (never more than a minute). Up to three redirects are followed, each judged like the first address.
   */
  download(
    url: string,
    to: { readonly toPath: string; readonly mostBytes: number; readonly deadlineMs: number },
    signal: AbortSignal,
  ): Promise<Download>;
  /** Sends one POST; settles when the answer's status is known. Redirects are answers like any other. */
  post(
    url: string,
    message: {
      readonly headers: Readonly<Record<string, string>>;
      readonly body: string;
      readonly deadlineMs: number;
    },
    signal: AbortSignal,
  ): Promise<PostAnswer>;
  /** Ends what is under way as `shutting_down`; later calls end the same way. */
  close(): void;
};
