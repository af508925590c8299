// What `voxgate simulate` found, as a table for people.

import type { CallReport } from '../carriers/call-record.ts';
import type { SpokenTurn } from './simulated-bot.ts';

export type SimulationReport = CallReport & {
  readonly leg: string;
  readonly turns: readonly SpokenTurn[];
};

const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;

const rowsOf = (report: SimulationReport): readonly (readonly [string, string])[] => {
  const { heardMs, leadMs, jitterMs, underruns, clears, staleBytes, marks } = report;
  return [
    ['heard', seconds(heardMs)],
    ['lead', leadMs === null ? '–' : `${leadMs.median} ms median, ${leadMs.most} ms most`],
    [
      'jitter',
      jitterMs === null
        ? '–'
        : `${jitterMs.median} ms median, ${jitterMs.p99} ms p99, ${jitterMs.most} ms most`,
    ],
    ['underruns', underruns.count === 0 ? '0' : `${underruns.count}, ${underruns.ms} ms`],
    ['clears', String(clears)],
    ['stale', staleBytes === null ? 'not known without --say' : `${staleBytes} bytes after a clear`],
    ['marks', `${marks.sent} sent, ${marks.echoed} echoed, ${marks.lost} lost`],
  ];
};

export function simulationTable(report: SimulationReport): readonly string[] {
  const turns = report.turns.map(
    ({ turn, outcome, playedMs, heardMs }) => `${turn}: ${outcome}, told ${playedMs} ms, heard ${heardMs} ms`,
  );
  const faults = report.faults.map((fault) => `fault: ${fault}`);
  return [
    ...rowsOf(report).map(([name, value]) => `${name.padEnd(10)}${value}`),
    ...turns,
    ...(faults.length === 0 ? ['no faults'] : faults),
  ];
}
