/** Answers with what was counted; `faults` names broken promises. */
export function crashTrial(options: {
  readonly kills: number;
  readonly seed: number;
  readonly underWay?: number;
  /** Length of a job's text. */
  readonly sentences?: number;
  readonly tell?: (line: string) => void;
}): Promise<{ readonly works: number; readonly faults: readonly string[] }>;
