// Long work on a terminal: one line with a bar that fills, what is being done and how long it has taken. Elsewhere lines of JSON,
// so few that a file of them can be read.

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

/** A line tells of so much more of the work, of the first of a phase, or of what was done in a minute. */
const TOLD_SHARE = 0.1;
const TOLD_MS = 60_000;

/** East Asian wide characters and emoji take two columns, accents and joiners none (Unicode, UAX 11). */
const WIDE =
  /[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const NARROW = /[\p{Mn}\p{Me}\p{Cf}]/u;

/** The end of `line` that fits into `columns`; what is longer would go on in a second line, which is not cleared. */
export function fitLine(line: string, columns: number): string {
  const characters = [...line];
  let left = columns;
  let from = characters.length;
  for (; from > 0; from -= 1) {
    const character = characters[from - 1]!;
    left -= NARROW.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
    if (left < 0) break;
  }
  return from === 0 ? line : characters.slice(from).join('');
}

/** Shows each record on a terminal, and those that are worth a line elsewhere; `nowMs` is a monotonic clock. */
export function createProgressTeller(terminal: Terminal, nowMs: () => number): (record: WorkShown) => void {
  const beganAtMs = nowMs();
  const phases = new Set<string>();
  let told: WorkShown | undefined;
  let toldAtMs = 0;
  return (record) => {
    const { phase, progress } = record;
    if (terminal.isInteractive) return terminal.status(progressBar(record, nowMs() - beganAtMs));
    const sinceMs = nowMs() - toldAtMs;
    const isWorth =
      told === undefined ||
      Math.floor(progress / TOLD_SHARE) > Math.floor(told.progress / TOLD_SHARE) ||
      !phases.has(phase) ||
      sinceMs >= TOLD_MS;
    if (!isWorth) return;
    phases.add(phase);
    told = record;
    toldAtMs = nowMs();
    terminal.print(JSON.stringify({ phase, progress: Math.round(progress * 1000) / 1000 }));
  };
}
