// Long work on a terminal: one line with a bar that fills, what is being done and how long it has taken. Piped, each
// change is a line of JSON instead.

import type { Terminal } from './command.ts';

export type WorkShown = { readonly phase: string; readonly progress: number };

const BAR_CELLS = 30;

const clock = (ms: number) => {
  const seconds = Math.floor(ms / 1000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
};

/** `speaking   [██████░░░░] 63 %  0:12`. */
export function progressBar({ phase, progress }: WorkShown, elapsedMs: number): string {
  const share = Math.min(1, Math.max(0, progress));
  const filled = Math.round(share * BAR_CELLS);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_CELLS - filled);
  return `${phase.padEnd(9)} [${bar}] ${String(Math.floor(share * 100)).padStart(3)} %  ${clock(elapsedMs)}`;
}

/** Shows each record that is new; `nowMs` is a monotonic clock. */
export function createProgressTeller(terminal: Terminal, nowMs: () => number): (record: WorkShown) => void {
  const beganAtMs = nowMs();
  let told = '';
  return (record) => {
    if (terminal.isInteractive) return terminal.status(progressBar(record, nowMs() - beganAtMs));
    const line = JSON.stringify({ phase: record.phase, progress: Math.round(record.progress * 1000) / 1000 });
    if (line !== told) terminal.print(line);
    told = line;
  };
}
