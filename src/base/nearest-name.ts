// The "did you mean" of a mistyped name: the nearest known name by edit distance, or nothing when none is near. Pure.

/** Optimal string alignment distance: insert, delete, replace, or swap two neighbours, each counts 1. */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const replace = last[column - 1]! + (a[row - 1] === b[column - 1] ? 0 : 1);
      let best = Math.min(replace, last[column]! + 1, current[column - 1]! + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        best = Math.min(best, beforeLast[column - 2]! + 1);
      current.push(best);
    }
    beforeLast = last;
    last = current;
  }
  return last[b.length]!;
}

/** The known name that `given` most likely stands for: at most a quarter of its letters (one at least) differ. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  if (given.length > 64) return undefined;
  const plain = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');
  const wanted = plain(given);
  const nearest = known
    .map((name) => ({ name, distance: editDistance(wanted, plain(name)) }))
    .sort((a, b) => a.distance - b.distance)[0];
  const most = Math.max(1, Math.floor(wanted.length / 4));
  return nearest !== undefined && nearest.distance <= most && nearest.distance < wanted.length
    ? nearest.name
    : undefined;
}

/** `; did you mean NAME?`, or nothing when none is near. */
export function meantName(given: string, known: readonly string[]): string {
  const near = nearestName(given, known);
  return near === undefined ? '' : `; did you mean ${near}?`;
}
