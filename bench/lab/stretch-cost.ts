// Processor time between two looks at a gateway's process, by who took it.

import type { GatewayCost } from './gateway-process.ts';

export const orNaN = (value: number | null | undefined): number => value ?? Number.NaN;

/** In ms per second of a stream; NaN where the system does not tell processes apart. */
export function costBetween(before: GatewayCost, after: GatewayCost, streamSeconds: number) {
  const grown = (read: (cost: GatewayCost) => number | null | undefined) =>
    (orNaN(read(after)) - orNaN(read(before))) / streamSeconds;
  const main = grown(({ mainCpuMs }) => mainCpuMs);
  return {
    program: grown(({ wordTimer }) => wordTimer?.programMs),
    timer: grown(({ wordTimer }) => wordTimer?.timerMs),
    main,
    otherThreads: grown(({ cpuMs }) => cpuMs) - main,
  };
}
