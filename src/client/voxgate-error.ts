// What the gateway refused, as a program can act on it.

export class VoxgateError extends Error {
  override readonly name = 'VoxgateError';
  /** HTTP status. */
  readonly status: number;
  /** As in docs/errors.md, in capitals; undefined when something between us answered. */
  readonly errorId: string | undefined;
  /** Milliseconds after which trying again makes sense, when that is known. */
  readonly retryAfterMs: number | undefined;

  constructor(
    message: string,
    told: { status: number; errorId?: string | undefined; retryAfterMs?: number | undefined },
  ) {
    super(message);
    this.status = told.status;
    this.errorId = told.errorId;
    this.retryAfterMs = told.retryAfterMs;
  }
}

/** Of a reply that is no success. */
export async function toVoxgateError(response: Response): Promise<VoxgateError> {
  const { status, headers } = response;
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const retryAfterMs = Number.isFinite(seconds) ? seconds * 1000 : undefined;
  const text = await response.text();
  try {
    const { errorMessage, errorId } = JSON.parse(text) as { errorMessage?: string; errorId?: string };
    if (errorMessage !== undefined) return new VoxgateError(errorMessage, { status, errorId, retryAfterMs });
  } catch {
    // not ours
  }
  return new VoxgateError(`The answer was ${status} ${text.slice(0, 200)}`.trim(), { status, retryAfterMs });
}
