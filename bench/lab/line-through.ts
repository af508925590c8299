// The straight line that fits points best, by least squares.

export type Point = readonly [x: number, y: number];
export type Line = { readonly slope: number; readonly start: number };

/** NaN of fewer than two different x. */
export function lineThrough(points: readonly Point[]): Line {
  const mean = (read: (point: Point) => number) =>
    points.reduce((sum, point) => sum + read(point), 0) / points.length;
  const [meanX, meanY] = [mean(([x]) => x), mean(([, y]) => y)];
  const spread = points.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
  const slope = points.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0) / spread;
  return { slope, start: meanY - slope * meanX };
}
