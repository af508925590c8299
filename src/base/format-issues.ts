// One sentence from a failed schema check: it names each field, what is wrong with it, and what is allowed.
// Values are shown only when they cannot hold spoken text or a key (numbers, booleans, null).

type Issue = {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly input?: unknown;
};

const shown = (input: unknown): string =>
  typeof input === 'number' || typeof input === 'boolean' || input === null ? ` (got ${String(input)})` : '';

/** `issues` as zod reports them with `reportInput`; at most three are listed, so that a hostile body stays small. */
export function formatIssues(issues: readonly Issue[]): string {
  const told = issues.slice(0, 3).map((issue) => {
    const field = issue.path.length === 0 ? 'message' : issue.path.map(String).join('.').slice(0, 80);
    return `${field}: ${issue.message.slice(0, 300)}${shown(issue.input)}`;
  });
  const rest = issues.length - told.length;
  return told.join('; ') + (rest > 0 ? `; and ${rest} more` : '');
}
